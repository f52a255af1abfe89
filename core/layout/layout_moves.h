// SPDX-License-Identifier: Apache-2.0
//
// Closing the holes that steps leave, and the way there and back: two layouts of one graph with the same
// groups open have the same boxes in the same order, so a box is told by its index in both.
#pragma once

#include "core/layout/layered.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Lays out what is left when `leftOut` takes no room: ranks close up, and what stood left of what stays so.
/// `locked` is the layout of everything with the same groups open. Boxes that are left out have empty
/// rectangles. Linear.
[[nodiscard]] Layout compactLayout(const LayoutGraph& graph, const Hierarchy& hierarchy,
                                   const ExpandState& expanded, const Layout& locked, LeftOut leftOut,
                                   LayoutOptions options = {});

/// Every box on its way from one layout to another. Both must outlive it and have the same boxes.
class LayoutMoves {
  public:
    LayoutMoves(const Layout& from, const Layout& to) : m_from(from), m_to(to) {}

    /// Where a box is at `part` of the way, from 0 to 1 (slow at both ends). One that only one of the layouts
    /// shows stays where it is.
    [[nodiscard]] Rect rectAt(std::uint32_t item, double part) const;
    /// How much of a box shows: it fades where only one of the layouts has it.
    [[nodiscard]] double opacityAt(std::uint32_t item, double part) const;
    /// The part of the picture that shows at `part` of the way, with the same frames of reference at its
    /// ends.
    [[nodiscard]] Rect boundsAt(double part) const;
    /// Boxes that stand elsewhere or come or go; none: nothing needs to be animated.
    [[nodiscard]] std::size_t moving() const;
    /// Whether the layouts have the same boxes.
    [[nodiscard]] bool areAlike() const;

  private:
    const Layout& m_from;
    const Layout& m_to;
};

} // namespace secateur
