// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/viewport.h"

namespace secateur {

namespace {

/// The zoom that a picture too large to open whole opens with: all texts can be read.
constexpr double kReadableZoom = 0.62;
/// What the map of the whole takes at the right of such a one.
constexpr double kMapRoom = 64;

/// Origin along one axis, so that [low, high] stands in the middle of `room` world units.
double centred(double low, double high, double room) {
    return (low + high - room) / 2;
}

double clampedAxis(double origin, double low, double high, double room) {
    const double slack = room / 2;
    return std::clamp(origin, low - slack, std::max(low - slack, high - room + slack));
}

} // namespace

Viewport zoomedAt(const Viewport& view, Point at, double factor) {
    const double zoom =
        std::clamp(view.zoom * factor, std::min(kSmallestZoom, view.zoom), std::max(kLargestZoom, view.zoom));
    const Point world = viewToWorld(view, at);
    return {{world.x - at.x / zoom, world.y - at.y / zoom}, zoom};
}

Viewport fitted(const Rect& bounds, PaneSize size, double largest) {
    if (bounds.isEmpty() || size.width <= 0 || size.height <= 0) return {};
    // In a pane of less than its margins still something.
    const double width = std::max(1.0, size.width - 2 * kFitMargin),
                 height = std::max(1.0, size.height - 2 * kFitMargin);
    const double zoom = std::min({width / bounds.width, height / bounds.height, largest});
    return {{centred(bounds.x, bounds.right(), size.width / zoom),
             centred(bounds.y, bounds.bottom(), size.height / zoom)},
            zoom};
}

Viewport firstView(const Rect& bounds, const Rect& start, PaneSize size) {
    const Viewport whole = fitted(bounds, size);
    if (whole.zoom >= kWholeZoom || bounds.isEmpty()) return whole;
    const double wide = (size.width - 2 * kFitMargin - kMapRoom) / bounds.width;
    Viewport top;
    top.zoom = std::clamp(wide, kReadableZoom, 1.0);
    const double room = size.width / top.zoom;
    const double margin = kFitMargin / top.zoom;
    top.origin.y = (start.isEmpty() ? bounds.y : start.y) - margin;
    const double middle = centred(bounds.x, bounds.right(), room);
    const double besideMap = bounds.right() + (kFitMargin + kMapRoom) / top.zoom - room;
    if (bounds.width + 2 * margin <= room)
        top.origin.x = std::clamp(besideMap, middle, std::max(middle, bounds.x - margin));
    else if (start.isEmpty() || start.right() + margin <= bounds.x - margin + room)
        top.origin.x =
            bounds.x - margin; // what does not fit is cut at the right: the forward half stands at the left
    else
        top.origin.x = start.centerX() - room / 3;
    return top;
}

Viewport keptInside(const Viewport& view, const Rect& content, PaneSize size) {
    if (content.isEmpty() || size.width <= 0) return view;
    const double margin = kFitMargin / view.zoom;
    const double low = content.x - margin, high = content.right() + margin - size.width / view.zoom;
    Viewport out = view;
    out.origin.x = std::clamp(view.origin.x, std::min(low, high), std::max(low, high));
    return out;
}

Viewport keptInSight(const Viewport& view, const Rect& content, PaneSize size) {
    if (content.isEmpty() || size.height <= 0) return view;
    constexpr double kLeast = 96; // pixels
    const double least = std::min({kLeast / view.zoom, content.height, size.height / view.zoom});
    Viewport out = view;
    out.origin.y =
        std::clamp(view.origin.y, content.y + least - size.height / view.zoom, content.bottom() - least);
    return out;
}

Viewport clamped(const Viewport& view, const Rect& bounds, PaneSize size) {
    if (bounds.isEmpty()) return view;
    Viewport out = view;
    // What is too large for the smallest zoom can be seen whole all the same.
    const double smallest = std::min(kSmallestZoom, fitted(bounds, size).zoom);
    out.zoom = std::clamp(view.zoom, smallest, kLargestZoom);
    out.origin.x = clampedAxis(view.origin.x, bounds.x, bounds.right(), size.width / out.zoom);
    out.origin.y = clampedAxis(view.origin.y, bounds.y, bounds.bottom(), size.height / out.zoom);
    return out;
}

Viewport revealing(const Viewport& view, const Rect& target, PaneSize size) {
    if (target.isEmpty()) return view;
    const Rect seen = worldRect(view, size);
    const double margin = kFitMargin / view.zoom;
    const bool isInside = target.x >= seen.x && target.right() <= seen.right() && target.y >= seen.y &&
                          target.bottom() <= seen.bottom();
    if (isInside) return view;
    Viewport out = view;
    const auto moved = [margin](double origin, double room, double low, double high) {
        if (high - low > room - 2 * margin) return low - margin;
        return std::clamp(origin, high + margin - room, low - margin);
    };
    // Far jumps put the target in the middle: at the rim it is easily overlooked.
    const bool isFar = !seen.intersects(target);
    out.origin.x = isFar ? centred(target.x, target.right(), seen.width)
                         : moved(view.origin.x, seen.width, target.x, target.right());
    out.origin.y = isFar ? centred(target.y, target.bottom(), seen.height)
                         : moved(view.origin.y, seen.height, target.y, target.bottom());
    return out;
}

} // namespace secateur
