// SPDX-License-Identifier: Apache-2.0
//
// What of a graph is open when a picture of it is first shown.
#include "core/layout/column_layout.h"
#include "core/layout/container_ranks.h"
#include "core/layout/containers.h"
#include "core/layout/layered.h"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr std::uint32_t kFewGroups = 20; ///< a closed picture is opened until it shows as many names
/// Seen whole in a pane of 640 pixels, a picture taller than this shrinks below 5 %: a hair of a column.
constexpr double kTallestOpen = 12000;
/// The same for one of groups: below 15 % their names stand closer than a line of text is high.
constexpr double kTallestOfGroups = 4200;

/// The same for its width: panes are half as wide as a window, and far more rarely scrolled sideways.
constexpr double kWidestOpen = 16000;
/// Ranks narrower than this do not make such a picture; of wider ones the lanes of edges beside the boxes
/// decide, which only a layout knows.
constexpr double kWideRank = 4000;

struct Extent {
    std::array<double, kColumnCount> widths{};
    double height = 0;
    [[nodiscard]] double width() const { return widths[0] + widths[1] + widths[2]; }
};

/// Size of the picture with these groups open: its ranks one below the other, the widest of them, without the
/// room that edges take.
Extent sizeOfRanks(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded) {
    const LayoutOptions options;
    Plan plan(graph, hierarchy, expanded, options);
    makeContainers(plan);
    rankContainers(plan);
    std::vector<Extent> sizes(plan.containers.size());
    for (std::size_t c = plan.containers.size(); c-- > 0;) { // parents come before children
        const Container& container = plan.containers[c];
        std::vector<Extent> rows(container.rankCount);
        for (const std::uint32_t u : container.units) {
            const Unit& unit = plan.units[u];
            if (unit.rank >= rows.size()) continue;
            const bool isBox = unit.child == kNoIndex;
            rows[unit.rank].height =
                std::max(rows[unit.rank].height, isBox ? unit.height : sizes[unit.child].height);
            rows[unit.rank].widths[unit.column] +=
                options.nodeGap + (isBox ? unit.left + unit.right : sizes[unit.child].widths[unit.column]);
        }
        for (const Extent& row : rows) {
            sizes[c].height += row.height + options.rankGap;
            for (std::size_t k = 0; k < kColumnCount; ++k)
                sizes[c].widths[k] = std::max(sizes[c].widths[k], row.widths[k]);
        }
        if (container.kind == Container::Kind::group) sizes[c].height += 2 * kFramePadding;
    }
    return sizes.front();
}

/// Opens groups of a picture that is closed at first, the largest one first.
class Opener {
  public:
    Opener(const LayoutGraph& graph, const Hierarchy& hierarchy, std::uint32_t visibleLimit)
        : m_hierarchy(hierarchy), m_visibleLimit(visibleLimit), m_direct(hierarchy.groups.size(), 0),
          m_rows(hierarchy.groups.size(), 0) {
        m_state.open.assign(hierarchy.groups.size(), false);
        m_visible = hierarchy.roots.size();
        for (const LayoutNode& node : graph.nodes) {
            if (node.group >= m_direct.size()) {
                ++m_visible;
                continue;
            }
            ++m_direct[node.group];
            if (columnOf(node.role) == 0) m_rows[node.group] += node.height + LayoutOptions().rankGap;
        }
    }

    /// `height`: of the closed picture.
    ExpandState open(double height) {
        for (const std::uint32_t g : m_hierarchy.roots)
            close(g);
        while (!m_closed.empty() && m_shown < kFewGroups) {
            const std::uint32_t g = ~m_closed.top().second;
            m_closed.pop();
            const auto& children = m_hierarchy.groups[g].children;
            const std::size_t more = m_direct[g] + children.size();
            const double taller =
                m_rows[g] + static_cast<double>(children.size()) * (kBlobHeight + LayoutOptions().rankGap);
            if (children.empty() || m_visible + more > m_visibleLimit || height + taller > kTallestOfGroups)
                continue;
            m_visible += more;
            height += taller;
            m_state.open[g] = true;
            --m_shown;
            for (const std::uint32_t child : children)
                close(child);
        }
        return std::move(m_state);
    }

  private:
    void close(std::uint32_t g) {
        ++m_shown;
        m_closed.push({m_hierarchy.groups[g].nodeCount, ~g});
    }

    const Hierarchy& m_hierarchy;
    std::size_t m_visibleLimit;
    std::vector<std::uint32_t> m_direct; ///< by group: nodes right in it
    std::vector<double> m_rows; ///< by group: their height, when the forward ones stand in one column
    std::size_t m_visible = 0;  ///< boxes
    std::size_t m_shown = 0;    ///< closed groups that can be seen
    /// Nodes, and the complement of the index: of equal ones the first.
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> m_closed;
    ExpandState m_state;
};

} // namespace

ExpandState initialExpandState(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               std::uint32_t visibleLimit) {
    ExpandState all;
    all.open.assign(hierarchy.groups.size(), true);
    if (hierarchy.groups.empty()) return all;
    const bool isSmall = graph.nodes.size() <= visibleLimit;
    if (isSmall) {
        const Extent open = sizeOfRanks(graph, hierarchy, all);
        const auto isNarrow = [&] {
            return open.width() <= kWideRank ||
                   (open.width() <= kWidestOpen &&
                    layoutGraph(graph, hierarchy, all).bounds.width <= kWidestOpen);
        };
        if (open.height <= kTallestOpen && isNarrow()) return all;
    }
    ExpandState closed;
    closed.open.assign(hierarchy.groups.size(), false);
    const Extent least = sizeOfRanks(graph, hierarchy, closed);
    ExpandState some = Opener(graph, hierarchy, visibleLimit).open(least.height);
    const double widest = std::max(kWidestOpen, least.width());
    return sizeOfRanks(graph, hierarchy, some).width() <= widest ? some : closed;
}

} // namespace secateur
