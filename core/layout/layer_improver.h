// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/ordering.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Someone else's opinion on the order within the layers of a block. Asked after our own sweeps, and only
/// where these left crossings; its order is taken where it has fewer.
class LayerImprover {
  public:
    virtual ~LayerImprover() = default;
    LayerImprover() = default;
    LayerImprover(const LayerImprover&) = delete;
    LayerImprover& operator=(const LayerImprover&) = delete;

    /// The places of `graph` layer by layer, from left to right; empty when it has no answer. Called on the
    /// thread that lays out.
    virtual std::vector<std::vector<std::uint32_t>> orderOf(const LayerGraph& graph) = 0;
};

/// A number for what decides the order of a graph: sizes of layers and places, and links. Equal blocks of a
/// network have equal numbers.
[[nodiscard]] std::uint64_t structuralHash(const LayerGraph& graph);

} // namespace secateur
