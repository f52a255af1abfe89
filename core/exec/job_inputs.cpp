// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_inputs.h"

#include "core/analysis/reachability.h"
#include "core/exec/input_choices.h"
#include "core/messages/messages.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace secateur {
namespace {

using Values = std::vector<RuntimeValue>;

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
    both.choices = a.choices;
    for (const double choice : b.choices)
        if (std::find(a.choices.begin(), a.choices.end(), choice) == a.choices.end() &&
            both.choices.size() < kMostChoices)
            both.choices.push_back(choice);
    return both;
}

/// "own inputs of DIR", "own inputs x, mask".
std::string ownText(const OwnInputs& own) {
    std::string names = own.folder.string();
    for (const auto& file : own.files)
        names += (names.empty() ? "`" : ", `") + file.first + "`";
    return formatMessage("exec.own-inputs", {names});
}

/// What a person gives goes before the ranges that random numbers keep to.
void giveOwn(InputRequest& request, const OwnInputs& own) {
    std::erase_if(request.named, [&](const auto& named) {
        return !own.folder.empty() || std::any_of(own.files.begin(), own.files.end(), [&](const auto& file) {
            return file.first == named.first;
        });
    });
    request.named.insert(request.named.end(), own.files.begin(), own.files.end());
}

/// Names may hold `=`, at which what was asked for is cut too early.
bool startsWithInput(const std::pair<std::string, std::string>& named,
                     const std::map<std::string, std::size_t, std::less<>>& byName) {
    const std::string whole = named.first + "=" + named.second;
    return std::any_of(byName.begin(), byName.end(),
                       [&](const auto& input) { return whole.starts_with(input.first + "="); });
}

/// Leaves of the named inputs and bindings those that the model has, and takes the size of a free
/// dimension from the other model where that says one.
void fit(InputRequest& request, const Model& model, const Model& other) {
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

/// Inputs of `model` that are initializers of `other`: position and initializer.
std::vector<std::pair<std::size_t, ValueId>> heldByOther(const Model& model, const Model& other) {
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

/// Is it an integer input of which nothing says what it may hold?
bool isOpenInteger(const JobModel& model, std::size_t position) {
    const ValueId input = model.model().graphInputs(model.model().mainGraph())[position];
    if (model.model().isInitializer(input)) return false;
    switch (model.model().declaredType(input).element) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::int32:
    case ElementType::int64:
        return model.domains[position].kind == InputDomain::Kind::any &&
               model.domains[position].choices.empty();
    default: return false;
    }
}

} // namespace

PairedInputs::PairedInputs(const Job& job, JobModel& first, JobModel& second, MemoryPool& pool)
    : m_job(job), m_first(first), m_second(second), m_pool(pool) {
    const auto byName = inputsByName(m_first.model());
    std::size_t position = 0;
    for (const ValueId input : m_second.model().graphInputs(m_second.model().mainGraph())) {
        const auto at = byName.find(m_second.model().name(input));
        m_fromFirst.push_back(at == byName.end() ? kNone : at->second);
        if (at != byName.end()) {
            InputDomain& domain = m_first.domains[at->second];
            domain = narrower(domain, m_second.domains[position]);
        }
        ++position;
    }
}

std::vector<SetPlan> PairedInputs::plan() const {
    std::vector<SetPlan> plans;
    const std::uint64_t seed = m_job.inputs.seed;
    for (const OwnInputs& own : m_job.own)
        plans.push_back({ownText(own), seed, {}, &own});
    InputRequest fitting = m_job.inputs;
    fit(fitting, m_first.model(), m_second.model());
    const bool hasBatch = m_job.hasEdgeInputs && hasFreeBatch(m_first.model(), fitting);
    const std::int64_t batch = m_choice.batch > 0  ? m_choice.batch
                               : m_choice.free > 0 ? m_choice.free
                                                   : m_job.inputs.freeDim;
    if (!m_job.inputs.folder.empty()) {
        plans.push_back({m_job.inputs.folder.string(), seed, {}});
    } else {
        const std::size_t asked = m_job.count;
        for (std::size_t i = 0; i < std::max(asked, turns()); ++i) {
            plans.push_back(randomPlan(i, batch, hasBatch || batch > 1));
            plans.back().isExtra = i >= asked;
        }
    }
    if (!m_job.hasEdgeInputs) return plans;
    if (hasBatch) {
        SetPlan several = randomPlan(0, kEdgeBatch, true);
        several.batch = kEdgeBatch;
        plans.push_back(std::move(several));
    }
    for (const EdgePattern pattern : kEdgePatterns)
        plans.push_back({std::string(message(edgePatternId(pattern))), seed, pattern});
    return plans;
}

