// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_estimate.h"

#include "core/analysis/flops.h"
#include "core/ir/walk.h"

#include <algorithm>

namespace secateur {
namespace {

// Of the reference kernels on one slow core.
constexpr double kFlopsPerSecond = 2.5e8, kElementsPerSecond = 2e7, kBytesPerSecond = 1e9;
constexpr double kSecondsPerNode = 2e-5;
/// A body may run often; without running it nobody knows.
constexpr double kTurnsOfBody = 16;

double elementsOf(const Type& type) {
    double count = 1;
    for (const Dim& dim : type.dims)
        count *= static_cast<double>(std::max<std::int64_t>(dim.value.value_or(1), 1));
    return count;
}

double secondsOf(const Model& model, const TypeTable& types, NodeId node) {
    double elements = 0;
    for (const ValueId output : model.outputs(node))
        if (!output.isNone()) elements += elementsOf(types.type(output));
    const auto flops = flopsOf(model, types, node);
    return kSecondsPerNode + elements / kElementsPerSecond + (flops ? flops->count : 0) / kFlopsPerSecond;
}

} // namespace

double estimatedRunSeconds(const History& history) {
    const Model& model = history.model();
    double seconds =
        static_cast<double>(history.steps().empty() ? history.original().metrics.initializerBytes
                                                    : history.steps().back().after.initializerBytes) /
        kBytesPerSecond;
    for (const GraphId graph : allGraphs(model)) {
        const double turns = graph == model.mainGraph() ? 1 : kTurnsOfBody;
        for (const NodeId node : model.nodes(graph))
            seconds += turns * secondsOf(model, history.types(), node);
    }
    return seconds;
}

} // namespace secateur
