// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/geometry.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A uniform grid over rectangles, built once: a query costs what it returns. Rectangles that would cover
/// very many cells (long edges) are kept in coarser grids, each four times wider than the one before.
class SpatialIndex {
  public:
    SpatialIndex() = default;
    /// `boxes[i]` is found under the id i. Empty boxes are never found.
    explicit SpatialIndex(const std::vector<Rect>& boxes);

    /// Appends the ids of all boxes that touch `area`, in ascending order and each once.
    void query(const Rect& area, std::vector<std::uint32_t>& out) const;

  private:
    struct Level {
        double cell = 0;
        std::uint32_t columns = 0;
        std::uint32_t rows = 0;
        std::vector<std::uint32_t> start; ///< columns * rows + 1 offsets into ids
        std::vector<std::uint32_t> ids;
    };
    std::vector<Rect> m_boxes;
    std::vector<Level> m_levels;
    Rect m_bounds;
};

} // namespace secateur
