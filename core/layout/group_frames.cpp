// SPDX-License-Identifier: Apache-2.0
#include "core/layout/group_frames.h"

#include <algorithm>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kHullPadding = 8;

class FrameMaker {
  public:
    FrameMaker(const Plan& plan, Layout& layout)
        : m_plan(plan), m_layout(layout), m_groups(plan.hierarchy.groups), m_hull(m_groups.size()),
          m_containerOf(m_groups.size(), kNoIndex), m_frameOf(m_groups.size() * kColumnCount, kNoIndex) {
        for (std::uint32_t c = 0; c < plan.containers.size(); ++c)
            if (plan.containers[c].group != kNoIndex) m_containerOf[plan.containers[c].group] = c;
    }

    void run() {
        findGroups();
        for (std::uint32_t g = 0; g < m_groups.size(); ++g) { // outer ones first
            if (m_containerOf[g] != kNoIndex)
                frameContainer(g, m_plan.containers[m_containerOf[g]]);
            else
                frameHull(g);
        }
        countNodes();
    }

  private:
    bool isOpen(std::uint32_t group) const {
        for (std::uint32_t g = group; g != kNoIndex; g = m_groups[g].parent)
            if (!m_plan.expanded.isOpen(g)) return false;
        return true;
    }

    /// Hulls of the groups by column, and the box that each closed group hides in.
    void findGroups() {
        m_layout.itemOfGroup.assign(m_groups.size(), kNoIndex);
        for (std::uint32_t n = 0; n < m_plan.graph.nodes.size(); ++n) {
            const std::uint32_t i = m_layout.itemOfNode[n];
            const PlacedItem& item = m_layout.items[i];
            std::uint32_t g = m_plan.graph.nodes[n].group;
            bool isHidden = item.group != kNoIndex;
            for (; g < m_groups.size(); g = m_groups[g].parent) {
                if (isHidden) {
                    std::uint32_t& at = m_layout.itemOfGroup[g];
                    if (at == kNoIndex || m_layout.items[at].column > item.column) at = i;
                    if (g == item.group) isHidden = false;
                } else {
                    Rect& hull = m_hull[g][item.column];
                    hull = hull.united(item.rect);
                }
            }
        }
    }

    void frameContainer(std::uint32_t group, const Container& container) {
        std::array<Rect, kColumnCount> parts{};
        bool isAlone = true;
        for (std::uint8_t k = 0; k < kColumnCount; ++k) {
            const std::uint32_t unit = container.parts[k].unit;
            if (unit == kNoIndex) continue;
            const Unit& u = m_plan.units[unit];
            parts[k] = {u.x - u.left, u.y, u.left + u.right, u.height};
            isAlone = isAlone && standsAlone(u);
        }
        addFrames(group, parts, isAlone);
    }

    /// Whether nothing but its own group stands in the ranks of a part.
    bool standsAlone(const Unit& part) const {
        const Container& around = m_plan.containers[part.container];
        return std::all_of(around.units.begin(), around.units.end(), [&](std::uint32_t u) {
            const Unit& other = m_plan.units[u];
            return other.rank != part.rank || other.child == part.child;
        });
    }

    void frameHull(std::uint32_t group) {
        std::array<Rect, kColumnCount> parts{};
        for (std::uint8_t k = 0; k < kColumnCount; ++k) {
            if (m_hull[group][k].isEmpty()) continue;
            const Rect hull = m_hull[group][k].inflated(kHullPadding);
            if (isPure(hull, group)) parts[k] = hull;
        }
        if (isOpen(group)) addFrames(group, parts, false);
    }

    /// No box of another group reaches into the frame.
    bool isPure(const Rect& frame, std::uint32_t group) {
        m_found.clear();
        m_layout.itemIndex.query(frame, m_found);
        return std::all_of(m_found.begin(), m_found.end(), [&](std::uint32_t i) {
            const PlacedItem& item = m_layout.items[i];
            std::uint32_t g = item.node != kNoIndex ? m_plan.graph.nodes[item.node].group : item.group;
            while (g < m_groups.size() && g != group)
                g = m_groups[g].parent;
            return g == group;
        });
    }

