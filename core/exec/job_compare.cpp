// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_compare.h"

#include "core/exec/edge_inputs.h"
#include "core/exec/job_sides.h"
#include "core/exec/narrowed.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace secateur {
namespace {

using Values = std::vector<RuntimeValue>;
constexpr std::size_t kMostNamed = 3; ///< outputs without a partner that are named in a sentence

/// Which inputs both models run on once.
struct SetPlan {
    std::string text; ///< "random inputs, seed 3"
    std::uint64_t seed = 0;
    std::optional<EdgePattern> pattern;
    const OwnInputs* own = nullptr;
    std::int64_t batch = 0;

    /// A model may refuse what lies at an edge.
    [[nodiscard]] bool isEdge() const { return pattern.has_value() || batch > 0; }
};

/// The inputs of one run of both models.
struct InputSet {
    Values first, second;
};

/// Where each input of the second model comes from.
struct InputPlan {
    std::vector<std::size_t> fromFirst; ///< by input of the second model: input of the first, or kNone
    std::vector<std::size_t> own;       ///< inputs of the second model that only it has
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

std::map<std::string, std::size_t, std::less<>> inputsByName(const Model& model) {
    std::map<std::string, std::size_t, std::less<>> byName;
    std::size_t position = 0;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        byName.emplace(std::string(model.name(input)), position++);
    return byName;
}

/// Initializers of the main graph by name.
std::map<std::string, ValueId, std::less<>> initializersByName(const Model& model) {
    std::map<std::string, ValueId, std::less<>> byName;
    for (const ValueId value : model.graph(model.mainGraph()).initializers)
        if (model.isAlive(value)) byName.emplace(std::string(model.name(value)), value);
    return byName;
}

/// What both models allow an input to hold.
InputDomain narrower(const InputDomain& a, const InputDomain& b) {
    InputDomain both = a.kind == InputDomain::Kind::any ? b : a;
    both.input = a.input;
    if (a.lowest && b.lowest) both.lowest = std::max(*a.lowest, *b.lowest);
    if (a.highest && b.highest) both.highest = std::min(*a.highest, *b.highest);
    return both;
}

class Comparison {
  public:
    Comparison(const Job& job, const WorkContext& work)
        : m_job(job), m_work(work), m_pool(job.limits.memoryBytes) {}

    Result<JobAnswer> run() {
        m_first = TRY(JobModel::load(m_job, 0));
        m_second = TRY(JobModel::load(m_job, 1));
        TRY(narrowSecond(m_second));
        TRY(narrowFirst());
        TRY(matchOutputs());
        TRY(m_first.start(m_job, 0, m_pool));
        TRY(m_second.start(m_job, 1, m_pool));
        planInputs();
        const std::vector<SetPlan> plans = planSets();
        std::vector<BackendRun> runs[2];
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (m_work.isCancelled()) return cancelled();
            m_work.report("exec.phase.compare", i, plans.size());
            TRY(runSet(plans[i], runs));
        }
        if (m_telling == 0 && m_mute > 0 && m_answer.unmatched.empty())
            return Error{
                ErrorCode::verification, formatMessage("exec.nothing-finite", {std::to_string(m_mute)}), {}};
        tellGiven(m_first.model(), m_second.model(), 0);
        tellGiven(m_second.model(), m_first.model(), 1);
        m_answer.runs = {m_first.facts(runs[0]), m_second.facts(runs[1])};
        // What runs from here on has the memory to itself.
        m_first.backend.reset();
        m_second.backend.reset();
        m_answer.sides = TRY(runSides());
        if (!m_differing || m_job.device == Device::ort) return std::move(m_answer);
        // That the models differ is known. Where they part takes more memory, and may stay unknown.
        const auto found = findFirst(*m_differing);
        if (!found && found.error().code == ErrorCode::cancelled) return found.error();
        return std::move(m_answer);
    }

