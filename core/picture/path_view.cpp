// SPDX-License-Identifier: Apache-2.0
#include "core/picture/path_view.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/picture/edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace secateur {
namespace {

constexpr ColorRef kAccent{ThemeRole::accent, Shade::solid};
constexpr ColorRef kGround{ThemeRole::canvas, Shade::solid};
constexpr ColorRef kOnAccent{ThemeRole::accent, Shade::textOn};
constexpr float kPathWidth = 3;
constexpr double kFreeLeft = 3; ///< view pixels inside of a box in which nothing is written

class PathPainter {
  public:
    PathPainter(const Scene& scene, const ViewRequest& request, DisplayList& out)
        : m_scene(scene), m_layout(*scene.layout), m_request(request), m_out(out) {}

    void drawLines(const std::vector<PathBox>& path) {
        for (std::size_t i = 1; i < path.size(); ++i)
            drawLink(path[i - 1].item, path[i].item);
    }

    void drawMarks(const std::vector<PathBox>& path) {
        m_written = m_out.items.size();
        // Where a dot would cover the next one, only the beginning has one.
        const bool isVeryFar = m_request.zoom < kBlobZoom;
        for (const PathBox& box : path)
            if (box.number != 0 && (!isVeryFar || &box == &path.front())) drawNumber(box.item, box.number);
        if (!path.empty()) drawEnd(path.back().item);
    }

  private:
    /// A text of the picture below.
    bool coversText(const Rect& disc) const {
        return std::any_of(
            m_out.items.begin(), m_out.items.begin() + static_cast<std::ptrdiff_t>(m_written),
            [&](const DrawItem& item) { return item.op == DrawOp::text && item.rect.intersects(disc); });
    }
    bool isInView(const Rect& box) const {
        return box.intersects(
            {0, 0, m_request.viewport.width * m_request.zoom, m_request.viewport.height * m_request.zoom});
    }

    Rect boxOf(std::uint32_t item) const {
        const Rect& world = m_layout.items[item].rect;
        const Point corner = toView(m_request, {world.x, world.y});
        return {corner.x, corner.y, world.width * m_request.zoom, world.height * m_request.zoom};
    }

    /// An edge on a ground of canvas colour, so that it stays whole where lines cross it; where no edge is
    /// drawn (a capture, a value that passes through a row) a dashed line from box to box.
    void drawLink(std::uint32_t from, std::uint32_t to) {
        if (const PlacedEdge* edge = edgeBetween(m_scene, m_request, from, to)) {
            EdgeLook ground;
            ground.color = kGround;
            ground.width = kPathWidth + 3;
            drawEdge(m_scene, m_request, *edge, ground, m_out);
            EdgeLook look;
            look.color = kAccent;
            look.width = kPathWidth;
            drawEdge(m_scene, m_request, *edge, look, m_out);
            return;
        }
        const Rect a = boxOf(from), b = boxOf(to);
        const bool isDown = a.bottom() <= b.y;
        const std::array<Point, 2> line{Point{a.centerX(), isDown ? a.bottom() : a.centerY()},
                                        Point{b.centerX(), isDown ? b.y : b.centerY()}};
        stroked(m_out.addPolyline(line.data(), line.size()), kAccent, kPathWidth, DashStyle::stash);
    }

