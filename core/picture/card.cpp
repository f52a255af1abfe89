// SPDX-License-Identifier: Apache-2.0
#include "core/picture/card.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/messages/sentences.h"
#include "core/picture/heat.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {
namespace {

namespace nm = node_metrics;

constexpr double kPlatePadding = 3;
constexpr double kRingDistance = 6;
constexpr double kHalo = 5;
constexpr double kBadgeRadius = 7;
constexpr double kSmallestBadgeZoom = 0.4;
constexpr double kSmallestFormerZoom = 0.85; ///< below it the tip of an arrow has no room beside it
constexpr double kSmallestTitleHeight = 10;  ///< of a title bar on screen that still takes text

class CardPainter {
  public:
    CardPainter(const CardInput& card, DisplayList& out)
        : m_card(card), m_out(out), m_zoom(card.zoom), m_role{themeRoleOf(card.role), Shade::solid},
          m_isFaded(card.look == Look::removedFaded) {}

    void draw() {
        if (m_card.look == Look::nothing) return;
        if (m_card.look == Look::hole) {
            stroked(m_out.addRect(m_card.box, radius()), {ThemeRole::outline, Shade::faded}, 1,
                    DashStyle::dotted);
            return;
        }
        if (m_card.look == Look::unlit) return drawUnlit();
        const bool isRemoved = m_card.look == Look::removed || m_isFaded;
        if (m_card.look == Look::front) drawHalo();
        if (isRemoved) {
            drawRemovedBody();
        } else {
            drawBody();
        }
        drawRail();
        if (!m_card.isCovered) {
            drawTitle(isRemoved);
            drawRows(isRemoved);
        }
        drawOutline(isRemoved);
        if (!m_card.isCovered) drawBadge();
        drawFinding();
        if (!m_card.former.empty()) drawFormer();
    }

  private:
    float radius() const { return static_cast<float>(nm::kRadius * std::min(m_zoom, 1.5)); }
    double titleHeight() const { return std::min(nm::kTitleHeight * m_zoom, m_card.box.height); }
    ColorRef faded(ThemeRole role) const { return {role, m_isFaded ? Shade::faded : Shade::solid}; }

    void drawBody() {
        const Rect& box = m_card.box;
        filled(m_out.addRect(box, radius()), {ThemeRole::card, Shade::solid});
        const double height = titleHeight();
        const ColorRef fill = m_card.fill;
        const Rect bar{box.x, box.y, box.width, height};
        filled(m_out.addRect(bar, radius()), fill);
        // Square lower corners where rows follow.
        if (height < box.height) {
            const double corner = std::min<double>(radius(), height / 2);
            filled(m_out.addRect({box.x, box.y + height - corner, box.width, corner}), fill);
        }
    }

    void drawRemovedBody() {
        const Shade tint = m_isFaded ? Shade::fadedTint : Shade::tint;
        filled(m_out.addRect(m_card.box, radius()), {m_role.role, tint});
        m_out.addHatch(m_card.box.inflated(-1), {m_role.role, m_isFaded ? Shade::fadedHatch : Shade::hatch});
        if (m_card.isFillShown)
            filled(m_out.addRect({m_card.box.x, m_card.box.y, m_card.box.width, titleHeight()}, radius()),
                   faded(m_card.fill.role));
    }

    /// A soft ground around a node that a walk has just reached.
    void drawHalo() {
        filled(m_out.addRect(m_card.box.inflated(kHalo), radius() + static_cast<float>(kHalo)),
               {ThemeRole::accent, Shade::tint});
    }

    /// Not reached by a walk: an outline and a quiet name.
    void drawUnlit() {
        stroked(filled(m_out.addRect(m_card.box, radius()), {ThemeRole::canvas, Shade::solid}),
                {ThemeRole::outline, Shade::faded}, 1);
        const double height = titleHeight();
        if (height < kSmallestTitleHeight) return;
        drawText(m_card.title, {textLeft(), m_card.box.y + height / 2},
                 m_card.box.right() - nm::kTextRight * m_zoom - textLeft(), FontFace::SansBold,
                 textSizeAt(nm::kTitlePx, m_zoom), {ThemeRole::muted, Shade::faded}, m_out);
    }