SetPlan PairedInputs::randomPlan(std::size_t turn, std::int64_t batch, bool hasBatch) const {
    SetPlan plan;
    plan.seed = m_job.inputs.seed + turn;
    plan.turn = turn;
    plan.text = randomText(plan, batch, hasBatch);
    return plan;
}

std::vector<SetPlan> PairedInputs::widePlan() const {
    if (!m_job.inputs.folder.empty() || !m_job.own.empty()) return {};
    std::vector<SetPlan> plans;
    for (const std::size_t turn : {0U, 1U}) {
        SetPlan plan = randomPlan(turn, m_choice.batch, m_choice.batch > 1);
        plan.text += message("exec.random-wide");
        plan.isExtra = plan.hasWideFloats = true;
        plans.push_back(std::move(plan));
    }
    return plans;
}

std::size_t PairedInputs::turns() const {
    return turnsOf(m_first.model(), m_first.domains, requested());
}

/// Is the folder numbered over the inputs of the second model, which has more of them?
bool PairedInputs::isForSecond(const std::filesystem::path& folder) const {
    const auto count = [](const Model& model) { return model.graphInputs(model.mainGraph()).size(); };
    const std::size_t files = numberedFiles(folder, "input_").size();
    return files > count(m_first.model()) && files <= count(m_second.model());
}

Result<std::optional<InputSet>> PairedInputs::make(const SetPlan& plan) {
    InputSet set;
    InputRequest first = plan.own == nullptr ? requested() : m_job.inputs, second = first;
    first.seed = second.seed = plan.seed;
    first.turn = second.turn = plan.turn;
    first.hasWideFloats = second.hasWideFloats = plan.hasWideFloats;
    first.batch = second.batch = plan.batch > 0 || plan.own != nullptr ? plan.batch : m_choice.batch;
    if (plan.own != nullptr) {
        first.folder = second.folder = plan.own->folder;
        for (InputRequest* request : {&first, &second})
            giveOwn(*request, *plan.own);
    }
    if (plan.own != nullptr) TRY(takeSizes(first));
    second.bindings = first.bindings;
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
        const bool isAny = TRY(applyPattern(set.first, m_first.domains, namedInputs(m_first.model(), first),
                                            *plan.pattern, m_pool));
        if (!isAny) return std::optional<InputSet>();
    }
    TRY(giveInitializers(m_first.model(), m_second.model(), set.first));
    set.second = TRY(makeInputs(m_second.model(), m_second.domains, second, m_pool));
    for (std::size_t i = 0; i < set.second.size(); ++i) {
        if (m_fromFirst[i] == kNone) continue;
        RuntimeValue& twin = set.first[m_fromFirst[i]];
        if (isOfSecond && !set.second[i].isAbsent())
            twin = set.second[i];
        else if (!twin.isAbsent())
            set.second[i] = twin;
    }
    TRY(giveInitializers(m_second.model(), m_first.model(), set.second));
    return std::optional(std::move(set));
}

/// What a person's files say of a size goes before what is bound, and holds for the random sets that follow
/// unless something is bound there. Batches do not: they are tried in several sizes.
Result<void> PairedInputs::takeSizes(InputRequest& request) {
    InputRequest files = request;
    const Model& model = isForSecond(request.folder) ? m_second.model() : m_first.model();
    fit(files, model, m_first.model());
    const auto sizes = TRY(sizesOfFiles(model, files, m_pool));
    std::set<std::string, std::less<>> batches;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        if (!model.declaredType(input).dims.empty()) batches.insert(dimensionName(model, input, 0));
    for (const auto& [name, size] : sizes) {
        request.bindings.erase(name);
        if (!batches.contains(name)) m_sizes.emplace(name, size);
    }
    return {};
}

/// What is asked for, and of what is not the sizes of the person's own inputs.
InputRequest PairedInputs::asked() const {
    InputRequest request = m_job.inputs;
    for (const auto& [name, size] : m_sizes)
        request.bindings.emplace(name, size);
    return request;
}

