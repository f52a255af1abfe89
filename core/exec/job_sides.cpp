// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_sides.h"

#include "core/exec/narrowed.h"
#include "core/messages/messages.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace secateur {
namespace {

bool isCancelled(const Error& error) {
    return error.code == ErrorCode::cancelled;
}

/// Of the output at position `i`; the lists are filled in order, by the first set that is compared.
void join(std::vector<ComparedOutput>& all, std::size_t i, const std::string& name,
          const ValueDifference& found, const std::string& set) {
    if (i == all.size()) {
        all.push_back({name, found, set});
        return;
    }
    if (isWorse(found, all[i].worst)) all[i].worstSet = set;
    joinWorse(all[i].worst, found);
}

/// One side model, opened, and what it gave on each set.
struct Side {
    std::size_t number = 0;
    JobModel model;
    SideAnswer answer;
    /// By set; empty where it did not run on that.
    std::vector<std::optional<NamedValues>> given;
    std::optional<std::size_t> differing; ///< the first set on which it is not within the tolerance
};

class SideRuns {
  public:
    SideRuns(const Job& job, const WorkContext& work, MemoryPool& pool,
             const std::vector<std::string>& outputs, std::vector<RanSet> sets)
        : m_job(job), m_work(work), m_pool(pool), m_outputs(outputs), m_sets(std::move(sets)) {}

    Result<std::vector<SideAnswer>> run() {
        std::vector<SideAnswer> answers;
        for (std::size_t i = 0; i < m_job.sides.size(); ++i) {
            if (m_work.isCancelled()) return cancelled();
            m_work.report("exec.phase.sides", i, m_job.sides.size());
            Side side;
            side.number = i;
            side.given.resize(m_sets.size());
            if (const auto ran = runOne(side); !ran) {
                if (isCancelled(ran.error())) return ran.error();
                side.answer.failure = ran.error().toString();
            }
            compare(side);
            TRY(locate(side));
            m_previous = std::move(side.given);
            answers.push_back(std::move(side.answer));
        }
        return answers;
    }

  private:
    [[nodiscard]] const SideModel& asked(const Side& side) const { return m_job.sides[side.number]; }
    Result<void> open(Side& side) const;
    Result<void> runOne(Side& side);
    Result<std::vector<RuntimeValue>> inputsOf(const Side& side, const RanSet& set);
    void keep(Side& side, std::size_t set, std::vector<RuntimeValue> outputs) const;
    void compare(Side& side) const;
    Result<void> locate(Side& side);
    [[nodiscard]] std::vector<std::size_t> setsOf(const Side& side) const;

    const Job& m_job;
    const WorkContext& m_work;
    MemoryPool& m_pool;
    const std::vector<std::string>& m_outputs;
    std::vector<RanSet> m_sets;
    std::vector<std::optional<NamedValues>> m_previous; ///< what the side before gave, by set
    bool m_isLocated = false;
};

Result<void> SideRuns::open(Side& side) const {
    Job alone = m_job;
    alone.paths = {asked(side).path};
    alone.modes = {asked(side).mode};
    alone.device = asked(side).device;
    side.model = TRY(JobModel::load(alone, 0));
    std::vector<ValueId> wanted;
    for (const std::string& name : m_outputs) {
        const ValueId value = valueNamed(side.model.model(), name);
        if (value.isNone())
            return missingHere(formatMessage("exec.side-without", {name}), asked(side).path.string());
        wanted.push_back(value);
    }
    TRY(side.model.narrow(wanted, asked(side).device));
    TRY(side.model.start(alone, 0, m_pool));
    side.answer.backend = side.model.backend->name();
    return {};
}

std::vector<std::size_t> SideRuns::setsOf(const Side& side) const {
    std::vector<std::size_t> taken;
    const SideModel::Sets sets = asked(side).sets;
    for (std::size_t s = 0; s < m_sets.size(); ++s) {
        const bool isTaken = sets == SideModel::Sets::all ||
                             (sets == SideModel::Sets::plain && !m_sets[s].isEdge) ||
                             (sets == SideModel::Sets::first && taken.empty());
        if (isTaken) taken.push_back(s);
    }
    return taken;
}

/// The values of the two models by name; what neither has is random.
Result<std::vector<RuntimeValue>> SideRuns::inputsOf(const Side& side, const RanSet& set) {
    const Model& model = side.model.model();
    std::vector<RuntimeValue> values;
    bool isWhole = true;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const auto known = set.inputs.find(model.name(input));
        values.push_back(known == set.inputs.end() ? RuntimeValue() : known->second);
        isWhole = isWhole && (!values.back().isAbsent() || model.isInitializer(input));
    }
    if (isWhole) return values;
    InputRequest request;
    request.seed = set.seed;
    auto made = TRY(makeInputs(model, side.model.domains, request, m_pool));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].isAbsent()) values[i] = std::move(made[i]);
    return values;
}