    void addFrames(std::uint32_t group, const std::array<Rect, kColumnCount>& parts, bool asOne) {
        GroupFrame frame;
        frame.group = group;
        for (std::uint8_t k = 0; k < kColumnCount; ++k) {
            if (parts[k].isEmpty()) continue;
            if (!asOne || frame.rect.isEmpty()) {
                frame.column = k;
                frame.rect = {};
                frame.parts = {};
            }
            frame.parts[k] = parts[k];
            frame.rect = frame.rect.united(parts[k]);
            if (!asOne) push(frame);
        }
        if (asOne && !frame.rect.isEmpty()) push(frame);
    }

    void push(const GroupFrame& frame) {
        for (std::uint8_t k = 0; k < kColumnCount; ++k)
            if (!frame.parts[k].isEmpty())
                m_frameOf[frame.group * kColumnCount + k] =
                    static_cast<std::uint32_t>(m_layout.frames.size());
        m_layout.frames.push_back(frame);
    }

    /// Counts the nodes in each frame, and finds which frames stand in which.
    void countNodes() {
        m_layout.innerFrame.assign(m_layout.items.size(), kNoIndex);
        std::vector<std::array<bool, kColumnCount>> hasRole(m_layout.frames.size(), {false, false, false});
        for (std::uint32_t n = 0; n < m_plan.graph.nodes.size(); ++n) {
            const std::uint32_t index = m_layout.itemOfNode[n];
            const PlacedItem& item = m_layout.items[index];
            std::uint32_t inner = kNoIndex;
            for (std::uint32_t g = m_plan.graph.nodes[n].group; g < m_groups.size(); g = m_groups[g].parent) {
                const std::uint32_t frame = m_frameOf[g * kColumnCount + item.column];
                if (frame == kNoIndex) continue;
                m_layout.frames[frame].nodeCount += 1 + m_plan.graph.nodes[n].folded;
                (inner == kNoIndex ? m_layout.innerFrame[index]
                                   : m_layout.frames[inner].around[item.column]) = frame;
                inner = frame;
                if (!hasRole[frame][item.column])
                    m_layout.frames[frame].roles[item.column] = m_plan.graph.nodes[n].role;
                hasRole[frame][item.column] = true;
            }
        }
        sortFrames();
    }

    void sortFrames() {
        std::vector<std::uint32_t> order(m_layout.frames.size()), renamed(order.size());
        for (std::uint32_t f = 0; f < order.size(); ++f)
            order[f] = f;
        // Outer frames first, so that inner ones are drawn and hit above them.
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_groups[m_layout.frames[a].group].depth < m_groups[m_layout.frames[b].group].depth;
        });
        std::vector<GroupFrame> sorted;
        for (const std::uint32_t f : order) {
            renamed[f] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(m_layout.frames[f]);
        }
        m_layout.frames.swap(sorted);
        const auto rename = [&](std::uint32_t& f) { f = f == kNoIndex ? f : renamed[f]; };
        std::for_each(m_layout.innerFrame.begin(), m_layout.innerFrame.end(), rename);
        for (GroupFrame& frame : m_layout.frames)
            std::for_each(frame.around.begin(), frame.around.end(), rename);
    }

    const Plan& m_plan;
    Layout& m_layout;
    const std::vector<Group>& m_groups;
    std::vector<std::array<Rect, kColumnCount>> m_hull; ///< by group and column
    std::vector<std::uint32_t> m_containerOf;           ///< by group
    std::vector<std::uint32_t> m_frameOf;               ///< by group and column
    std::vector<std::uint32_t> m_found;
};

} // namespace

void placeFrames(const Plan& plan, Layout& layout) {
    FrameMaker(plan, layout).run();
}

} // namespace secateur
