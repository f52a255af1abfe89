// SPDX-License-Identifier: Apache-2.0
#include "core/layout/container_layout.h"

#include "core/layout/attach_points.h"
#include "core/layout/column_layout.h"
#include "core/layout/column_offsets.h"
#include "core/layout/gap_tracks.h"
#include "core/layout/port_order.h"
#include "core/layout/update_area.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class ContainerLayout {
  public:
    ContainerLayout(Plan& plan, std::uint32_t container, ContainerColumns& columns)
        : m_plan(plan), m_columns(columns), m_container(plan.containers[container]), m_index(container) {}

    void run() {
        takeParts();
        for (std::uint8_t k = 0; k < kColumnCount; ++k)
            placeColumn(m_plan, m_index, k, m_columns[k]);
        if (m_container.rankCount > 0) placeColumns(m_plan, m_index);
        UpdateArea area(m_plan, m_index);
        area.placeAcross(rightOfRanks());
        placeAttachPoints(m_plan, m_index);
        assignGaps(m_plan, m_index);
        placeRows();
        const double bottom = area.placeDown();
        if (!area.isEmpty()) m_container.height = std::max(m_container.height, bottom + padding());
        measureParts();
    }

  private:
    double padding() const { return m_container.kind == Container::Kind::group ? kFramePadding : 0; }

    /// Sizes of the child containers, which are laid out by now.
    void takeParts() {
        const auto take = [&](std::uint32_t child) {
            const Container& inner = m_plan.containers[child];
            const double padding = inner.kind == Container::Kind::group ? kFramePadding : 0;
            for (const Part& part : inner.parts) {
                if (!part.isUsed) continue;
                Unit& unit = m_plan.units[part.unit];
                unit.left = part.anchor - part.left + padding;
                unit.right = part.right - part.anchor + padding;
                unit.height = inner.height;
            }
        };
        for (const std::uint32_t child : m_container.children)
            take(child);
        for (const std::uint32_t child : m_container.updates)
            take(child);
    }

    double rightOfRanks() const {
        double right = -kInfinite;
        for (const std::uint32_t u : m_container.units)
            right = std::max(right, m_plan.units[u].x + m_plan.units[u].right);
        for (const std::uint32_t t : m_container.trunks) {
            const Trunk& trunk = m_plan.trunks[t];
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k)
                right = std::max(right, m_plan.laneX[trunk.firstLane + k]);
        }
        return right;
    }

    void placeRows() {
        const std::uint32_t ranks = m_container.rankCount;
        std::vector<double> height(ranks, 0);
        for (const std::uint32_t u : m_container.units) {
            double& h = height[m_plan.units[u].rank];
            h = std::max(h, m_plan.units[u].height);
        }
        double y = padding();
        m_container.rowTop.resize(ranks);
        m_container.rowBottom.resize(ranks);
        for (std::uint32_t r = 0; r <= ranks; ++r) {
            Gap& gap = m_container.gaps[r];
            gap.above = std::ceil(gap.above);
            gap.below = std::ceil(gap.below);
            gap.top = y;
            y += gap.height();
            if (r == ranks) break;
            m_container.rowTop[r] = y;
            y += height[r];
            m_container.rowBottom[r] = y;
        }
        m_container.height = y + padding();
        for (const std::uint32_t u : m_container.units)
            m_plan.units[u].y = m_container.rowTop[m_plan.units[u].rank];
    }

    void measureParts() {
        std::array<Part*, kColumnCount> parts{};
        for (std::uint8_t k = 0; k < kColumnCount; ++k) {
            parts[k] = &m_container.parts[k];
            parts[k]->left = kInfinite;
            parts[k]->right = -kInfinite;
        }
        const auto add = [&](std::uint8_t k, double left, double right) {
            parts[k]->left = std::min(parts[k]->left, left);
            parts[k]->right = std::max(parts[k]->right, right);
        };
        for (const std::uint32_t u : m_container.units) {
            const Unit& unit = m_plan.units[u];
            add(unit.column, unit.x - unit.left, unit.x + unit.right);
        }
        for (const std::uint32_t c : m_container.updates) {
            const Unit& unit = m_plan.units[m_plan.containers[c].parts[2].unit];
            add(2, unit.x - unit.left, unit.x + unit.right);
        }
        for (const std::uint32_t t : m_container.trunks) {
            const Trunk& trunk = m_plan.trunks[t];
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k)
                add(trunk.column, m_plan.laneX[trunk.firstLane + k] - 4,
                    m_plan.laneX[trunk.firstLane + k] + 4);
        }
        for (const std::uint32_t p : m_container.ports)
            add(m_plan.ports[p].column, m_plan.ports[p].x - 4, m_plan.ports[p].x + 4);
        for (Part* part : parts) {
            if (part->isUsed && part->left > part->right) part->left = part->right = 0;
            part->anchor = part->spine != kNoIndex ? m_plan.units[part->spine].x
                                                   : std::round((part->left + part->right) / 2);
        }
    }

    Plan& m_plan;
    ContainerColumns& m_columns;
    Container& m_container;
    std::uint32_t m_index;
};

