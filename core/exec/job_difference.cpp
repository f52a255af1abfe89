// SPDX-License-Identifier: Apache-2.0
//
// Where two models part.
#include "core/exec/job_compare.h"
#include "core/exec/job_sides.h"
#include "core/exec/narrowed.h"
#include "core/messages/messages.h"

#include <unordered_map>
#include <utility>

namespace secateur {

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

std::vector<RuntimeValue> inputsInOrder(const Model& model, const RanSet& set) {
    std::vector<RuntimeValue> given;
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const auto at = set.inputs.find(model.name(input));
        given.push_back(at == set.inputs.end() ? RuntimeValue() : at->second);
    }
    return given;
}

Result<std::optional<FirstDifference>> findFirstDifference(const Job& job, const MemoryPool& pool,
                                                           const std::vector<std::string>& outputs,
                                                           const std::vector<RuntimeValue>& inputs,
                                                           const RanSet& set, const WorkContext& work) {
    // By name and how often it came: a body runs more than once.
    std::unordered_map<std::string, std::vector<RuntimeValue>> expected;
    const auto keep = [&](const Model& model, NodeId node, std::span<const RuntimeValue> results) {
        for (std::size_t i = 0; i < results.size(); ++i)
            if (const std::string name = resultName(model, node, i); !name.empty())
                expected[name].push_back(results[i]);
    };
    JobModel second = TRY(JobModel::load(job, 1));
    TRY(narrowToNames(second, outputs, job.device));
    TRY(second.start(job, 1, pool, keep));
    TRY(second.backend->run({inputsInOrder(second.model(), set)}, work));
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

} // namespace secateur
