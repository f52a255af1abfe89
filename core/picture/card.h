// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"
#include "core/picture/display_list.h"

#include <string>

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
    unlit,        ///< in a walk: not reached yet
    front,        ///< in a walk: reached by the latest wave
};

Look lookOf(DiffState state, Pane pane);

/// What a card is drawn from.
struct CardInput {
    std::string_view title;
    const std::vector<LayoutRow>& rows;
    OperatorKind kind = OperatorKind::generic;
    NodeRole role = NodeRole::forward;
    NodeState state{};
    std::uint8_t changedRows = 0;
    Look look = Look::card;
    ColorRef fill{};          ///< of the title: kind, role or heat
    bool isFillShown = false; ///< also on a removed card, whose body is hatched
    Rect box{};               ///< in view pixels
    double zoom = 1;
    bool showRole = false;
    bool isHovered = false;
    bool isCovered = false; ///< another card lies over it: no text or sign, of which a part would look out
    std::string former{};   ///< what the card says below it of those that it covers; empty: it covers none
};

/// Where the sign of a look stands at the top right corner of a box, both in the units of the box, which are
/// 1 / zoom view pixels at this zoom; empty when the look has none, or none so small.
[[nodiscard]] Rect badgeOf(const Rect& box, Look look, double zoom, double unitsPerPixel);

/// The room below a card for what it says of those that it covers, in the same units; empty at a zoom where
/// there is none between two cards.
[[nodiscard]] Rect formerOf(const Rect& box, double zoom, double unitsPerPixel);

/// Nodes that are drawn in the pane and that a new node lies over, since it takes their place; and what is
/// said of them below it.
[[nodiscard]] std::vector<std::uint32_t> coveredBy(const Scene& scene, Pane pane, const PlacedItem& item);
[[nodiscard]] std::string formerNames(const Scene& scene, Pane pane, const PlacedItem& item);

/// What a node says in a pane, and how it is drawn there. The box is left open.
CardInput cardOf(const Scene& scene, const ViewRequest& request, std::uint32_t node);

/// Draws a node at a zoom of kCardZoom or more.
void drawCard(const CardInput& card, DisplayList& out);

/// Selection, hover and selected-step rings, 6 px away from `box`.
void drawRings(const Rect& box, double radius, bool isSelected, bool isHovered, bool isInSelectedStep,
               DisplayList& out);

/// A font size at this zoom, in whole pixels, since painters know no others: it shrinks with the picture down
/// to the smallest readable size, where it stays.
[[nodiscard]] double textSizeAt(double px, double zoom);

/// Text cut in the middle to `width`; nothing when it would be smaller than kSmallestTextPx or cut to
/// nothing. Returns the width drawn.
double drawText(std::string_view text, Point leftMiddle, double width, FontFace face, double px,
                ColorRef color, DisplayList& out);

} // namespace secateur