    void drawRail() {
        if (!m_card.showRole) return;
        const double width = std::max(2.0, nm::kRail * std::min(m_zoom, 1.0));
        filled(m_out.addRect({m_card.box.x, m_card.box.y, width, m_card.box.height},
                             static_cast<float>(std::min<double>(radius(), width / 2))),
               faded(m_role.role));
    }

    double textLeft() const {
        return m_card.box.x + (m_card.showRole ? nm::kTextLeft : nm::kTextRight) * m_zoom;
    }

    void drawTitle(bool isRemoved) {
        const double height = titleHeight();
        if (height < kSmallestTitleHeight) return;
        const double middle = m_card.box.y + height / 2;
        const double chip = m_card.showRole ? drawChip(middle, height, isRemoved) : 0;
        const double right = m_card.box.right() - nm::kTextRight * m_zoom - chip;
        const double px = textSizeAt(nm::kTitlePx, m_zoom);
        const double room = right - textLeft();
        const std::string text = elideMiddleToWidth(m_card.title, FontFace::SansBold, px, room);
        if (text.empty()) return;
        if (!isRemoved) {
            const ColorRef fill = m_card.fill;
            drawText(text, {textLeft(), middle}, room, FontFace::SansBold, px, {fill.role, Shade::textOn},
                     m_out);
            return;
        }
        const double width = textWidth(text, FontFace::SansBold, px);
        drawPlate(textLeft(), middle, width, px);
        drawText(text, {textLeft(), middle}, room, FontFace::SansBold, px, faded(ThemeRole::text), m_out);
        const std::array<Point, 2> strike{Point{textLeft() - 1, middle + 0.5},
                                          Point{textLeft() + width + 1, middle + 0.5}};
        stroked(m_out.addPolyline(strike.data(), strike.size()), faded(ThemeRole::text),
                static_cast<float>(std::max(1.0, m_zoom)));
    }

    void drawPlate(double left, double middle, double width, double px) {
        const double half = std::min(px * 0.72, nm::kRowHeight * m_zoom / 2 - 0.5);
        filled(m_out.addRect({left - kPlatePadding, middle - half, width + 2 * kPlatePadding, 2 * half}, 2),
               faded(ThemeRole::card));
    }

    /// The role's letter at the right of the title. Returns the room that it takes.
    double drawChip(double middle, double barHeight, bool isRemoved) {
        const double size = std::min(14 * std::min(m_zoom, 1.5), barHeight - 3);
        const double px = 10 * std::min(m_zoom, 1.5);
        if (px < kSmallestTextPx || size < 10) return 0;
        const Rect chip{m_card.box.right() - size - 5 * m_zoom, middle - size / 2, size, size};
        filled(m_out.addRect(chip, 3), faded(ThemeRole::card));
        if (!isRemoved) stroked(m_out.items.back(), {ThemeRole::outline, Shade::faded}, 1);
        const char letter = roleLetter(m_card.role);
        const double baseline =
            middle + (fontAscent(FontFace::SansBold, px) - fontDescent(FontFace::SansBold, px)) / 2;
        m_out.addText({&letter, 1}, chip, baseline, FontFace::SansBold, px, faded(m_role.role),
                      TextAlign::center);
        return size + 3 * m_zoom;
    }

    void drawRows(bool isRemoved) {
        const double px = textSizeAt(nm::kRowPx, m_zoom);
        const double rowHeight = nm::kRowHeight * m_zoom;
        if (m_zoom < nm::kRowZoom) return;
        double middle = m_card.box.y + titleHeight() + (nm::kBodyPadding / 2) * m_zoom + rowHeight / 2;
        for (std::size_t r = 0; r < m_card.rows.size(); ++r, middle += rowHeight) {
            if (middle + rowHeight / 2 > m_card.box.bottom() + 1) break;
            drawRow(m_card.rows[r], middle, px, isRemoved, r < 8 && (m_card.changedRows >> r & 1) != 0);
        }
    }