  private:
    /// Where the first model's outputs are inner values of the second, they become its outputs.
    Result<void> narrowSecond(JobModel& second) const {
        const Model& model = second.model();
        const std::vector<std::string> outputs = second.outputNames();
        std::vector<ValueId> wanted;
        bool isAnyInner = false;
        for (const std::string& name : m_first.outputNames()) {
            if (const auto at = std::find(outputs.begin(), outputs.end(), name); at != outputs.end()) {
                wanted.push_back(
                    model.graphOutputs(model.mainGraph())[static_cast<std::size_t>(at - outputs.begin())]);
                continue;
            }
            const ValueId inner = name.empty() ? ValueId() : model.findValue(name, model.mainGraph());
            if (inner.isNone() || model.producer(inner).isNone()) continue;
            wanted.push_back(inner);
            isAnyInner = true;
        }
        // What is compared by several models is all that is asked for: a backward half does not run.
        // Under other names they are paired by position, for which all have to stay.
        const bool isWhole = wanted.size() == m_first.outputNames().size();
        if (!isAnyInner && (m_job.sides.empty() || !isWhole)) return {};
        return second.narrow(wanted, m_job.device);
    }

    /// Where a cut model was given second, what it gives is all that is compared: its outputs, which are
    /// outputs or inner values of the first, become those of the first. Where only inner values fit, the
    /// others may have other names.
    Result<void> narrowFirst() {
        const std::vector<std::string> first = m_first.outputNames(), second = m_second.outputNames();
        const Model& model = m_first.model();
        std::vector<ValueId> wanted;
        bool isAnyShared = false;
        for (const std::string& name : second) {
            const bool isShared = std::find(first.begin(), first.end(), name) != first.end();
            const ValueId value = valueNamed(model, name);
            isAnyShared = isAnyShared || isShared;
            // A value without a node is an input, which says nothing about the model.
            if (!value.isNone() && (isShared || !model.producer(value).isNone())) wanted.push_back(value);
        }
        const bool isCut = wanted.size() == second.size() && first.size() > second.size();
        if (wanted.empty() || (isAnyShared && !isCut)) return {};
        for (const std::string& name : first)
            if (std::find(second.begin(), second.end(), name) == second.end())
                m_answer.onlyInFirst.push_back(name);
        tellOnlyIn(m_answer.onlyInFirst, 0);
        m_answer.mismatch = m_answer.notes.back();
        return m_first.narrow(wanted, m_job.device);
    }

    Result<void> matchOutputs() {
        const std::vector<std::string> first = m_first.outputNames(), second = m_second.outputNames();
        std::map<std::string, std::size_t, std::less<>> byName;
        for (std::size_t i = 0; i < second.size(); ++i)
            byName.emplace(second[i], i);
        for (std::size_t i = 0; i < first.size(); ++i)
            if (const auto at = byName.find(first[i]); at != byName.end()) match(first[i], i, at->second);
        if (m_outputs.empty() && first.size() == second.size())
            for (std::size_t i = 0; i < first.size(); ++i) {
                match(first[i], i, i);
                m_answer.notes.push_back(formatMessage("exec.paired-by-position", {first[i], second[i]}));
            }
        if (m_outputs.empty()) return usageError(std::string(message("exec.no-common-output")));
        const auto tellOnly = [&](const std::vector<std::string>& names, bool isFirst) {
            std::vector<std::string> only;
            for (std::size_t i = 0; i < names.size(); ++i) {
                const bool isMatched = std::any_of(m_outputs.begin(), m_outputs.end(), [&](const auto& pair) {
                    return (isFirst ? pair.first : pair.second) == i;
                });
                if (!isMatched) only.push_back(names[i]);
            }
            if (only.empty()) return;
            auto& known = isFirst ? m_answer.onlyInFirst : m_answer.onlyInSecond;
            known.insert(known.end(), only.begin(), only.end());
            tellOnlyIn(only, isFirst ? 0 : 1);
            if (!isFirst) return;
            m_answer.unmatched = only;
            m_answer.mismatch = m_answer.notes.back();
        };
        tellOnly(first, true);
        tellOnly(second, false);
        return {};
    }

