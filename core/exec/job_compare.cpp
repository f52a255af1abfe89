// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_compare.h"

#include "core/exec/branch_log.h"
#include "core/exec/cells.h"
#include "core/exec/job_inputs.h"
#include "core/exec/job_outputs.h"
#include "core/exec/job_sides.h"
#include "core/exec/output_movement.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace secateur {
namespace {

using Values = std::vector<RuntimeValue>;

class Comparison {
  public:
    Comparison(const Job& job, const WorkContext& work)
        : m_job(job), m_work(work), m_pool(job.limits.memoryBytes) {}

    Result<JobAnswer> run() {
        m_first = TRY(JobModel::load(m_job, 0));
        m_second = TRY(JobModel::load(m_job, 1));
        m_outputs = TRY(pairOutputs(m_job, m_first, m_second, m_answer));
        TRY(m_first.start(m_job, 0, m_pool, listenerFor(0)));
        TRY(m_second.start(m_job, 1, m_pool, listenerFor(1)));
        m_inputs.emplace(m_job, m_first, m_second, m_pool);
        std::vector<std::size_t> watched;
        for (const auto& [ofFirst, ofSecond] : m_outputs)
            watched.push_back(ofSecond);
        m_movement.emplace(m_second.model(), watched);
        TRY(findSizes());
        for (BranchLog& branches : m_branches) // nothing was compared yet
            branches.keep(false);
        std::vector<BackendRun> runs[2];
        TRY(runSets(m_inputs->plan(), runs));
        // A model that small numbers do not move may be one for pictures.
        if (isAnyStill()) TRY(runSets(m_inputs->widePlan(), runs));
        if (m_answer.sets.empty() && m_answer.unmatched.empty() && m_refusal) return *m_refusal;
        tellBranches();
        TRY(weigh());
        for (std::string& note : m_inputs->notes())
            m_answer.notes.push_back(std::move(note));
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
    Result<void> runSets(const std::vector<SetPlan>& plans, std::vector<BackendRun> (&runs)[2]) {
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (m_work.isCancelled()) return cancelled();
            m_work.report("exec.phase.compare", i, plans.size());
            const std::size_t before = m_answer.sets.size();
            TRY(runSet(plans[i], runs));
            for (BranchLog& branches : m_branches)
                branches.keep(m_answer.sets.size() > before);
        }
        return {};
    }

    /// For the branches that run. The fast kernels leave out some of their work where someone listens.
    NodeListener listenerFor(std::size_t which) {
        if (m_job.device != Device::reference) return {};
        return [this, which](const Model& model, NodeId node, std::span<const RuntimeValue>) {
            m_branches[which].note(model, node);
        };
    }

    void tellBranches() {
        const bool hasOpenSizes = !m_inputs->guesses().empty();
        for (const BranchLog& branches : m_branches)
            for (std::string& text : branches.unentered(hasOpenSizes))
                if (std::find(m_answer.unentered.begin(), m_answer.unentered.end(), text) ==
                    m_answer.unentered.end())
                    m_answer.unentered.push_back(std::move(text));
    }

