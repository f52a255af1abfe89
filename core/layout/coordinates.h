// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/ordering.h"

#include <cstdint>
#include <vector>

namespace secateur {

struct Coordinates {
    std::vector<double> center; ///< x by place
    double left = 0;            ///< of the leftmost box
    double right = 0;
    std::uint64_t visits = 0;
};

/// Where places go that nothing ties down: to the middle of the room they have, or to the left.
enum class Packing : std::uint8_t { middle, left };

/// Horizontal placement after Brandes and Koepf: places are aligned with their median neighbours into
/// straight vertical runs in four ways, each compacted, and every place takes the mean of the two middle
/// results (packed left: of the two that work from the left). Neighbours in a layer stay `gap` apart (a
/// virtual place needs half of it). Linear.
Coordinates placeLayers(const LayerGraph& graph, double gap, Packing packing = Packing::middle);

} // namespace secateur
