// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_sides.h"

#include "core/messages/messages.h"

#include <algorithm>
#include <utility>

namespace secateur {
namespace {

bool isCancelled(const Error& error) {
    return error.code == ErrorCode::cancelled;
}

/// The value that a model knows under the name of an output: its output, or an inner value; none where it has
/// neither.
ValueId valueNamed(const JobModel& model, const std::string& name) {
    const std::vector<std::string> names = model.outputNames();
    const auto at = std::find(names.begin(), names.end(), name);
    const Model& graph = model.model();
    if (at != names.end())
        return graph.graphOutputs(graph.mainGraph())[static_cast<std::size_t>(at - names.begin())];
    return name.empty() ? ValueId() : graph.findValue(name, graph.mainGraph());
}

void join(std::vector<ComparedOutput>& all, const std::string& name, const ValueDifference& found,
          const std::string& set) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const ComparedOutput& o) { return o.name == name; });
    if (at == all.end()) {
        all.push_back({name, found, set});
        return;
    }
    const ValueDifference& worst = at->worst;
    if (found.isWithin != worst.isWithin ? worst.isWithin : found.maxAbsolute > worst.maxAbsolute)
        at->worstSet = set;
    joinWorse(at->worst, found);
}

} // namespace

Result<void> SideRuns::open(const std::vector<std::string>& outputs) {
    m_outputs = outputs;
    for (std::size_t i = 0; i < m_job.sides.size(); ++i) {
        if (m_work.isCancelled()) return cancelled();
        Side side;
        side.number = i;
        if (const auto opened = openOne(side, outputs); !opened) {
            if (isCancelled(opened.error())) return opened.error();
            side.answer.failure = opened.error().toString();
        }
        m_sides.push_back(std::move(side));
    }
    return {};
}

Result<void> SideRuns::openOne(Side& side, const std::vector<std::string>& outputs) const {
    const SideModel& asked = m_job.sides[side.number];
    Job alone = m_job;
    alone.paths = {asked.path};
    alone.modes = {asked.mode};
    alone.device = asked.device;
    side.model = TRY(JobModel::load(alone, 0));
    std::vector<ValueId> wanted;
    for (const std::string& name : outputs) {
        const ValueId value = valueNamed(side.model, name);
        if (value.isNone())
            return missingHere(formatMessage("exec.side-without", {name}), asked.path.string());
        wanted.push_back(value);
    }
    TRY(side.model.narrow(wanted, asked.device));
    side.outputs = outputs; // an output slot takes the name that its value has
    TRY(side.model.start(alone, 0));
    side.answer.backend = side.model.backend->name();
    return {};
}

bool SideRuns::takes(const Side& side, const RanSet& set) const {
    if (!side.answer.failure.empty()) return false;
    switch (m_job.sides[side.number].sets) {
    case SideModel::Sets::first: return side.answer.sets.empty();
    case SideModel::Sets::plain: return !set.isEdge;
    case SideModel::Sets::all: return true;
    }
    return true;
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

Result<NamedValues> SideRuns::runOne(Side& side, const RanSet& set) {
    auto inputs = TRY(inputsOf(side, set));
    auto runs = TRY(side.model.backend->run({std::move(inputs)}, m_work));
    m_seconds += runs.front().seconds;
    NamedValues given;
    for (std::size_t i = 0; i < side.outputs.size(); ++i)
        given.emplace(side.outputs[i], std::move(runs.front().outputs[i]));
    return given;
}

void SideRuns::compareOne(Side& side, const RanSet& set, const NamedValues& given,
                          const NamedValues* previous) const {
    side.answer.sets.push_back(set.text);
    for (const auto& name : side.outputs) {
        const RuntimeValue& value = given.find(name)->second;
        join(side.answer.compared, name,
             compareValues(value, set.expected.find(name)->second, m_job.tolerance), set.text);
        if (previous != nullptr)
            join(side.answer.sincePrevious, name,
                 compareValues(value, previous->find(name)->second, m_job.tolerance), set.text);
    }
}

Result<void> SideRuns::run(const RanSet& set) {
    std::optional<NamedValues> previous;
    for (Side& side : m_sides) {
        std::optional<NamedValues> given;
        if (takes(side, set)) {
            if (m_job.sides[side.number].device == Device::ort) {
                side.waiting.push_back(set);
                previous.reset();
                continue;
            }
            auto ran = runOne(side, set);
            if (!ran && isCancelled(ran.error())) return ran.error();
            if (ran) {
                const bool wasWithin = side.answer.compared.empty() || areWithin(side.answer.compared);
                compareOne(side, set, *ran, previous ? &*previous : nullptr);
                given = std::move(*ran);
                if (wasWithin && !areWithin(side.answer.compared)) TRY(locate(side, set));
            } else {
                side.answer.failure = formatMessage("exec.side-refused", {set.text, ran.error().toString()});
            }
        }
        previous = std::move(given);
    }
    return {};
}

/// Runs the side and the second model once more for the first value under one name that differs. That they
/// differ is known; where they part may stay unknown.
Result<void> SideRuns::locate(Side& side, const RanSet& set) {
    if (m_job.sides[side.number].sets == SideModel::Sets::first) return {}; // of no use to anyone
    // Steps after a wrong one are held against that one: where the first parts is what is asked.
    const auto isFound = [](const Side& each) { return each.answer.first.has_value(); };
    if (std::any_of(m_sides.begin(), m_sides.end(), isFound)) return {};
    Job pair = m_job;
    pair.paths = {m_job.sides[side.number].path, m_job.paths[1]};
    pair.modes = {m_job.sides[side.number].mode,
                  m_job.modes.size() > 1 ? m_job.modes[1] : RunMode::asWritten};
    const auto inputs = inputsOf(side, set);
    if (!inputs) return isCancelled(inputs.error()) ? inputs.error() : Result<void>();
    const auto found = findFirstDifference(pair, m_outputs, *inputs, set, m_work);
    if (found) side.answer.first = *found;
    if (!found && isCancelled(found.error())) return found.error();
    return {};
}

Result<void> SideRuns::runWaiting(Side& side) {
    std::vector<std::vector<RuntimeValue>> inputs;
    for (const RanSet& set : side.waiting)
        inputs.push_back(TRY(inputsOf(side, set)));
    const auto runs = TRY(side.model.backend->run(std::move(inputs), m_work));
    for (std::size_t s = 0; s < side.waiting.size(); ++s) {
        NamedValues given;
        for (std::size_t i = 0; i < side.outputs.size(); ++i)
            given.emplace(side.outputs[i], runs[s].outputs[i]);
        compareOne(side, side.waiting[s], given, nullptr);
    }
    return {};
}

Result<std::vector<SideAnswer>> SideRuns::finish() {
    std::vector<SideAnswer> answers;
    for (Side& side : m_sides) {
        if (!side.waiting.empty() && side.answer.failure.empty()) {
            const auto ran = runWaiting(side);
            if (!ran && isCancelled(ran.error())) return ran.error();
            if (!ran) side.answer.failure = ran.error().toString();
        }
        answers.push_back(std::move(side.answer));
    }
    m_sides.clear();
    return answers;
}

} // namespace secateur
