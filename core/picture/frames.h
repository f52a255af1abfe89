// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <string_view>

namespace secateur {

/// Is the outline of an open group drawn? One around nearly a whole column tells nothing, nor does one around
/// a few nodes, or around holes alone; the hovered one is drawn in any case.
bool isFrameDrawn(const Scene& scene, const ViewRequest& request, std::uint32_t frame);

/// Where the name of a drawn frame stands, in view pixels.
Rect frameTitleBox(const Scene& scene, const ViewRequest& request, std::uint32_t frame);

/// Outlines of open groups in view.
void drawFrames(const Scene& scene, const ViewRequest& request, DisplayList& out);
/// Their names, on a ground that interrupts what lies below.
void drawFrameTitles(const Scene& scene, const ViewRequest& request, DisplayList& out);

/// What a group is called; "" for none.
std::string_view groupTitle(const Scene& scene, std::uint32_t group);
bool isOutermostGroup(const Scene& scene, std::uint32_t group);

} // namespace secateur
