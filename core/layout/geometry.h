// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace secateur {

/// A point in world units (one unit is one pixel at 100 % zoom); y grows downward.
struct Point {
    double x = 0;
    double y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// An axis-parallel rectangle; empty when either side is not positive.
struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
    double centerX() const { return x + width / 2; }
    double centerY() const { return y + height / 2; }
    bool isEmpty() const { return width <= 0 || height <= 0; }
    bool contains(Point p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
    bool intersects(const Rect& o) const {
        return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom();
    }
    Rect inflated(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }

    /// The smallest rectangle around both; an empty one does not count.
    Rect united(const Rect& o) const {
        if (isEmpty()) return o;
        if (o.isEmpty()) return *this;
        const double left = std::min(x, o.x);
        const double top = std::min(y, o.y);
        return {left, top, std::max(right(), o.right()) - left, std::max(bottom(), o.bottom()) - top};
    }
    friend bool operator==(const Rect&, const Rect&) = default;
};

} // namespace secateur
