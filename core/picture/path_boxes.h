// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A box that a path leads through.
struct PathBox {
    std::uint32_t item = 0;   ///< of the layout
    std::uint32_t number = 0; ///< position in the path, from 1 on; 0: none of its own
};

/// The boxes of request.path that the pane shows, in order. Nodes in one closed group are one box. Holes
/// count as well, so that a box has the same number in all panes. Where the path leads through a node that
/// stands for others which the pane still shows, it leads through those: the first of them has the number.
[[nodiscard]] std::vector<PathBox> pathBoxes(const Scene& scene, const ViewRequest& request);

/// The drawn edge from one box to another, one that is drawn whole first; null for none.
[[nodiscard]] const PlacedEdge* edgeBetween(const Scene& scene, const ViewRequest& request,
                                            std::uint32_t from, std::uint32_t to);

} // namespace secateur
