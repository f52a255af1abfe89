// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/display_list.h"
#include "core/picture/telling_names.h"

#include <optional>
#include <string>
#include <string_view>

namespace secateur {

constexpr double kFarTextPx = 9; ///< of a name beside a blob too small to hold it

/// What a group is drawn from when its nodes are not drawn one by one.
struct BlobInput {
    std::string_view title;
    const TellingNames* siblings =
        nullptr;       ///< how the title is cut where it does not fit; null: in its middle
    std::string words; ///< "412 of 655 removed"; left out where it does not fit whole
    Rect box;          ///< in view pixels
    double zoom = 1;
    ColorRef color;
    std::optional<ColorRef> barColor; ///< of the bar and the texture; none: `color`
    double kept = 1;                  ///< filled part of the bar, 0 to 1
    bool isHollow = false;            ///< nothing of it is kept: dashed
    bool isHole = false;              ///< the pane shows nothing of it
    bool showsRemoved = true;         ///< what is not kept is hatched, else left empty
    bool isHovered = false;
    bool isSelected = false;
    bool isInSelectedStep = false;
    double labelRoom = 0; ///< pixels free beside the box, for a name that does not fit inside
    bool isLabelRight = false;
    double labelGap = 5; ///< pixels between the box and the name
};

/// A box with the group's name and a bar whose filled part is what is kept.
void drawBlob(const BlobInput& blob, DisplayList& out);

} // namespace secateur