    /// Outputs on which the models agree and that have the same numbers whatever comes in.
    [[nodiscard]] bool isStill(std::size_t output) const {
        const ValueDifference& worst = m_answer.compared[output].worst;
        return worst.isWithin && worst.elements > 0 && worst.telling > 0 && m_movement->isStill(output);
    }
    [[nodiscard]] bool isAnyStill() const {
        for (std::size_t o = 0; o < m_outputs.size(); ++o)
            if (isStill(o)) return true;
        return false;
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

    /// What keeps the models from being called equal, whatever the numbers say.
    void tellMismatch(std::string text) {
        if (m_answer.mismatch.empty()) m_answer.mismatch = text;
        m_answer.notes.push_back(std::move(text));
    }

    /// Takes the first choice for what nobody said of random inputs at which all outputs of the second model
    /// move with them, else the one at which most do.
    Result<void> findSizes() {
        constexpr double kMostSeconds = 2; // for all of it
        std::optional<std::pair<std::size_t, OpenChoice>> best;
        double seconds = 0;
        for (const OpenChoice& choice : m_inputs->openChoices()) {
            m_inputs->choose(choice);
            const auto still = TRY(countStill(seconds));
            if (still && (!best || *still < best->first)) best = {*still, choice};
            if (still == 0U || seconds > kMostSeconds) break;
        }
        m_inputs->choose(best ? best->second : OpenChoice());
        return {};
    }

    /// How many outputs of the second model do not move on a few sets of random inputs; none where it refuses
    /// one of them. Adds to `seconds` what that took.
    Result<std::optional<std::size_t>> countStill(double& seconds) {
        std::vector<std::size_t> watched;
        for (const auto& pair : m_outputs)
            watched.push_back(pair.second);
        OutputMovement movement(m_second.model(), watched);
        for (std::uint64_t i = 0; i < std::max<std::uint64_t>(2, m_inputs->turns()); ++i) {
            if (m_work.isCancelled()) return cancelled();
            SetPlan plan;
            plan.seed = m_job.inputs.seed + i;
            plan.turn = i;
            auto set = TRY(m_inputs->make(plan));
            const OutputMovement::Inputs given = OutputMovement::inputsOf(set->second);
            const auto ran = m_second.backend->run({std::move(set->second)}, m_work);
            if (isCancelled(ran)) return ran.error();
            if (!ran) return std::optional<std::size_t>();
            seconds += ran->front().seconds;
            std::vector<const RuntimeValue*> outputs;
            for (const std::size_t output : watched)
                outputs.push_back(&ran->front().outputs[output]);
            movement.add(given, outputs);
        }
        std::size_t still = 0;
        for (std::size_t o = 0; o < watched.size(); ++o)
            still += movement.isStill(o) ? 1U : 0U;
        return std::optional(still);
    }

    Result<void> runSet(const SetPlan& plan, std::vector<BackendRun> (&runs)[2]) {
        std::optional<InputSet> set = TRY(m_inputs->make(plan));
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
        const OutputMovement::Inputs given = OutputMovement::inputsOf(set->second);
        RanSet ran;
        if (!m_job.sides.empty()) ran = ranSet(plan, set->first, set->second);
        auto first = m_first.backend->run({std::move(set->first)}, m_work);
        auto second = m_second.backend->run({std::move(set->second)}, m_work);
        if (first.ok() != second.ok() && isRefusal(first ? second.error() : first.error(), plan)) {
            const Error& refused = first ? second.error() : first.error();
            tellMismatch(formatMessage("exec.set-refused-by-one",
                                       {plan.text, m_job.paths[first ? 1 : 0].string(), refused.toString()}));
            m_answer.unmatched.push_back(plan.text);
            return {};
        }
        for (const auto* each : {&first, &second}) {
            if (*each) continue;
            if (each->error().code == ErrorCode::cancelled) return each->error();
            if (plan.own != nullptr) return explained(each->error(), plan);
            // Beside a person's own inputs, which they run on, random ones need not fit. One of them must.
            if (plan.isPlain() && m_answer.sets.empty() && !m_refusal)
                m_refusal = explained(each->error(), plan);
            m_answer.skippedSets.push_back(
                formatMessage("exec.set-skipped", {plan.text, each->error().toString()}));
            return {};
        }
        m_ranSeconds += first->front().seconds + second->front().seconds;
        runs[0].push_back({{}, first->front().seconds});
        runs[1].push_back({{}, second->front().seconds});
        std::vector<ValueDifference> differences;
        for (const auto& [ofFirst, ofSecond] : m_outputs)
            differences.push_back(compareValues(first->front().outputs[ofFirst],
                                                second->front().outputs[ofSecond], m_job.tolerance));
        ++(isEvidence(differences) ? m_telling : m_mute);
        if (!isEvidence(differences) && !plan.pattern) { // at an edge it is what is looked for
            m_answer.skippedSets.push_back(formatMessage("exec.set-not-finite", {plan.text}));
            return {};
        }
        watch(plan, given, differences, second->front().outputs);
        noteFinite(second->front().outputs);
        if (!plan.pattern && m_plain.size() < 2) m_plain.push_back(plan);
        if (plan.hasWideFloats && !m_plain.empty()) m_plain.back() = plan;
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
        if (!m_job.sides.empty()) m_ran.push_back(std::move(ran));
        return {};
    }

    /// Does an output move with the inputs? At an edge where it is NaN, or too large, it does for any model.
    void watch(const SetPlan& plan, const OutputMovement::Inputs& given,
               const std::vector<ValueDifference>& differences, const Values& outputs) {
        const bool isFinite = std::all_of(differences.begin(), differences.end(),
                                          [](const auto& found) { return found.telling == found.elements; });
        if (plan.pattern && !isFinite) return;
        std::vector<const RuntimeValue*> watched;
        for (const auto& pair : m_outputs)
            watched.push_back(&outputs[pair.second]);
        m_movement->add(given, watched);
    }

    /// What kept a model from running, and whether sizes that nobody said may be to blame.
    Error explained(const Error& error, const SetPlan& plan) {
        return withGuesses(error, m_inputs->guesses(), [&](std::int64_t size) -> std::optional<Error> {
            const OpenChoice chosen = m_inputs->choice();
            OpenChoice other = chosen;
            other.sizes.clear();
            other.free = size;
            m_inputs->choose(other);
            auto set = m_inputs->make(plan);
            m_inputs->choose(chosen);
            if (!set || !*set) return error;
            const auto first = m_first.backend->run({std::move((*set)->first)}, m_work);
            if (!first) return first.error();
            const auto second = m_second.backend->run({std::move((*set)->second)}, m_work);
            return second ? std::nullopt : std::optional(second.error());
        });
    }

    /// Which elements of the outputs had finite numbers, on the sets that gave them one shape.
    void noteFinite(const Values& outputs) {
        m_finite.resize(m_outputs.size());
        for (std::size_t o = 0; o < m_outputs.size(); ++o) {
            const TensorData* tensor = outputs[m_outputs[o].second].tensor();
            if (tensor == nullptr || !isFloating(tensor->type())) continue;
            Places& places = m_finite[o];
            if (places.isFinite.empty()) {
                places.shape = tensor->shape();
                places.isFinite.resize(static_cast<std::size_t>(tensor->count()), false);
            }
            if (places.shape != tensor->shape()) continue;
            const std::vector<double> numbers = readAll<double>(*tensor);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (std::isfinite(numbers[i])) places.isFinite[i] = true;
        }
    }

    /// What the agreement of the models is worth.
    Result<void> weigh() {
        using Weakness = ComparedOutput::Weakness;
        bool isAnyWeak = false, isAnyStrong = false;
        std::vector<std::pair<std::string, std::string>> still;
        for (std::size_t o = 0; o < m_outputs.size(); ++o) {
            ComparedOutput& output = m_answer.compared[o];
            if (!output.worst.isWithin || output.worst.elements == 0) continue;
            if (o < m_finite.size()) {
                output.places = m_finite[o].isFinite.size();
                output.neverFinite = static_cast<std::uint64_t>(
                    std::count(m_finite[o].isFinite.begin(), m_finite[o].isFinite.end(), false));
            }
            if (output.worst.telling == 0) {
                output.weakness = Weakness::notFinite;
            } else if (m_movement->isStill(o)) {
                output.weakness = Weakness::still;
                still.emplace_back(output.name, m_second.outputNames()[m_outputs[o].second]);
            } else if (output.neverFinite > 0) {
                output.weakness = Weakness::partly;
            }
            const bool isWeak = output.weakness == Weakness::still || output.weakness == Weakness::notFinite;
            (isWeak ? isAnyWeak : isAnyStrong) = true;
        }
        if (!m_answer.unmatched.empty()) return {};
        if (m_telling == 0 && m_mute > 0) {
            fallSilent(m_mute, std::string(message("exec.silent-not-finite")));
        } else if (isAnyWeak && !isAnyStrong && areWithin(m_answer.compared)) {
            TRY(lookInside(still));
            if (m_answer.witnesses.moved == 0)
                fallSilent(m_answer.sets.size(), weaknessText(m_answer.compared));
        }
        return {};
    }

    /// Where the outputs say nothing, values on the way to them may.
    Result<void> lookInside(const std::vector<std::pair<std::string, std::string>>& still) {
        if (still.empty() || m_plain.size() < 2 || m_job.device != Device::reference) return {};
        std::optional<InputSet> set = TRY(m_inputs->make(m_plain.front()));
        std::optional<InputSet> other = TRY(m_inputs->make(m_plain.back()));
        const RanSet ran = ranSet(m_plain.front(), set->first, set->second);
        const RanSet elsewhere = ranSet(m_plain.back(), other->first, other->second);
        const auto found =
            findWitnesses(m_job, m_pool, m_second.outputNames(), still, set->first, ran, elsewhere, m_work);
        if (found)
            m_answer.witnesses = *found;
        else if (found.error().code == ErrorCode::cancelled)
            return found.error();
        return {};
    }

    /// The models agree on `sets` sets of inputs, which proves nothing.
    void fallSilent(std::size_t sets, const std::string& why) {
        const Model& model = m_first.model();
        std::string name = "NAME";
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            if (model.isInitializer(input)) continue;
            name = model.name(input);
            break;
        }
        const std::vector<std::string> open = m_inputs->guesses();
        constexpr std::size_t kMostNames = 3;
        const std::string advice =
            open.empty()
                ? formatMessage("exec.silent-inputs", {name})
                : formatMessage("exec.silent-sizes", {quotedList(open, kMostNames), open.front(), name});
        m_answer.silence = formatMessage("exec.silent", {std::to_string(sets), why, advice});
    }

