// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"
#include "core/picture/display_list.h"

namespace secateur {

/// How a node is drawn in a pane.
enum class Look : std::uint8_t {
    nothing,
    card,
    removed,      ///< tint, hatch, dashed outline, name struck through, in the role colour
    removedFaded, ///< the same at 35 %
    hole,         ///< dotted outline
    willGo,       ///< card with a dashed outline
    replaced,     ///< card with a dash-dot accent outline
    changed,      ///< the same with changed rows dotted
    added,        ///< card with a double accent outline
};

Look lookOf(DiffState state, Pane pane);

/// The fill that carries the operator kind, or the role in that colour mode.
ColorRef fillColorOf(const LayoutNode& node, ColorMode mode);

/// What a card is drawn from.
struct CardInput {
    const LayoutNode& node;
    NodeState state;
    Look look = Look::card;
    ColorMode colorMode = ColorMode::kind;
    Rect box; ///< in view pixels
    double zoom = 1;
    bool showRole = false;
    bool isHovered = false;
};

/// Draws a node at a zoom of kCardZoom or more.
void drawCard(const CardInput& card, DisplayList& out);

/// Selection, hover and selected-step rings, 6 px away from `box`.
void drawRings(const Rect& box, double radius, bool isSelected, bool isHovered, bool isInSelectedStep,
               DisplayList& out);

/// Text cut in the middle to `width`; nothing when it would be smaller than kSmallestTextPx or cut to
/// nothing. Returns the width drawn.
double drawText(std::string_view text, Point leftMiddle, double width, FontFace face, double px,
                ColorRef color, DisplayList& out);

/// The closed group's box: a bar whose filled part is what is kept, and "412 of 655 removed".
struct BlobInput {
    std::string_view title;
    GroupTally tally;
    NodeRole role = NodeRole::forward;
    Pane pane = Pane::overlay;
    Rect box;
    double zoom = 1;
    bool showRole = false;
    bool isHovered = false;
    double labelRoom = 0; ///< pixels free at the left of the box, for a name that does not fit inside
};
void drawBlob(const BlobInput& blob, DisplayList& out);

} // namespace secateur
