// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout_moves.h"

#include <algorithm>
#include <utility>

namespace secateur {
namespace {

/// Slow at both ends.
double eased(double part) {
    const double t = std::clamp(part, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

Rect between(const Rect& a, const Rect& b, double t) {
    const auto mix = [t](double from, double to) { return from + (to - from) * t; };
    return {mix(a.x, b.x), mix(a.y, b.y), mix(a.width, b.width), mix(a.height, b.height)};
}

} // namespace

Layout compactLayout(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                     const Layout& locked, LeftOut leftOut, LayoutOptions options) {
    options.leftOut = std::move(leftOut);
    options.orderFrom = &locked;
    return layoutGraph(graph, hierarchy, expanded, options);
}

Rect LayoutMoves::rectAt(std::uint32_t item, double part) const {
    const Rect& a = m_from.items[item].rect;
    const Rect& b = m_to.items[item].rect;
    if (a.isEmpty()) return b;
    if (b.isEmpty()) return a;
    return between(a, b, eased(part));
}

double LayoutMoves::opacityAt(std::uint32_t item, double part) const {
    const bool before = !m_from.items[item].rect.isEmpty(), after = !m_to.items[item].rect.isEmpty();
    if (before && after) return 1;
    if (before) return 1 - eased(part);
    return after ? eased(part) : 0;
}

Rect LayoutMoves::boundsAt(double part) const {
    if (m_from.bounds.isEmpty()) return m_to.bounds;
    if (m_to.bounds.isEmpty()) return m_from.bounds;
    return between(m_from.bounds, m_to.bounds, eased(part));
}

std::size_t LayoutMoves::moving() const {
    if (!areAlike()) return std::max(m_from.items.size(), m_to.items.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_from.items.size(); ++i)
        count += m_from.items[i].rect == m_to.items[i].rect ? 0 : 1;
    return count;
}

bool LayoutMoves::areAlike() const {
    return std::equal(
        m_from.items.begin(), m_from.items.end(), m_to.items.begin(), m_to.items.end(),
        [](const PlacedItem& a, const PlacedItem& b) { return a.node == b.node && a.group == b.group; });
}

} // namespace secateur
