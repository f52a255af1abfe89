// SPDX-License-Identifier: Apache-2.0
#include "core/layout/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr double kFinestCell = 256;
constexpr double kLevelFactor = 4;
constexpr int kMaxLevels = 12;
constexpr double kCellsPerBox = 4; ///< a side longer than this many cells goes to a coarser grid
constexpr double kMaxCells = 1 << 22;

struct CellRange {
    std::uint32_t x0, x1, y0, y1;
};

CellRange cellsOf(const Rect& box, const Rect& bounds, double cell, std::uint32_t columns,
                  std::uint32_t rows) {
    const auto clampCell = [cell](double at, std::uint32_t count) {
        const double c = std::floor(at / cell);
        return static_cast<std::uint32_t>(std::clamp(c, 0.0, static_cast<double>(count - 1)));
    };
    return {clampCell(box.x - bounds.x, columns), clampCell(box.right() - bounds.x, columns),
            clampCell(box.y - bounds.y, rows), clampCell(box.bottom() - bounds.y, rows)};
}

int levelOf(const Rect& box, double finest) {
    double cell = finest;
    int level = 0;
    while (level + 1 < kMaxLevels && std::max(box.width, box.height) > cell * kCellsPerBox) {
        cell *= kLevelFactor;
        ++level;
    }
    return level;
}

} // namespace

SpatialIndex::SpatialIndex(const std::vector<Rect>& boxes) : m_boxes(boxes) {
    for (Rect& box : m_boxes) {
        if (!box.isEmpty()) m_bounds = m_bounds.united(box);
    }
    if (m_bounds.isEmpty()) return;
    // Cells grow with the picture, so that a sparse one does not cost more cells than boxes.
    double finest = kFinestCell;
    const double wanted = std::min(kMaxCells, 4.0 * static_cast<double>(m_boxes.size()) + 64);
    while ((m_bounds.width / finest + 1) * (m_bounds.height / finest + 1) > wanted)
        finest *= 2;

    double cell = finest;
    for (int l = 0; l < kMaxLevels; ++l, cell *= kLevelFactor) {
        Level level;
        level.cell = cell;
        level.columns = static_cast<std::uint32_t>(m_bounds.width / cell) + 1;
        level.rows = static_cast<std::uint32_t>(m_bounds.height / cell) + 1;
        level.start.assign(std::size_t{level.columns} * level.rows + 1, 0);
        bool isUsed = false;
        for (const bool counting : {true, false}) {
            for (std::uint32_t i = 0; i < m_boxes.size(); ++i) {
                if (m_boxes[i].isEmpty() || levelOf(m_boxes[i], finest) != l) continue;
                isUsed = true;
                const CellRange r = cellsOf(m_boxes[i], m_bounds, cell, level.columns, level.rows);
                for (std::uint32_t y = r.y0; y <= r.y1; ++y) {
                    for (std::uint32_t x = r.x0; x <= r.x1; ++x) {
                        const std::size_t at = std::size_t{y} * level.columns + x;
                        if (counting) {
                            ++level.start[at + 1];
                        } else {
                            level.ids[level.start[at]++] = i;
                        }
                    }
                }
            }
            if (counting) {
                for (std::size_t c = 1; c < level.start.size(); ++c)
                    level.start[c] += level.start[c - 1];
                level.ids.resize(level.start.back());
            }
        }
        // Filling moved every start to its end: shift back by one cell.
        for (std::size_t c = level.start.size() - 1; c > 0; --c)
            level.start[c] = level.start[c - 1];
        level.start[0] = 0;
        if (isUsed) m_levels.push_back(std::move(level));
        if (level.columns <= 1 && level.rows <= 1) break;
    }
}

void SpatialIndex::query(const Rect& area, std::vector<std::uint32_t>& out) const {
    if (area.isEmpty() || !area.intersects(m_bounds)) return;
    const std::size_t first = out.size();
    const bool isAll = area.x <= m_bounds.x && area.y <= m_bounds.y && area.right() >= m_bounds.right() &&
                       area.bottom() >= m_bounds.bottom();
    if (isAll) { // a picture fitted into its pane: nothing to look for
        for (std::uint32_t i = 0; i < m_boxes.size(); ++i)
            if (!m_boxes[i].isEmpty()) out.push_back(i);
        return;
    }
    for (const Level& level : m_levels) {
        const CellRange r = cellsOf(area, m_bounds, level.cell, level.columns, level.rows);
        for (std::uint32_t y = r.y0; y <= r.y1; ++y) {
            for (std::uint32_t x = r.x0; x <= r.x1; ++x) {
                const std::size_t at = std::size_t{y} * level.columns + x;
                for (std::uint32_t k = level.start[at]; k < level.start[at + 1]; ++k) {
                    if (m_boxes[level.ids[k]].intersects(area)) out.push_back(level.ids[k]);
                }
            }
        }
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
    out.erase(std::unique(out.begin() + static_cast<std::ptrdiff_t>(first), out.end()), out.end());
}

} // namespace secateur