    /// What keeps the models from being called equal, whatever the numbers say.
    void tellMismatch(std::string text) {
        if (m_answer.mismatch.empty()) m_answer.mismatch = text;
        m_answer.notes.push_back(std::move(text));
    }

    /// Outputs that one model alone has.
    void tellOnlyIn(const std::vector<std::string>& only, std::size_t which) {
        std::string list = quotedList(std::span(only).first(std::min(kMostNamed, only.size())));
        if (only.size() > kMostNamed)
            list = formatMessage("text.and-more", {list, formatCount(only.size() - kMostNamed)});
        m_answer.notes.push_back(formatMessage(
            "exec.outputs-only-in", {formatCount(only.size()), m_job.paths[which].string(), list}));
    }

    void match(const std::string& name, std::size_t first, std::size_t second) {
        m_outputs.emplace_back(first, second);
        ComparedOutput output;
        output.name = name;
        m_answer.compared.push_back(std::move(output));
    }

    void planInputs() {
        const auto byName = inputsByName(m_first.model());
        std::size_t position = 0;
        for (const ValueId input : m_second.model().graphInputs(m_second.model().mainGraph())) {
            const auto at = byName.find(m_second.model().name(input));
            m_plan.fromFirst.push_back(at == byName.end() ? InputPlan::kNone : at->second);
            if (at == byName.end()) {
                m_plan.own.push_back(position);
            } else {
                InputDomain& domain = m_first.domains[at->second];
                domain = narrower(domain, m_second.domains[position]);
            }
            ++position;
        }
    }

    /// They give what the two compare, by the names of the first.
    Result<std::vector<SideAnswer>> runSides() {
        std::vector<std::string> names;
        for (const ComparedOutput& output : m_answer.compared)
            names.push_back(output.name);
        return runSideModels(m_job, m_work, m_pool, names, std::exchange(m_ran, {}));
    }

    /// How long the two ran, and the side models are going to: each of them is about as large as one of the
    /// two.
    [[nodiscard]] double secondsWithSides() const {
        const auto takesAll = [](const SideModel& side) { return side.sets == SideModel::Sets::all; };
        const auto sides = std::count_if(m_job.sides.begin(), m_job.sides.end(), takesAll);
        return m_ranSeconds * (1 + static_cast<double>(sides) / 2);
    }

    [[nodiscard]] std::vector<SetPlan> planSets() const {
        std::vector<SetPlan> plans;
        const std::uint64_t seed = m_job.inputs.seed;
        for (const OwnInputs& own : m_job.own)
            plans.push_back({ownText(own), seed, {}, &own});
        InputRequest fitting = m_job.inputs;
        fit(fitting, m_first.model(), m_second.model());
        const bool hasBatch = m_job.hasEdgeInputs && hasFreeBatch(m_first.model(), fitting);
        const auto batchText = [&](std::uint64_t number, std::int64_t size) {
            return formatMessage("exec.random-batch", {std::to_string(number), std::to_string(size)});
        };
        if (!m_job.inputs.folder.empty())
            plans.push_back({m_job.inputs.folder.string(), seed, {}});
        else
            for (std::uint32_t i = 0; i < m_job.count; ++i)
                plans.push_back({hasBatch ? batchText(seed + i, m_job.inputs.freeDim)
                                          : formatMessage("exec.random-inputs", {std::to_string(seed + i)}),
                                 seed + i,
                                 {}});
        if (!m_job.hasEdgeInputs) return plans;
        if (hasBatch) plans.push_back({batchText(seed, kEdgeBatch), seed, {}, nullptr, kEdgeBatch});
        for (const EdgePattern pattern : kEdgePatterns)
            plans.push_back({std::string(message(edgePatternId(pattern))), seed, pattern});
        return plans;
    }