    /// A disc at the upper left corner with the position in the path, left of where texts begin, or further
    /// down the left side where that covers a label; far away a dot.
    void drawNumber(std::uint32_t item, std::uint32_t number) {
        const Rect box = boxOf(item);
        const bool isNear = m_request.zoom >= kCardZoom;
        const double radius = isNear ? 9 * std::clamp(m_request.zoom, 0.85, 1.4) : 3;
        const std::string text = std::to_string(number);
        const double px = std::max(kSmallestTextPx, radius * 1.1);
        const double width = std::max(2 * radius, textWidth(text, FontFace::SansBold, px) + radius);
        const double title = std::min(node_metrics::kTitleHeight * m_request.zoom, box.height);
        const double free = std::min(kFreeLeft, node_metrics::kTextRight * m_request.zoom - 1);
        Rect disc{box.x - radius, box.y + title / 2 - radius, width, 2 * radius};
        if (isNear) {
            const double corner = box.y - 1.4 * radius;
            disc = {box.x + free - width, corner, width, 2 * radius};
            for (const double y : {corner, box.y + title / 2 - radius, box.bottom() - 0.6 * radius, corner}) {
                disc.y = y;
                if (!isInView(disc) || !coversText(disc)) break;
            }
        }
        const Point c{disc.centerX(), disc.centerY()};
        stroked(filled(m_out.addRect(disc, static_cast<float>(radius)), kAccent), kGround, 1.5F);
        if (!isNear) return;
        const double baseline =
            c.y + (fontAscent(FontFace::SansBold, px) - fontDescent(FontFace::SansBold, px)) / 2;
        m_out.addText(text, disc, baseline, FontFace::SansBold, px, kOnAccent, TextAlign::center);
    }

    void drawEnd(std::uint32_t item) {
        if (m_request.path.end == PathProof::End::none) return;
        const Rect box = boxOf(item);
        const double s = 8 * std::clamp(m_request.zoom, 0.6, 1.4);
        const Point c{box.centerX(), box.bottom() + s * 1.7};
        const std::array<Point, 2> stem{Point{c.x, box.bottom()}, Point{c.x, c.y}};
        stroked(m_out.addPolyline(stem.data(), stem.size()), kAccent, kPathWidth);
        if (m_request.path.end == PathProof::End::target) {
            stroked(filled(m_out.addEllipse({c.x - s, c.y - s, 2 * s, 2 * s}), kGround), kAccent, 2);
            filled(m_out.addEllipse({c.x - s / 2, c.y - s / 2, s, s}), kAccent);
        } else {
            const std::array<Point, 2> bar{Point{c.x - s * 1.2, c.y}, Point{c.x + s * 1.2, c.y}};
            stroked(m_out.addPolyline(bar.data(), bar.size()), kAccent, kPathWidth);
        }
        if (!m_request.path.endText.empty()) drawEndText(c, s * 1.6);
    }

    /// Right of the mark, or left of it where the view ends; cut where the view is narrower than the text.
    void drawEndText(const Point& mark, double distance) {
        const double px =
            std::floor(std::clamp(node_metrics::kLabelPx * m_request.zoom, kSmallestTextPx + 1, 14.0));
        const double view = m_request.viewport.width * m_request.zoom;
        const double padding = 4;
        const double width =
            std::min(textWidth(m_request.path.endText, FontFace::SansBold, px), view - 4 * padding) +
            2 * padding;
        double left = mark.x + distance;
        const bool isMarkInView = mark.x >= 0 && mark.x <= view;
        if (isMarkInView && left + width > view - padding)
            left = std::max(padding, mark.x - distance - width);
        const Rect plate{left, mark.y - px * 0.75, width, px * 1.5};
        stroked(filled(m_out.addRect(plate, 3), {ThemeRole::card, Shade::solid}), kAccent, 1);
        drawText(m_request.path.endText, {plate.x + padding, mark.y}, width - 2 * padding + 1,
                 FontFace::SansBold, px, {ThemeRole::text, Shade::solid}, m_out);
    }

    const Scene& m_scene;
    const Layout& m_layout;
    const ViewRequest& m_request;
    DisplayList& m_out;
    std::size_t m_written = 0; ///< items of `m_out` that were there before the marks
};

} // namespace

void drawPathLines(const Scene& scene, const ViewRequest& request, const std::vector<PathBox>& path,
                   DisplayList& out) {
    PathPainter(scene, request, out).drawLines(path);
}

void drawPathMarks(const Scene& scene, const ViewRequest& request, const std::vector<PathBox>& path,
                   DisplayList& out) {
    PathPainter(scene, request, out).drawMarks(path);
}

} // namespace secateur
