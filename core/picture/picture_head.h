// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/card.h"
#include "core/picture/compose.h"
#include "core/picture/heat.h"

#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// What stands above an exported picture, so that it can be read alone: what it shows, how much that is, and
/// what the signs in it mean. Only signs that occur.
struct PictureHead {
    struct Sign {
        enum class Kind : std::uint8_t { fill, rail, card, group, edge, portal, ring, finding };
        Kind kind = Kind::fill;
        ColorRef color;                    ///< fill, rail, group, edge
        NodeRole role = NodeRole::forward; ///< rail: its letter; card: its rail and hatching
        Look look = Look::card;            ///< card
        DashStyle dash = DashStyle::solid; ///< edge, ring
        std::string words;
        Finding finding = Finding::none; ///< finding
    };
    std::string title;  ///< the model
    std::string counts; ///< pane and numbers of nodes
    std::vector<Sign> signs;
    std::optional<HeatLegend> heat; ///< in place of what fills mean
};

/// The signs that occur in a picture, and what they mean. Linear in boxes and edges.
[[nodiscard]] std::vector<PictureHead::Sign> signsOf(const Scene& scene, const ViewRequest& request);
/// Width of a sign without its words, in view pixels.
[[nodiscard]] double signWidth(const PictureHead::Sign& sign);
/// Draws a sign without its words; `at` is the middle of its left end.
void drawSignMark(const PictureHead::Sign& sign, Point at, DisplayList& out);

/// The head of a whole picture. Linear in boxes and edges.
[[nodiscard]] PictureHead headOf(const Scene& scene, const ViewRequest& request, std::string title);

/// The least width of a page that holds the head, and the room that it takes at its top on a page of this
/// width, in view pixels.
[[nodiscard]] double headWidth(const PictureHead& head);
[[nodiscard]] double headHeight(const PictureHead& head, double pageWidth);

/// Draws it with its top left corner at that of the page.
void drawHead(const PictureHead& head, double pageWidth, DisplayList& out);

/// "Before: 60 nodes"; of a picture in which nothing differs "60 nodes".
[[nodiscard]] std::string countsText(const LayoutGraph& graph, const PictureState& state, Pane pane);

} // namespace secateur