    void drawRow(const LayoutRow& row, double middle, double px, bool isRemoved, bool isChanged) {
        double right = m_card.box.right() - nm::kTextRight * m_zoom;
        double x = textLeft();
        giveRoom(row, px, x, right);
        // Where the two do not fit the label may take half of the room, more if the value leaves it.
        const double gap = row.label.empty() ? 0 : nm::kLabelGap * m_zoom;
        const double free = right - x - gap - textWidth(row.value, FontFace::MonoRegular, px);
        const std::string label =
            elideMiddleToWidth(row.label, FontFace::SansRegular, px, std::max(free, (right - x) / 2));
        const double labelWidth = label.empty() ? 0 : textWidth(label, FontFace::SansRegular, px);
        const std::string value = cutValue(row, px, right - x - labelWidth - gap);
        const double width = labelWidth + gap + textWidth(value, FontFace::MonoRegular, px);
        if (isRemoved) drawPlate(x, middle, width, px);
        if (!label.empty()) {
            drawText(label, {x, middle}, right - x, FontFace::SansRegular, px, faded(ThemeRole::muted),
                     m_out);
            x += labelWidth + gap;
        }
        const bool isQuiet = row.kind == LayoutRow::Kind::constant || row.kind == LayoutRow::Kind::shapeChain;
        drawText(value, {x, middle}, right - x + 1, FontFace::MonoRegular, px,
                 faded(isQuiet ? ThemeRole::muted : ThemeRole::text), m_out);
        if (isChanged) {
            const double y = middle + px * 0.65;
            const std::array<Point, 2> line{Point{textLeft(), y}, Point{textLeft() + width, y}};
            stroked(m_out.addPolyline(line.data(), line.size()), {ThemeRole::accent, Shade::solid}, 1.5F,
                    DashStyle::dotted);
        }
    }

    /// A row that is cut for a few pixels takes them from the margins of its card.
    void giveRoom(const LayoutRow& row, double px, double& left, double& right) const {
        constexpr double kLeast = 2;
        const double label =
            row.label.empty() ? 0 : textWidth(row.label, FontFace::SansRegular, px) + nm::kLabelGap * m_zoom;
        const double width = label + textWidth(row.value, FontFace::MonoRegular, px);
        const double rail = m_card.showRole ? nm::kRail * std::min(m_zoom, 1.0) : 0;
        const double least = m_card.box.x + rail + kLeast, most = m_card.box.right() - kLeast;
        if (width <= right - left || width > most - least) return;
        left = std::min(left, least + (most - least - width) / 2);
        right = std::max(right, left + width);
    }

    /// A weight's name is cut before its shape is: the shape tells more.
    static std::string cutValue(const LayoutRow& row, double px, double room) {
        constexpr FontFace kFace = FontFace::MonoRegular;
        const std::size_t shape =
            row.kind == LayoutRow::Kind::weight ? row.value.rfind(" [") : std::string::npos;
        if (shape == std::string::npos || textWidth(row.value, kFace, px) <= room)
            return elideMiddleToWidth(row.value, kFace, px, room);
        const std::string tail = row.value.substr(shape);
        const double roomOfName = room - textWidth(tail, kFace, px);
        if (roomOfName < textWidth("mmmm", kFace, px)) return elideMiddleToWidth(row.value, kFace, px, room);
        return elideMiddleToWidth(row.value.substr(0, shape), kFace, px, roomOfName) + tail;
    }

    void drawOutline(bool isRemoved) {
        const Rect& box = m_card.box;
        const ColorRef accent{ThemeRole::accent, Shade::solid};
        if (isRemoved) {
            stroked(m_out.addRect(box, radius()), faded(m_role.role), 1.5F, DashStyle::dashed);
            return;
        }
        const bool isBroken =
            m_card.look == Look::willGo || m_card.look == Look::replaced || m_card.look == Look::changed;
        // A light line below the dashes: they show on a dark title as well.
        if (isBroken) stroked(m_out.addRect(box, radius()), {ThemeRole::card, Shade::solid}, 2);
        switch (m_card.look) {
        case Look::willGo:
            stroked(m_out.addRect(box, radius()), {ThemeRole::text, Shade::solid}, 1.5F, DashStyle::dashed);
            break;
        case Look::replaced:
        case Look::changed: stroked(m_out.addRect(box, radius()), accent, 1.5F, DashStyle::dashDot); break;
        case Look::added:
            stroked(m_out.addRect(box, radius()), accent, 2.5F);
            stroked(m_out.addRect(box.inflated(3.25), radius() + 3), accent, 1);
            break;
        case Look::front: stroked(m_out.addRect(box, radius()), accent, 1.5F); break;
        case Look::card:
        case Look::unlit:
        case Look::removed:
        case Look::removedFaded:
        case Look::hole:
        case Look::nothing:
            stroked(m_out.addRect(box, radius()), {ThemeRole::outline, Shade::solid}, 1);
            break;
        }
    }

