// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"

#include <cstddef>
#include <functional>
#include <string>

namespace secateur {

/// Gives the edges of a finished layout the places of their labels: one for each value, where it leaves its
/// box; the bytes of a stash between the columns. A label covers no box, no tag and no other label; one that
/// finds no room is left out. The indices of boxes and portals must be there. Linear in labels.
/// `isCancelledAt` is asked with the number of each step; where it says yes the rest goes without labels.
void placeLabels(const LayoutGraph& graph, Layout& layout,
                 const std::function<bool(std::size_t step)>& isCancelledAt);

/// The bytes that a stash keeps, "16.0 MiB", or its type where they are not known; for others the type.
[[nodiscard]] std::string edgeText(const LayoutGraph& graph, const Layout& layout, const PlacedEdge& edge);

} // namespace secateur
