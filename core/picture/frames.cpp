// SPDX-License-Identifier: Apache-2.0
#include "core/picture/frames.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/picture/edges.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr std::uint32_t kSmallestFrame = 8;                 ///< nodes in a frame that is always drawn
constexpr double kTallestBlob = 64;                         ///< on screen
constexpr double kSmallestWidth = 24, kSmallestHeight = 16; ///< on screen

bool isHovered(const ViewRequest& request, std::uint32_t frame) {
    return request.hovered.kind == Hit::Kind::frame && request.hovered.index == frame;
}

/// Does the pane show anything inside?
bool holdsSomething(const Scene& scene, Pane pane, std::uint32_t frame) {
    if (pane != Pane::after || frame >= scene.state->frames.size()) return true;
    std::uint32_t total = 0, present = 0;
    for (const GroupTally& tally : scene.state->frames[frame]) {
        total += tally.total;
        present += tally.now();
    }
    return total == 0 || present > 0;
}

bool coversBox(const Scene& scene, const ViewRequest& request, const Rect& title) {
    const Point corner = toWorld(request, {title.x, title.y});
    std::vector<std::uint32_t> found;
    scene.layout->itemIndex.query(
        {corner.x, corner.y, title.width / request.zoom, title.height / request.zoom}, found);
    // As if all boxes of Before and After stood here: the panes write a name at the same place.
    return std::any_of(found.begin(), found.end(), [&](std::uint32_t i) {
        const std::uint32_t node = scene.layout->items[i].node;
        return node == kNoIndex || scene.state->stateOf(node).diff != DiffState::absent;
    });
}

double titlePx(const ViewRequest& request) {
    return std::clamp(node_metrics::kLabelPx * request.zoom, kSmallestTextPx, 14.0);
}

void drawFrame(const Scene& scene, const ViewRequest& request, std::uint32_t index, DisplayList& out) {
    const GroupFrame& frame = scene.layout->frames[index];
    const Point corner = toView(request, {frame.rect.x, frame.rect.y});
    const Rect box{corner.x, corner.y, frame.rect.width * request.zoom, frame.rect.height * request.zoom};
    stroked(out.addRect(box, 6), {ThemeRole::outline, Shade::faded}, 1);
    if (isHovered(request, index)) stroked(out.items.back(), {ThemeRole::accent, Shade::solid}, 1);
}

template <class Visit> void eachDrawnFrame(const Scene& scene, const ViewRequest& request, Visit visit) {
    for (std::uint32_t f = 0; f < scene.layout->frames.size(); ++f)
        if (scene.layout->frames[f].rect.intersects(request.viewport) && isFrameDrawn(scene, request, f))
            visit(f);
}

void drawTitle(const Scene& scene, const ViewRequest& request, std::uint32_t index, DisplayList& out) {
    const Rect plate = frameTitleBox(scene, request, index);
    if (plate.isEmpty()) return;
    const double px = titlePx(request);
    filled(out.addRect(plate, 2), {ThemeRole::canvas, Shade::solid});
    drawText(groupTitle(scene, scene.layout->frames[index].group), {plate.x + 4, plate.y + px * 0.7},
             plate.width - 7, FontFace::SansRegular, px, {ThemeRole::muted, Shade::solid}, out);
}

} // namespace

bool isFrameBlob(const Scene& scene, const ViewRequest& request, std::uint32_t frame) {
    return request.zoom < kBlobZoom && scene.layout->frames[frame].rect.height * request.zoom <= kTallestBlob;
}

std::uint32_t blobAround(const Scene& scene, const ViewRequest& request, std::uint32_t item) {
    std::uint32_t blob = kNoIndex;
    if (request.zoom >= kBlobZoom) return blob;
    scene.layout->eachFrameAround(item, [&](std::uint32_t frame, std::uint8_t) {
        if (isFrameBlob(scene, request, frame)) blob = frame;
    });
    return blob;
}

bool isFrameDrawn(const Scene& scene, const ViewRequest& request, std::uint32_t index) {
    const GroupFrame& frame = scene.layout->frames[index];
    if (isFrameBlob(scene, request, index)) return false;
    if (frame.rect.width * request.zoom < kSmallestWidth ||
        frame.rect.height * request.zoom < kSmallestHeight)
        return false;
    if (isHovered(request, index)) return true;
    const double column = scene.layout->columns[frame.column].height;
    return frame.nodeCount >= kSmallestFrame && frame.rect.height < 0.8 * column &&
           holdsSomething(scene, request.pane, index);
}

Rect frameTitleBox(const Scene& scene, const ViewRequest& request, std::uint32_t index) {
    const GroupFrame& frame = scene.layout->frames[index];
    const Point corner = toView(request, {frame.rect.x, frame.rect.y});
    const double px = titlePx(request);
    const double room = frame.rect.width * request.zoom;
    const double width =
        std::min(textWidth(groupTitle(scene, frame.group), FontFace::SansRegular, px), room - 24) + 8;
    if (request.zoom >= kCardZoom) return {corner.x + 8, corner.y - px * 1.05, width, px * 1.4};
    // Far away it stands above the line, below it or under the frame, where it covers no box.
    const double height = px * 1.4, free = std::max(0.0, room - 16 - width);
    for (const double top : {corner.y - height, corner.y + 1, corner.y + frame.rect.height * request.zoom}) {
        for (const double part : {0.0, 0.5, 1.0}) {
            const Rect title{corner.x + 8 + part * free, top, width, height};
            if (!coversBox(scene, request, title)) return title;
        }
    }
    return {};
}

void drawFrames(const Scene& scene, const ViewRequest& request, DisplayList& out) {
    eachDrawnFrame(scene, request, [&](std::uint32_t f) {
        drawFrame(scene, request, f, out);
        ++out.counters.frames;
    });
}

void drawFrameTitles(const Scene& scene, const ViewRequest& request, DisplayList& out) {
    eachDrawnFrame(scene, request, [&](std::uint32_t f) { drawTitle(scene, request, f, out); });
}

std::string_view groupTitle(const Scene& scene, std::uint32_t group) {
    const bool isKnown = scene.hierarchy != nullptr && group < scene.hierarchy->groups.size();
    return isKnown ? std::string_view(scene.hierarchy->groups[group].title) : std::string_view();
}

} // namespace secateur