    /// "own inputs of DIR", "own inputs x, mask".
    static std::string ownText(const OwnInputs& own) {
        std::string names = own.folder.string();
        for (const auto& file : own.files)
            names += (names.empty() ? "`" : ", `") + file.first + "`";
        return formatMessage("exec.own-inputs", {names});
    }

    /// Is the folder numbered over the inputs of the second model, which has more of them?
    [[nodiscard]] bool isForSecond(const std::filesystem::path& folder) const {
        const auto count = [](const Model& model) { return model.graphInputs(model.mainGraph()).size(); };
        const std::size_t files = numberedFiles(folder, "input_").size();
        return files > count(m_first.model()) && files <= count(m_second.model());
    }

    /// The values of one set: those of the first model by the request; of the second the same where the names
    /// are, else its own. None where no input takes the pattern.
    Result<std::optional<InputSet>> makeSet(const SetPlan& plan) {
        InputSet set;
        InputRequest first = m_job.inputs, second = m_job.inputs;
        first.seed = second.seed = plan.seed;
        first.batch = second.batch = plan.batch;
        if (plan.own != nullptr) {
            first.folder = second.folder = plan.own->folder;
            for (InputRequest* request : {&first, &second})
                giveOwn(*request, *plan.own);
        }
        const InputRequest asked = first;
        fit(first, m_first.model(), m_second.model());
        fit(second, m_second.model(), m_first.model());
        TRY(refuseUnknown(asked, first, second));
        // A folder numbers the inputs of the first model, or all those of the second: what only the other
        // has is random.
        const bool isOfSecond = plan.own != nullptr && isForSecond(plan.own->folder);
        (isOfSecond ? first : second).folder.clear();
        set.first = TRY(makeInputs(m_first.model(), m_first.domains, first, m_pool));
        if (plan.pattern) {
            const bool isAny = TRY(applyPattern(set.first, m_first.domains,
                                                namedInputs(m_first.model(), first), *plan.pattern, m_pool));
            if (!isAny) return std::optional<InputSet>();
        }
        TRY(giveInitializers(m_first.model(), m_second.model(), set.first));
        set.second = TRY(makeInputs(m_second.model(), m_second.domains, second, m_pool));
        for (std::size_t i = 0; i < set.second.size(); ++i) {
            if (m_plan.fromFirst[i] == InputPlan::kNone) continue;
            RuntimeValue& twin = set.first[m_plan.fromFirst[i]];
            if (isOfSecond && !set.second[i].isAbsent())
                twin = set.second[i];
            else if (!twin.isAbsent())
                set.second[i] = twin;
        }
        TRY(giveInitializers(m_second.model(), m_first.model(), set.second));
        return std::optional(std::move(set));
    }

    /// What a person gives goes before the ranges that random numbers keep to.
    static void giveOwn(InputRequest& request, const OwnInputs& own) {
        std::erase_if(request.named, [&](const auto& named) {
            return !own.folder.empty() ||
                   std::any_of(own.files.begin(), own.files.end(),
                               [&](const auto& file) { return file.first == named.first; });
        });
        request.named.insert(request.named.end(), own.files.begin(), own.files.end());
    }

    /// Leaves of the named inputs and bindings those that the model has, and takes the size of a free
    /// dimension from the other model where that says one.
    static void fit(InputRequest& request, const Model& model, const Model& other) {
        const auto byName = inputsByName(model);
        std::erase_if(request.named, [&](const auto& named) {
            return !byName.contains(named.first) && !startsWithInput(named, byName);
        });
        const std::map<std::string, std::int64_t> asked = std::exchange(request.bindings, {});
        const auto others = inputsByName(other);
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            const auto at = others.find(model.name(input));
            const Type& type = model.declaredType(input);
            for (std::size_t d = 0; d < type.dims.size(); ++d) {
                if (type.dims[d].value.value_or(-1) >= 0) continue;
                const std::string symbol = dimensionName(model, input, d);
                if (const auto given = asked.find(symbol); given != asked.end()) {
                    request.bindings.insert(*given);
                } else if (at != others.end()) {
                    const Type& twin = other.declaredType(other.graphInputs(other.mainGraph())[at->second]);
                    if (d < twin.dims.size() && twin.dims[d].value.value_or(-1) >= 0)
                        request.bindings.emplace(symbol, *twin.dims[d].value);
                }
            }
        }
    }

