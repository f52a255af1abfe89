// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/group_draft.h"
#include "core/layout/layout_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Node indices in program order.
[[nodiscard]] std::vector<std::uint32_t> programOrder(const LayoutGraph& graph);

/// The forward node that a node works for: its home, else its twin; kNoIndex when it has neither.
[[nodiscard]] inline std::uint32_t homeOf(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes,
                                          std::uint32_t node) {
    const std::uint32_t home = node < homes.size() ? homes[node] : kNoIndex;
    return home != kNoIndex ? home : graph.nodes[node].twin;
}

/// Gives every node of `draft` that has no group one: that of its home (the forward node that it works for)
/// where it has one, else that of its neighbours. Linear.
void propagateGroups(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes, GroupDraft& draft);

} // namespace secateur
