// SPDX-License-Identifier: Apache-2.0
#include "core/picture/heat_sums.h"

namespace secateur {
namespace {

bool isCounted(const LayoutNode& node, DiffState diff, Pane pane) {
    if (pane != Pane::overlay) return isPresent(diff, pane);
    return diff != DiffState::absent && (diff != DiffState::added || node.replaces.empty());
}

} // namespace

HeatSums sumHeatOf(const Heat& heat, const LayoutGraph& graph, const Layout& layout,
                   const PictureState& state, Pane pane) {
    Heat counted = heat;
    const std::size_t count = graph.nodes.size();
    if (counted.values.size() < count) counted.values.resize(count, Heat::kNotMeasured);
    for (std::uint32_t n = 0; n < count; ++n)
        if (!isCounted(graph.nodes[n], state.stateOf(n).diff, pane)) counted.values[n] = 0;
    return sumHeat(counted, layout);
}

} // namespace secateur
