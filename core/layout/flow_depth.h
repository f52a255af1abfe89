// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// The longest way from a source to each node along the edges; nodes of a cycle count from where it is
/// entered.
std::vector<std::uint32_t> flowDepths(const LayoutGraph& graph);

} // namespace secateur