    /// Did a model refuse inputs that the other one took? What a limit or a missing kernel ends is none, but
    /// at an edge, where one of the two may need what the other has no use for.
    static bool isRefusal(const Error& error, const SetPlan& plan) {
        if (error.code == ErrorCode::cancelled) return false;
        return plan.isEdge() || error.code == ErrorCode::usage || error.code == ErrorCode::invalidInput;
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
        const std::optional<InputSet> set = TRY(m_inputs->make(plan));
        const RanSet ran = ranSet(plan, set->first, set->second);
        m_answer.first =
            TRY(findFirstDifference(m_job, m_pool, m_second.outputNames(), set->first, ran, m_work));
        return {};
    }

    /// Elements of an output.
    struct Places {
        Shape shape;
        std::vector<bool> isFinite; ///< on one set at least
    };

    const Job& m_job;
    const WorkContext& m_work;
    MemoryPool m_pool;
    std::array<BranchLog, 2> m_branches; ///< of the first and the second
    std::vector<Places> m_finite;        ///< by output
    std::vector<SetPlan> m_plain;        ///< two sets that are no edge, as different as there were
    std::optional<Error> m_refusal;      ///< of the first set that one of both refused
    JobModel m_first, m_second;
    std::vector<RanSet> m_ran; ///< for the side models
    std::optional<PairedInputs> m_inputs;
    std::optional<OutputMovement> m_movement;
    std::vector<std::pair<std::size_t, std::size_t>> m_outputs; ///< positions in the first and the second
    bool m_isNoFloatTold = false;
    std::size_t m_telling = 0, m_mute = 0; ///< sets that prove something, and those that cannot
    double m_ranSeconds = 0;
    std::optional<SetPlan> m_differing; ///< the first set on which something is not within the tolerance
    JobAnswer m_answer;
};

} // namespace

Result<JobAnswer> compareModels(const Job& job, const WorkContext& work) {
    return Comparison(job, work).run();
}

} // namespace secateur
