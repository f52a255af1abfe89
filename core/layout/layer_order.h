// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"
#include "core/layout/ordering.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace secateur {

/// Our own orders of blocks that a layout has met before: equal blocks of a network are ordered once. What
/// counts are layers, links and lengths of chains; widths do not.
class OrderMemo {
  public:
    /// As orderLayers().
    OrderingResult order(LayerGraph& graph, std::uint32_t sweeps, const std::function<bool()>& isCancelled);

  private:
    struct Known {
        std::vector<std::vector<std::uint32_t>> positions; ///< by layer, of the given order
        std::uint64_t crossings = 0;
    };
    std::unordered_map<std::uint64_t, Known> m_known; ///< by a hash of the block
};

/// Orders the layers by our own sweeps, or as an improver of the options has them where that has fewer
/// crossings.
OrderingResult orderLayersBest(LayerGraph& graph, const LayoutOptions& options, OrderMemo& memo);

} // namespace secateur