/// From coordinates of one container to those of the picture.
class Finisher {
  public:
    explicit Finisher(Plan& plan) : m_plan(plan) {}

    void run() {
        for (Container& container : m_plan.containers) {
            findBase(container);
            moveUnits(container);
            moveEdges(container);
        }
    }

  private:
    /// Parents come first: their units stand where they belong by now.
    void findBase(Container& container) const {
        if (container.parent == kNoIndex) {
            double left = kInfinite;
            for (const Part& part : container.parts)
                if (part.isUsed) left = std::min(left, part.left);
            for (Part& part : container.parts)
                part.baseX = std::isinf(left) ? 0 : -left;
            return;
        }
        for (Part& part : container.parts) {
            if (!part.isUsed) continue;
            part.baseX = m_plan.units[part.unit].x - part.anchor;
            container.baseY = m_plan.units[part.unit].y;
        }
    }

    void moveUnits(Container& container) {
        const auto move = [&](Unit& unit) {
            unit.x += container.parts[unit.column].baseX;
            unit.y += container.baseY;
        };
        for (const std::uint32_t u : container.units)
            move(m_plan.units[u]);
        for (const std::uint32_t c : container.updates)
            move(m_plan.units[m_plan.containers[c].parts[2].unit]);
        for (const std::uint32_t p : container.ports)
            m_plan.ports[p].x += container.parts[m_plan.ports[p].column].baseX;
        for (Gap& gap : container.gaps)
            gap.top += container.baseY;
        for (std::uint32_t r = 0; r < container.rankCount; ++r) {
            container.rowTop[r] += container.baseY;
            container.rowBottom[r] += container.baseY;
        }
    }

    void moveEdges(const Container& container) {
        const auto baseOf = [&](std::uint32_t unit) {
            return container.parts[m_plan.units[unit].column].baseX;
        };
        for (const std::uint32_t t : container.trunks) {
            Trunk& trunk = m_plan.trunks[t];
            const double base = container.parts[trunk.column].baseX;
            trunk.exitX += base;
            for (double& x : trunk.entryX)
                x += base;
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k)
                m_plan.laneX[trunk.firstLane + k] += base;
        }
        for (const std::uint32_t h : container.hops) {
            m_plan.hops[h].exitX += baseOf(m_plan.hops[h].from.unit);
            m_plan.hops[h].entryX += baseOf(m_plan.hops[h].to.unit);
        }
        for (const std::uint32_t s : container.sides) {
            Side& side = m_plan.sides[s];
            if (side.leavesBelow) side.exit += baseOf(side.from);
            side.channelX += baseOf(side.to.front().unit);
            for (Side::Target& target : side.to)
                if (target.entersAbove) target.entry += baseOf(target.unit);
        }
    }

    Plan& m_plan;
};

} // namespace

void layoutContainers(Plan& plan) {
    OrderMemo memo;
    std::vector<ContainerColumns> columns(plan.containers.size());
    for (std::size_t c = columns.size(); c-- > 0;) {
        if (plan.isCancelled()) return;
        for (std::uint8_t k = 0; k < kColumnCount; ++k)
            columns[c][k] = orderColumn(plan, static_cast<std::uint32_t>(c), k, memo);
    }
    if (plan.options.orderFrom == nullptr) agreeOnPorts(plan, columns, memo);
    for (std::size_t c = columns.size(); c-- > 0;) {
        if (plan.isCancelled()) return;
        ContainerLayout(plan, static_cast<std::uint32_t>(c), columns[c]).run();
        columns[c] = {};
    }
    Finisher(plan).run();
}

} // namespace secateur
