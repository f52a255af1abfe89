// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/heat.h"
#include "core/picture/union_graph.h"

namespace secateur {

/// Bytes that each node of the picture makes and reads as weights; of a node that a step made, at the end of
/// the steps. Dimensions that are names count as one, which the note says.
[[nodiscard]] Heat bytesHeat(const UnionGraph& united, const Original& original, const History* history);
/// Floating-point operations of each node, see flopsOf.
[[nodiscard]] Heat flopsHeat(const UnionGraph& united, const Original& original, const History* history);
/// Time was not measured: every node is blank, and the note says so.
[[nodiscard]] Heat timeHeat(const UnionGraph& united);

} // namespace secateur