    void line(std::initializer_list<Point> points, ColorRef color, float width = 1.6F) {
        stroked(m_out.addPolyline(points.begin(), points.size()), color, width);
    }

    /// The sign at the top right corner: minus, hollow minus, arrow, tilde or plus.
    void drawBadge() {
        const Rect disc = badgeOf(m_card.box, m_card.look, m_zoom, 1);
        if (disc.width <= 0) return;
        const double r = disc.width / 2;
        const Point c{disc.centerX(), disc.centerY()};
        const bool isRemoved = m_card.look == Look::removed || m_isFaded;
        const ColorRef color = isRemoved ? faded(m_role.role) : ColorRef{ThemeRole::accent, Shade::solid};
        if (m_card.look == Look::willGo) {
            const ColorRef ink{ThemeRole::text, Shade::solid};
            stroked(filled(m_out.addEllipse(disc), {ThemeRole::card, Shade::solid}), ink, 1.2F);
            line({{c.x - r * 0.5, c.y}, {c.x + r * 0.5, c.y}}, ink);
            return;
        }
        stroked(filled(m_out.addEllipse(disc), color), {ThemeRole::canvas, Shade::solid}, 1);
        const ColorRef ink =
            m_isFaded ? ColorRef{ThemeRole::card, Shade::solid} : ColorRef{color.role, Shade::textOn};
        const double d = r * 0.52;
        switch (m_card.look) {
        case Look::removed:
        case Look::removedFaded: line({{c.x - d, c.y}, {c.x + d, c.y}}, ink); break;
        case Look::added:
            line({{c.x - d, c.y}, {c.x + d, c.y}}, ink);
            line({{c.x, c.y - d}, {c.x, c.y + d}}, ink);
            break;
        case Look::replaced:
            line({{c.x - d, c.y}, {c.x + d, c.y}}, ink);
            line({{c.x + d * 0.15, c.y - d * 0.8}, {c.x + d, c.y}, {c.x + d * 0.15, c.y + d * 0.8}}, ink);
            break;
        case Look::changed: {
            const std::array<Point, 7> tilde{
                Point{c.x - d, c.y + d * 0.35},        Point{c.x - d * 0.5, c.y - d * 0.9},
                Point{c.x - d * 0.25, c.y - d * 0.35}, Point{c.x, c.y},
                Point{c.x + d * 0.25, c.y + d * 0.35}, Point{c.x + d * 0.5, c.y + d * 0.9},
                Point{c.x + d, c.y - d * 0.35}};
            stroked(m_out.addPath(tilde.data(), tilde.size()), ink, 1.6F);
            break;
        }
        case Look::willGo:
        case Look::card:
        case Look::unlit:
        case Look::front:
        case Look::hole:
        case Look::nothing: break;
        }
    }

    /// The names of what it covers: below the card, since lines that leave it need no room for an arrow
    /// there.
    void drawFormer() {
        const Rect room = formerOf(m_card.box, m_zoom, 1);
        if (room.isEmpty()) return;
        const double px = textSizeAt(nm::kLabelPx, m_zoom);
        const double inset = 2;
        const double width =
            std::min(textWidth(m_card.former, FontFace::SansRegular, px), room.width - 2 * inset);
        filled(m_out.addRect({room.x, room.y, width + 2 * inset, room.height}, 2),
               {ThemeRole::canvas, Shade::solid});
        drawText(m_card.former, {room.x + inset, room.y + room.height / 2}, width + 1, FontFace::SansRegular,
                 px, {ThemeRole::muted, Shade::solid}, m_out);
    }

