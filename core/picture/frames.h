// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <string_view>

namespace secateur {

/// Is the outline of an open group drawn? One around nearly a whole column tells nothing, nor does one around
/// a few nodes, or around holes alone; the hovered one is drawn in any case.
bool isFrameDrawn(const Scene& scene, const ViewRequest& request, std::uint32_t frame);

/// Is an open group drawn as one blob? Far away, where it is not so tall that what is in it can be told
/// apart. All frames inside such a one are, too.
bool isFrameBlob(const Scene& scene, const ViewRequest& request, std::uint32_t frame);
/// The frame drawn as a blob in which a box of the layout disappears; kNoIndex: none.
std::uint32_t blobAround(const Scene& scene, const ViewRequest& request, std::uint32_t item);

/// Where the name of a drawn frame stands, in view pixels; empty where it would lie on boxes wherever it
/// stood.
Rect frameTitleBox(const Scene& scene, const ViewRequest& request, std::uint32_t frame);

/// Outlines of open groups in view.
void drawFrames(const Scene& scene, const ViewRequest& request, DisplayList& out);
/// Their names, on a ground that interrupts what lies below.
void drawFrameTitles(const Scene& scene, const ViewRequest& request, DisplayList& out);

/// What a group is called; "" for none.
std::string_view groupTitle(const Scene& scene, std::uint32_t group);

} // namespace secateur
