// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layer_order.h"
#include "core/layout/layout_plan.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace secateur {

/// One column of a container as layers: its ports in the first and the last, its rank r in layer r + 1.
struct ColumnGraph {
    struct Lane {
        std::uint32_t trunk = 0;
        std::uint32_t firstPlace = 0; ///< places of a trunk's lanes follow each other
    };
    struct LinkPorts {
        std::uint32_t upper = kNoIndex;
        std::uint32_t lower = kNoIndex;
    };
    LayerGraph layers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> placeOfUnit, placeOfPort; ///< sorted
    std::vector<Lane> lanes;
    std::vector<LinkPorts> linkPorts; ///< by link: the ports of child containers where it ends, if any

    [[nodiscard]] std::uint32_t placeOf(const layout_plan::End& end) const;
};

/// Builds one column of a container and orders it by itself. `memo`: orders of the blocks before.
[[nodiscard]] ColumnGraph orderColumn(layout_plan::Plan& plan, std::uint32_t container, std::uint8_t column,
                                      OrderMemo& memo);

/// Gives the units, ports and lanes of an ordered column their x, all in the column's own coordinates; the
/// parts of child containers must have their extents already. Also finds the column's spine.
void placeColumn(layout_plan::Plan& plan, std::uint32_t container, std::uint8_t column, ColumnGraph& graph);

constexpr double kFramePadding = 12; ///< between the frame of a container and what stands in it

} // namespace secateur