    /// Bottom right: a triangle with "!" for a problem, a drop with a cross for a failed check.
    void drawFinding() {
        if (m_card.state.finding == Finding::none) return;
        const double s = 7 * std::clamp(m_zoom, 0.7, 1.5);
        const Point c{m_card.box.right() - s * 0.4, m_card.box.bottom() - s * 0.2};
        const ColorRef edge{ThemeRole::canvas, Shade::solid};
        if (m_card.state.finding == Finding::problem) {
            const ColorRef color{ThemeRole::warn, Shade::solid};
            const std::array<Point, 4> triangle{Point{c.x, c.y - s}, Point{c.x + s, c.y + s * 0.8},
                                                Point{c.x - s, c.y + s * 0.8}, Point{c.x, c.y - s}};
            stroked(filled(m_out.addPolyline(triangle.data(), triangle.size()), color), edge, 1);
            const ColorRef ink{color.role, Shade::textOn};
            line({{c.x, c.y - s * 0.35}, {c.x, c.y + s * 0.25}}, ink, 1.4F);
            line({{c.x, c.y + s * 0.45}, {c.x, c.y + s * 0.6}}, ink, 1.4F);
            return;
        }
        const ColorRef color{ThemeRole::error, Shade::solid};
        std::vector<Point> drop;
        constexpr int kSteps = 12;
        drop.push_back({c.x, c.y - s * 1.25});
        for (int i = 0; i <= kSteps; ++i) {
            const double angle = (-40 + i * 260.0 / kSteps) * 3.14159265358979 / 180;
            drop.push_back({c.x + s * 0.9 * std::cos(angle), c.y + s * 0.9 * std::sin(angle)});
        }
        drop.push_back(drop.front());
        stroked(filled(m_out.addPolyline(drop.data(), drop.size()), color), edge, 1);
        const ColorRef ink{color.role, Shade::textOn};
        const double d = s * 0.38;
        line({{c.x - d, c.y - d}, {c.x + d, c.y + d}}, ink, 1.4F);
        line({{c.x - d, c.y + d}, {c.x + d, c.y - d}}, ink, 1.4F);
    }

    const CardInput& m_card;
    DisplayList& m_out;
    double m_zoom;
    ColorRef m_role;
    bool m_isFaded;
};

ColorRef fillOf(const Scene& scene, const ViewRequest& request, std::uint32_t node, const CardInput& card) {
    switch (request.colorMode) {
    case ColorMode::kind: return {themeRoleOf(card.kind), Shade::solid};
    case ColorMode::role: return {themeRoleOf(card.role), Shade::solid};
    case ColorMode::heat: break;
    }
    if (request.heat == nullptr) return {ThemeRole::card, Shade::solid};
    return heatColor(scaleOf(*request.heat, scene.state->heat), request.heat->valueOf(node));
}

} // namespace

Look lookOf(DiffState state, Pane pane) {
    if (isHole(state, pane)) return Look::hole;
    if (!isPresent(state, pane)) return Look::nothing;
    switch (state) {
    case DiffState::kept: return Look::card;
    case DiffState::removedBySelectedStep: return Look::removed;
    case DiffState::removedEarlier: return Look::removedFaded;
    case DiffState::willGo: return Look::willGo;
    case DiffState::replaced: return Look::replaced;
    case DiffState::changed: return Look::changed;
    case DiffState::added: return Look::added;
    case DiffState::absent: return Look::nothing;
    }
    return Look::card;
}

Rect badgeOf(const Rect& box, Look look, double zoom, double unitsPerPixel) {
    switch (look) {
    case Look::card:
    case Look::front:
    case Look::unlit:
    case Look::hole:
    case Look::nothing: return {};
    case Look::willGo:
    case Look::removed:
    case Look::removedFaded:
    case Look::replaced:
    case Look::changed:
    case Look::added: break;
    }
    if (zoom < kSmallestBadgeZoom) return {};
    const double r = kBadgeRadius * std::clamp(zoom, 0.7, 1.5) * unitsPerPixel;
    return {box.right() - r * 1.3, box.y - r * 1.1, 2 * r, 2 * r};
}

Rect formerOf(const Rect& box, double zoom, double unitsPerPixel) {
    if (zoom < kSmallestFormerZoom) return {};
    constexpr double kBelowOutline = 5; // the outer line of what is new, and a gap
    return {box.x, box.bottom() + kBelowOutline * unitsPerPixel, box.width,
            textSizeAt(nm::kLabelPx, zoom) * 1.3 * unitsPerPixel};
}