/// The same for random inputs, with what was chosen where nobody said anything.
InputRequest PairedInputs::requested() const {
    InputRequest request = asked();
    if (m_choice.free > 0) request.freeDim = m_choice.free;
    for (const auto& [name, size] : m_choice.sizes)
        request.bindings.emplace(name, size);
    if (!m_choice.hasWideIntegers) return request;
    const std::vector<bool> isNamed = namedInputs(m_first.model(), request);
    std::size_t position = 0;
    for (const ValueId input : m_first.model().graphInputs(m_first.model().mainGraph())) {
        const std::size_t i = position++;
        if (isNamed[i] || !isOpenInteger(m_first, i)) continue;
        const bool isSigned = m_first.model().declaredType(input).element == ElementType::int8;
        request.named.emplace_back(std::string(m_first.model().name(input)), isSigned ? "-128:127" : "0:255");
    }
    return request;
}

/// Free dimensions that nobody told: those of batches, or the others. The only dimension of a vector is as
/// likely a length as a batch.
std::vector<std::string> PairedInputs::openNames(bool areBatches) const {
    const std::vector<std::string> open = guesses();
    const Model& model = m_first.model();
    std::set<std::string> batches;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        if (model.declaredType(input).dims.size() > 1) batches.insert(dimensionName(model, input, 0));
    std::vector<std::string> names;
    std::copy_if(open.begin(), open.end(), std::back_inserter(names),
                 [&](const std::string& name) { return batches.contains(name) == areBatches; });
    return names;
}

std::vector<OpenChoice> PairedInputs::openChoices() const {
    const InputRequest& said = m_job.inputs;
    if (!said.folder.empty() || !m_job.own.empty() || said.freeDim != 1 || said.batch > 0) return {};
    const std::vector<std::string> open = openNames(false);
    const bool hasBatches = !openNames(true).empty();
    bool hasIntegers = false;
    for (std::size_t i = 0; i < m_first.model().graphInputs(m_first.model().mainGraph()).size(); ++i)
        hasIntegers |= isOpenInteger(m_first, i);
    if (open.empty() && !hasBatches && !hasIntegers) return {};
    // Sizes that differ: an axis that is taken for another one, or a step over time, shows.
    constexpr std::array<std::int64_t, 8> kPrimes{3, 5, 7, 11, 13, 17, 19, 23};
    OpenChoice telling;
    for (std::size_t i = 0; i < open.size(); ++i)
        telling.sizes.emplace(open[i], kPrimes[i % kPrimes.size()]);
    // Batches of one are tried as well where edges are.
    telling.batch = hasBatches && !m_job.hasEdgeInputs ? 2 : 1;
    std::vector<OpenChoice> choices;
    if (hasIntegers) {
        choices.push_back(telling);
        choices.back().hasWideIntegers = true;
    }
    choices.push_back(telling);
    if (telling.batch > 1) choices.push_back({telling.sizes, 0, 1, false});
    if (open.empty()) return choices;
    // A recording of a few samples, a picture of a few dots: many models refuse that. One of the dimensions
    // may be long where the others are not.
    const auto alike = [&](std::int64_t size, std::int64_t batch) {
        choices.push_back({{}, size, size == batch ? 0 : batch, false});
    };
    constexpr std::size_t kMostNames = 4;
    for (const std::int64_t size : {8, 64, 256, 512, 1024, 16384}) {
        alike(size, 1);
        if (open.size() < 2) continue;
        for (std::size_t i = 0; i < std::min(open.size(), kMostNames); ++i)
            choices.push_back({{{open[i], size}}, 1, 1, false});
    }
    alike(64, 64);
    alike(1, 1);
    return choices;
}

/// ", `sr` = 16000" for what single inputs hold in a turn.
std::string PairedInputs::choicesText(std::size_t turn) const {
    constexpr std::size_t kMostNames = 3;
    InputRequest request = requested();
    fit(request, m_first.model(), m_second.model());
    request.turn = turn;
    const auto choices = choicesOf(m_first.model(), m_first.domains, request);
    std::string text;
    std::size_t position = 0, shown = 0;
    for (const ValueId input : m_first.model().graphInputs(m_first.model().mainGraph())) {
        const auto& choice = choices[position++];
        if (!choice) continue;
        if (++shown > kMostNames) return text + std::string(message("exec.random-more"));
        text += formatMessage("exec.random-choice", {printable(std::string(m_first.model().name(input))),
                                                     fmt::format("{}", *choice)});
    }
    return text;
}

