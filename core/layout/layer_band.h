// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/ordering.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace secateur {

/// A few neighbouring layers of a graph as a graph of their own, whose crossings are those of the whole
/// between these layers. Where the whole goes on, the outermost layers are held.
struct LayerBand {
    LayerGraph graph;
    std::vector<std::uint32_t> whole; ///< by place of the band: that of the whole
};

/// The layers `first` to `last` of `whole` in their present order. `scratch`: by place of the whole, any
/// content.
[[nodiscard]] LayerBand bandOf(const LayerGraph& whole, std::size_t first, std::size_t last,
                               std::vector<std::uint32_t>& scratch);

/// Equal for bands whose present orders have the same crossings and can be made better in the same ways: the
/// weights of links count, which those of the band alone do not tell.
[[nodiscard]] std::uint64_t hashOf(const LayerBand& band);

} // namespace secateur