    /// Names may hold `=`, at which what was asked for is cut too early.
    static bool startsWithInput(const std::pair<std::string, std::string>& named,
                                const std::map<std::string, std::size_t, std::less<>>& byName) {
        const std::string whole = named.first + "=" + named.second;
        return std::any_of(byName.begin(), byName.end(),
                           [&](const auto& input) { return whole.starts_with(input.first + "="); });
    }

    /// A named input or binding that neither model has: the first model says which are near.
    Result<void> refuseUnknown(const InputRequest& asked, const InputRequest& first,
                               const InputRequest& second) {
        InputRequest alone;
        for (const auto& named : asked.named) {
            const auto isIn = [&](const InputRequest& kept) {
                return std::find(kept.named.begin(), kept.named.end(), named) != kept.named.end();
            };
            if (!isIn(first) && !isIn(second)) alone.named = {named};
        }
        for (const auto& bound : asked.bindings)
            if (!first.bindings.contains(bound.first) && !second.bindings.contains(bound.first))
                alone.bindings.insert(bound);
        if (alone.named.empty() && alone.bindings.empty()) return {};
        return makeInputs(m_first.model(), m_first.domains, alone, m_pool).error();
    }

    /// Inputs of `model` that are initializers of `other`: position and initializer.
    static std::vector<std::pair<std::size_t, ValueId>> heldByOther(const Model& model, const Model& other) {
        const auto byName = initializersByName(other);
        std::vector<std::pair<std::size_t, ValueId>> held;
        std::size_t position = 0;
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            const std::size_t i = position++;
            const auto at = byName.find(model.name(input));
            if (at == byName.end() || other.isGraphInput(at->second) || model.isInitializer(input)) continue;
            held.emplace_back(i, at->second);
        }
        return held;
    }

    /// They get their values.
    Result<void> giveInitializers(const Model& model, const Model& other, Values& values) {
        for (const auto& [position, initializer] : heldByOther(model, other))
            values[position] = TRY(TensorData::from(m_pool, *other.value(initializer).tensor));
        return {};
    }

    /// Weights that one model takes from the other are the same in both, whatever they are: that is said.
    void tellGiven(const Model& model, const Model& other, std::size_t which) {
        const std::size_t given = heldByOther(model, other).size();
        if (given == 0) return;
        m_answer.notes.push_back(
            formatMessage("exec.weights-given", {formatCount(given), m_job.paths[which].string(),
                                                 m_job.paths[1 - which].string()}));
    }

    Result<void> runSet(const SetPlan& plan, std::vector<BackendRun> (&runs)[2]) {
        std::optional<InputSet> set = TRY(makeSet(plan));
        if (!set) { // then none takes the other patterns, and once is enough to say so
            if (!std::exchange(m_isNoFloatTold, true))
                m_answer.skippedSets.emplace_back(message("exec.set-no-float"));
            return {};
        }
        if (plan.isEdge() && m_job.edgeSeconds > 0 && secondsWithSides() > m_job.edgeSeconds) {
            m_answer.skippedSets.push_back(
                formatMessage("exec.set-no-time", {plan.text, formatSeconds(m_job.edgeSeconds)}));
            return {};
        }
        RanSet ran;
        if (!m_job.sides.empty()) ran = ranSet(plan, set->first, set->second);
        auto first = m_first.backend->run({std::move(set->first)}, m_work);
        auto second = m_second.backend->run({std::move(set->second)}, m_work);
        if (plan.isEdge() && first.ok() != second.ok() && !isCancelled(first) && !isCancelled(second)) {
            const Error& refused = first ? second.error() : first.error();
            tellMismatch(formatMessage("exec.set-refused-by-one",
                                       {plan.text, m_job.paths[first ? 1 : 0].string(), refused.toString()}));
            m_answer.unmatched.push_back(plan.text);
            return {};
        }
        for (const auto* each : {&first, &second}) {
            if (*each) continue;
            if (each->error().code == ErrorCode::cancelled) return each->error();
            if (!plan.isEdge()) return withGuesses(each->error(), guesses());
            m_answer.skippedSets.push_back(
                formatMessage("exec.set-skipped", {plan.text, each->error().toString()}));
            return {};
        }
        std::vector<ValueDifference> differences;
        for (const auto& [ofFirst, ofSecond] : m_outputs)
            differences.push_back(compareValues(first->front().outputs[ofFirst],
                                                second->front().outputs[ofSecond], m_job.tolerance));
        ++(isEvidence(differences) ? m_telling : m_mute);
        if (!isEvidence(differences) && !plan.pattern) { // at an edge it is what is looked for
            m_answer.skippedSets.push_back(formatMessage("exec.set-not-finite", {plan.text}));
            return {};
        }
        const bool isFirstSet = m_answer.sets.empty();
        m_answer.sets.push_back(plan.text);
        for (std::size_t o = 0; o < m_outputs.size(); ++o) {
            const ValueDifference& found = differences[o];
            ComparedOutput& output = m_answer.compared[o];
            if (isFirstSet || isWorse(found, output.worst)) output.worstSet = plan.text;
            joinWorse(output.worst, found);
            if (!found.isWithin && !m_differing) m_differing = plan;
            ran.expected.emplace(output.name, second->front().outputs[m_outputs[o].second]);
        }
        m_ranSeconds += first->front().seconds + second->front().seconds;
        runs[0].push_back({{}, first->front().seconds});
        runs[1].push_back({{}, second->front().seconds});
        if (!m_job.sides.empty()) m_ran.push_back(std::move(ran));
        return {};
    }

    /// Free dimensions whose size neither a person nor the other model told.
    [[nodiscard]] std::vector<std::string> guesses() const {
        InputRequest request = m_job.inputs;
        fit(request, m_first.model(), m_second.model());
        return guessedDimensions(m_first.model(), request);
    }

    static bool isCancelled(const Result<std::vector<BackendRun>>& ran) {
        return !ran && ran.error().code == ErrorCode::cancelled;
    }

    /// Where both give nothing but NaN and infinities, anything would agree. No elements are another matter.
    static bool isEvidence(const std::vector<ValueDifference>& differences) {
        ValueDifference all;
        for (const ValueDifference& found : differences)
            joinWorse(all, found);
        return !all.isWithin || all.telling > 0 || all.elements == 0;
    }

    static bool isWorse(const ValueDifference& a, const ValueDifference& b) {
        if (a.isWithin != b.isWithin) return !a.isWithin;
        if (a.isSameBits != b.isSameBits) return !a.isSameBits;
        return a.maxAbsolute > b.maxAbsolute;
    }

    /// What the side models need to know of a set that both models ran on.
    RanSet ranSet(const SetPlan& plan, const Values& inputsOfFirst, const Values& inputsOfSecond) const {
        RanSet ran{plan.text, plan.seed, plan.pattern.has_value(), {}, {}};
        const auto add = [&](const Model& model, const Values& values) {
            std::size_t position = 0;
            for (const ValueId input : model.graphInputs(model.mainGraph())) {
                const RuntimeValue& value = values[position++];
                if (!value.isAbsent()) ran.inputs.emplace(std::string(model.name(input)), value);
            }
        };
        add(m_first.model(), inputsOfFirst);
        add(m_second.model(), inputsOfSecond);
        return ran;
    }

    /// Where they part, on the first set of inputs that shows it.
    Result<void> findFirst(const SetPlan& plan) {
        const std::optional<InputSet> set = TRY(makeSet(plan));
        const RanSet ran = ranSet(plan, set->first, set->second);
        m_answer.first =
            TRY(findFirstDifference(m_job, m_pool, m_second.outputNames(), set->first, ran, m_work));
        return {};
    }

    const Job& m_job;
    const WorkContext& m_work;
    MemoryPool m_pool;
    JobModel m_first, m_second;
    std::vector<RanSet> m_ran; ///< for the side models
    InputPlan m_plan;
    std::vector<std::pair<std::size_t, std::size_t>> m_outputs; ///< positions in the first and the second
    bool m_isNoFloatTold = false;
    std::size_t m_telling = 0, m_mute = 0; ///< sets that prove something, and those that cannot
    double m_ranSeconds = 0;
    std::optional<SetPlan> m_differing; ///< the first set on which something is not within the tolerance
    JobAnswer m_answer;
};