/// "random inputs, seed 3, batch of 2, `t` of 5".
std::string PairedInputs::randomText(const SetPlan& plan, std::int64_t batch, bool hasBatch) const {
    constexpr std::size_t kMostNames = 3;
    std::string text = formatMessage("exec.random-inputs", {std::to_string(plan.seed)});
    text += choicesText(plan.turn);
    if (hasBatch) text += formatMessage("exec.random-batch", {std::to_string(batch)});
    if (m_choice.free > 1) text += formatMessage("exec.random-sizes", {std::to_string(m_choice.free)});
    std::size_t shown = 0;
    for (const auto& [name, size] : m_choice.sizes) {
        if (++shown > kMostNames) return text + std::string(message("exec.random-more"));
        text += formatMessage("exec.random-size", {printable(name), std::to_string(size)});
    }
    return text;
}

/// A named input or binding that neither model has: the first model says which are near.
Result<void> PairedInputs::refuseUnknown(const InputRequest& asked, const InputRequest& first,
                                         const InputRequest& second) const {
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

/// They get their values.
Result<void> PairedInputs::giveInitializers(const Model& model, const Model& other, Values& values) const {
    // What a person gives is held against what the other model holds.
    const std::vector<bool> isNamed = namedInputs(model, m_job.inputs);
    for (const auto& [position, initializer] : heldByOther(model, other))
        if (!isNamed[position])
            values[position] = TRY(TensorData::from(m_pool, *other.value(initializer).tensor));
    return {};
}

std::vector<std::string> PairedInputs::guesses() const {
    InputRequest request = asked();
    fit(request, m_first.model(), m_second.model());
    return guessedDimensions(m_first.model(), request);
}

/// Inputs of one model that the other knows nothing of, that nobody gives, and that lead to its outputs:
/// their numbers are random, and a difference may come from that alone.
std::vector<std::string> PairedInputs::drawnAlone(std::size_t which) const {
    const Model& model = which == 0 ? m_first.model() : m_second.model();
    const Model& other = which == 0 ? m_second.model() : m_first.model();
    if (!m_job.inputs.folder.empty() || !m_job.own.empty()) return {}; // files may give them
    const auto inputs = inputsByName(other);
    const auto weights = initializersByName(other);
    std::vector<ValueId> outputs;
    for (const ValueId output : model.graphOutputs(model.mainGraph()))
        outputs.push_back(output);
    const Reachability reached = findReachable(model, outputs);
    const std::vector<bool> isNamed = namedInputs(model, m_job.inputs);
    std::vector<std::string> alone;
    std::size_t position = 0;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const bool isGiven = isNamed[position++] || model.isInitializer(input);
        if (isGiven || !reached.valueReached[input.index]) continue;
        std::string name(model.name(input));
        if (!inputs.contains(name) && !weights.contains(name)) alone.push_back(std::move(name));
    }
    return alone;
}

std::vector<std::string> PairedInputs::notes() const {
    std::vector<std::string> notes;
    constexpr std::size_t kMostNames = 3;
    const JobModel* const models[] = {&m_first, &m_second};
    for (const std::size_t i : {0U, 1U}) {
        // Weights that one model takes from the other are the same in both, whatever they are.
        const std::vector<bool> isNamed = namedInputs(models[i]->model(), m_job.inputs);
        auto held = heldByOther(models[i]->model(), models[1 - i]->model());
        std::erase_if(held, [&](const auto& input) { return isNamed[input.first]; });
        const std::size_t given = held.size();
        if (given > 0)
            notes.push_back(formatMessage("exec.weights-given", {formatCount(given), m_job.paths[i].string(),
                                                                 m_job.paths[1 - i].string()}));
        const std::vector<std::string> alone = drawnAlone(i);
        if (!alone.empty())
            notes.push_back(formatMessage("exec.drawn-alone",
                                          {formatCount(alone.size()), m_job.paths[i].string(),
                                           m_job.paths[1 - i].string(), quotedList(alone, kMostNames)}));
    }
    return notes;
}

} // namespace secateur
