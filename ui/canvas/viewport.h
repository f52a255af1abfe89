// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/geometry.h"

#include <algorithm>

namespace secateur {

/// Which part of the world a pane shows: the world point at its top left corner, and pixels for one world
/// unit.
struct Viewport {
    Point origin;
    double zoom = 1;
    friend bool operator==(const Viewport&, const Viewport&) = default;
};

constexpr double kSmallestZoom = 0.005;
constexpr double kLargestZoom = 4;
/// Free room around a picture that is fitted, in pixels.
constexpr double kFitMargin = 16;
/// A picture that fits at this zoom opens whole: titles can still be read at it.
constexpr double kWholeZoom = 0.5;

struct PaneSize {
    double width = 0, height = 0;
};

[[nodiscard]] inline Point viewToWorld(const Viewport& view, Point at) {
    return {view.origin.x + at.x / view.zoom, view.origin.y + at.y / view.zoom};
}
[[nodiscard]] inline Point worldToView(const Viewport& view, Point at) {
    return {(at.x - view.origin.x) * view.zoom, (at.y - view.origin.y) * view.zoom};
}
[[nodiscard]] inline Rect worldRect(const Viewport& view, PaneSize size) {
    return {view.origin.x, view.origin.y, size.width / view.zoom, size.height / view.zoom};
}

/// Another zoom with the world point under `at` (pixels) staying where it is.
[[nodiscard]] Viewport zoomedAt(const Viewport& view, Point at, double factor);
/// All of `bounds`, centred, at most at `largest`.
[[nodiscard]] Viewport fitted(const Rect& bounds, PaneSize size, double largest = 1);
/// The same moved sideways as little as needed to keep `content` in the pane: all of it where it fits.
[[nodiscard]] Viewport keptInside(const Viewport& view, const Rect& content, PaneSize size);
/// The same moved up or down as little as needed to keep some of `content` in the pane.
[[nodiscard]] Viewport keptInSight(const Viewport& view, const Rect& content, PaneSize size);
/// What a model opens with: all of it down to kWholeZoom, else the place where it begins (`start`, a box
/// inside bounds) at a zoom where names can.
[[nodiscard]] Viewport firstView(const Rect& bounds, const Rect& start, PaneSize size);
/// The nearest view that shows some of `bounds`: scrolling ends half a pane behind the last node.
[[nodiscard]] Viewport clamped(const Viewport& view, const Rect& bounds, PaneSize size);
/// The nearest view in which `target` is inside the pane; unchanged when it is already.
[[nodiscard]] Viewport revealing(const Viewport& view, const Rect& target, PaneSize size);

} // namespace secateur
