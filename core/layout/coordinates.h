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

/// Horizontal placement after Brandes and Koepf: places are aligned with their median neighbours into straight
/// vertical runs in four ways, each compacted, and every place takes the mean of the two middle results. Neighbours in
/// a layer stay `gap` apart (a virtual place needs half of it). Linear.
Coordinates placeLayers(const LayerGraph& graph, double gap);

} // namespace secateur