CardInput cardOf(const Scene& scene, const ViewRequest& request, std::uint32_t node) {
    const LayoutNode& own = scene.graph->nodes[node];
    const NodeFace* face = scene.state->faceOf(node, request.pane);
    const NodeState state = scene.state->stateOf(node);
    CardInput card{face ? std::string_view(face->title) : std::string_view(own.title),
                   face ? face->rows : own.rows};
    card.kind = face ? face->kind : own.kind;
    card.role = own.role;
    card.state = state;
    card.changedRows = request.pane == Pane::before ? state.changedRows : state.changedRowsAfter;
    card.look = lookOf(state.diff, request.pane);
    card.zoom = request.zoom;
    // An input or output of the graph is no part of the forward half: labels are not, nor are states.
    const bool isEnd = card.kind == OperatorKind::input || card.kind == OperatorKind::output;
    card.showRole = scene.state->showRoles && !(isEnd && card.role == NodeRole::forward);
    card.isFillShown = request.colorMode == ColorMode::heat;
    card.fill = fillOf(scene, request, node, card);
    if (request.walk != nullptr && card.look != Look::nothing && card.look != Look::hole) {
        const bool isLit = request.walk->isReached(node, request.waveLimit);
        const bool isFront = isLit && request.walk->waveOf[node] == request.waveLimit;
        card.look = isFront ? Look::front : isLit ? Look::card : Look::unlit;
        if (isFront) card.fill = {ThemeRole::accent, Shade::solid};
    }
    return card;
}

std::vector<std::uint32_t> coveredBy(const Scene& scene, Pane pane, const PlacedItem& item) {
    std::vector<std::uint32_t> covered;
    if (item.node == kNoIndex || lookOf(scene.state->stateOf(item.node).diff, pane) != Look::added)
        return covered;
    for (const std::uint32_t node : scene.graph->nodes[item.node].replaces) {
        const PlacedItem& below = scene.layout->items[scene.layout->itemOfNode[node]];
        const Look look = lookOf(scene.state->stateOf(node).diff, pane);
        const bool isSeen = look != Look::nothing && look != Look::hole;
        if (isSeen && below.node == node && below.rect.intersects(item.rect)) covered.push_back(node);
    }
    return covered;
}

std::string formerNames(const Scene& scene, Pane pane, const PlacedItem& item) {
    const std::vector<std::uint32_t> covered = coveredBy(scene, pane, item);
    if (covered.empty()) return {};
    std::vector<std::string> titles;
    for (const std::uint32_t node : covered)
        titles.push_back(scene.graph->nodes[node].title);
    return formatMessage("picture.was", {shortList(titles)});
}

double textSizeAt(double px, double zoom) {
    return std::max(std::floor(px * zoom + 1e-9), kSmallestTextPx);
}

double drawText(std::string_view text, Point leftMiddle, double width, FontFace face, double px,
                ColorRef color, DisplayList& out) {
    if (px < kSmallestTextPx || text.empty()) return 0;
    const double full = textWidth(text, face, px);
    std::string cut;
    if (full > width) {
        cut = elideMiddleToWidth(text, face, px, width);
        text = cut;
    }
    if (text.empty()) return 0;
    const double ascent = fontAscent(face, px);
    const double descent = fontDescent(face, px);
    const double drawn = std::min(full, width);
    const Rect rect{leftMiddle.x, leftMiddle.y - (ascent + descent) / 2, drawn, ascent + descent};
    out.addText(text, rect, leftMiddle.y + (ascent - descent) / 2, face, px, color);
    return drawn;
}

void drawRings(const Rect& box, double radius, bool isSelected, bool isHovered, bool isInSelectedStep,
               DisplayList& out) {
    const ColorRef accent{ThemeRole::accent, Shade::solid};
    const auto radiusAt = [radius](double distance) { return static_cast<float>(radius + distance); };
    if (isSelected) stroked(out.addRect(box.inflated(kRingDistance), radiusAt(kRingDistance)), accent, 2);
    if (isInSelectedStep) {
        const double distance = isSelected ? kRingDistance + 4 : kRingDistance;
        stroked(out.addRect(box.inflated(distance), radiusAt(distance)), accent, 2, DashStyle::dashed);
    }
    if (isHovered && !isSelected) {
        const double distance = isInSelectedStep ? kRingDistance + 4 : kRingDistance;
        stroked(out.addRect(box.inflated(distance), radiusAt(distance)), accent, 1);
    }
}

void drawCard(const CardInput& card, DisplayList& out) {
    CardPainter(card, out).draw();
    if (card.look == Look::nothing) return;
    drawRings(card.box, nm::kRadius * std::min(card.zoom, 1.5), card.state.isSelected, card.isHovered,
              card.state.isInSelectedStep && card.look != Look::hole, out);
}

} // namespace secateur