void SideRuns::keep(Side& side, std::size_t set, std::vector<RuntimeValue> outputs) const {
    side.given[set].emplace();
    // An output slot takes the name that its value has: the order is that of the names.
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        side.given[set]->emplace(m_outputs[i], std::move(outputs[i]));
}

Result<void> SideRuns::runOne(Side& side) {
    TRY(open(side));
    const std::vector<std::size_t> taken = setsOf(side);
    if (asked(side).device == Device::ort) { // a process of its own: it starts once
        std::vector<std::vector<RuntimeValue>> inputs;
        for (const std::size_t set : taken)
            inputs.push_back(TRY(inputsOf(side, m_sets[set])));
        auto runs = TRY(side.model.backend->run(std::move(inputs), m_work));
        for (std::size_t i = 0; i < taken.size(); ++i)
            keep(side, taken[i], std::move(runs[i].outputs));
        return {};
    }
    for (const std::size_t set : taken) {
        auto inputs = TRY(inputsOf(side, m_sets[set]));
        auto runs = side.model.backend->run({std::move(inputs)}, m_work);
        if (!runs && isCancelled(runs.error())) return runs.error();
        if (!runs) {
            side.answer.failure =
                formatMessage("exec.side-refused", {m_sets[set].text, runs.error().toString()});
            return {};
        }
        keep(side, set, std::move(runs->front().outputs));
    }
    return {};
}

void SideRuns::compare(Side& side) const {
    for (std::size_t s = 0; s < m_sets.size(); ++s) {
        if (!side.given[s]) continue;
        const RanSet& set = m_sets[s];
        side.answer.sets.push_back(set.text);
        const bool hasPrevious = s < m_previous.size() && m_previous[s];
        if (hasPrevious) side.answer.setsSincePrevious.push_back(set.text);
        for (std::size_t i = 0; i < m_outputs.size(); ++i) {
            const std::string& name = m_outputs[i];
            const RuntimeValue& value = side.given[s]->find(name)->second;
            join(side.answer.compared, i, name,
                 compareValues(value, set.expected.find(name)->second, m_job.tolerance), set.text);
            if (hasPrevious)
                join(side.answer.sincePrevious, i, name,
                     compareValues(value, m_previous[s]->find(name)->second, m_job.tolerance), set.text);
        }
        if (!side.differing && !areWithin(side.answer.compared)) side.differing = s;
    }
}

/// Runs the side and the second model once more for the first value under one name that differs. That they
/// differ is known; where they part may stay unknown.
Result<void> SideRuns::locate(Side& side) {
    // Steps after a wrong one are held against that one: where the first parts is what is asked.
    if (!side.differing || m_isLocated || asked(side).device == Device::ort ||
        asked(side).sets == SideModel::Sets::first)
        return {};
    const RanSet& set = m_sets[*side.differing];
    const auto inputs = inputsOf(side, set);
    if (!inputs) return isCancelled(inputs.error()) ? inputs.error() : Result<void>();
    side.model.backend.reset(); // the two that run now have the memory to themselves
    Job pair = m_job;
    pair.paths = {asked(side).path, m_job.paths[1]};
    pair.modes = {asked(side).mode, m_job.modes.size() > 1 ? m_job.modes[1] : RunMode::asWritten};
    const auto found = findFirstDifference(pair, m_pool, m_outputs, *inputs, set, m_work);
    if (!found) return isCancelled(found.error()) ? found.error() : Result<void>();
    side.answer.first = *found;
    m_isLocated = found->has_value();
    return {};
}

} // namespace

Result<std::vector<SideAnswer>> runSideModels(const Job& job, const WorkContext& work, MemoryPool& pool,
                                              const std::vector<std::string>& outputs,
                                              std::vector<RanSet> sets) {
    return SideRuns(job, work, pool, outputs, std::move(sets)).run();
}

} // namespace secateur