std::string resultName(const Model& model, NodeId node, std::size_t slot) {
    const ValueId value = model.output(node, slot);
    return value.isNone() ? std::string() : std::string(model.name(value));
}

/// Makes the values of these names the outputs of a model, where it has them all.
Result<void> narrowToNames(JobModel& model, const std::vector<std::string>& names, Device device) {
    if (model.outputNames() == names) return {};
    std::vector<ValueId> wanted;
    for (const std::string& name : names) {
        wanted.push_back(valueNamed(model.model(), name));
        if (wanted.back().isNone()) return {};
    }
    return model.narrow(wanted, device);
}

} // namespace

Result<std::optional<FirstDifference>> findFirstDifference(const Job& job, const MemoryPool& pool,
                                                           const std::vector<std::string>& outputs,
                                                           const Values& inputs, const RanSet& set,
                                                           const WorkContext& work) {
    // By name and how often it came: a body runs more than once.
    std::unordered_map<std::string, Values> expected;
    const auto keep = [&](const Model& model, NodeId node, std::span<const RuntimeValue> results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            if (const std::string name = resultName(model, node, i); !name.empty())
                expected[name].push_back(results[i]);
    };
    JobModel second = TRY(JobModel::load(job, 1));
    TRY(narrowToNames(second, outputs, job.device));
    TRY(second.start(job, 1, pool, keep));
    Values given;
    for (const ValueId input : second.model().graphInputs(second.model().mainGraph())) {
        const auto at = set.inputs.find(second.model().name(input));
        given.push_back(at == set.inputs.end() ? RuntimeValue() : at->second);
    }
    TRY(second.backend->run({std::move(given)}, work));
    std::optional<FirstDifference> first;
    std::unordered_map<std::string, std::size_t> seen;
    const auto look = [&](const Model& model, NodeId node, std::span<const RuntimeValue> results) {
        for (std::size_t i = 0; i < results.size() && !first; ++i) {
            const std::string name = resultName(model, node, i);
            const auto at = expected.find(name);
            if (name.empty() || at == expected.end()) continue;
            const std::size_t turn = seen[name]++;
            if (turn >= at->second.size()) continue;
            const ValueDifference found = compareValues(results[i], at->second[turn], job.tolerance);
            if (!found.isWithin) first = FirstDifference{name, nodeText(model, node), found, set.text};
        }
    };
    JobModel model = TRY(JobModel::load(job, 0));
    TRY(model.start(job, 0, pool, look));
    TRY(model.backend->run({inputs}, work));
    return first;
}

Result<JobAnswer> compareModels(const Job& job, const WorkContext& work) {
    return Comparison(job, work).run();
}

} // namespace secateur
