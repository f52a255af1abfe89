// SPDX-License-Identifier: Apache-2.0
#include "core/picture/edge_labels.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/picture/edges.h"
#include "core/picture/frames.h"
#include "core/support/hash.h"
#include "core/support/number_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur {
namespace {

constexpr double kSmallestLabelZoom = 0.6; ///< below it a label is taller than half of the gap between ranks
constexpr double kInset = 5;               ///< between a line and the label beside it
constexpr double kFromBox = 2;             ///< between a card and the label below it
constexpr double kBeforeArrow = 11;        ///< from an arrow's tip to the middle of the label above it
constexpr double kShownLine = 14;          ///< of a line at each side of the label on it
constexpr double kClearance = 1;
constexpr double kBesidePlate = 3;                  ///< between a plate and the boxes beside it
constexpr double kPageMargin = 4;                   ///< between a label and the edge of a page
constexpr double kWidest = node_metrics::kMaxWidth; ///< of a label
constexpr double kRingReach = 12;                   ///< view pixels from a card to the outer one of its rings
constexpr double kBadgeReach = 24; ///< view pixels that a badge may stand out from its card, and more
/// Labels compete with their neighbours, those with theirs: how far around the viewport that is followed.
constexpr double kReach = 660, kReachUp = 60;

/// A label with the place that it has been given. All in world units.
struct Label {
    std::uint32_t edge = 0;
    std::uint64_t rank = 0; ///< smaller goes first
    double bytes = 0;       ///< of a stash; the larger goes first
    Point at;               ///< where the layout has room for it: left middle, of a stash the centre
    bool isStash = false;
    bool isOnLine = false; ///< on a plate that interrupts its own line
    Rect box;
    std::string text;
};

/// Places that a label may take, the best first.
struct Places {
    struct Place {
        Rect box;
        bool isOnLine = false;
        bool isAlongLine = false; ///< on a plate over lines that cross, but over none that is level
    };
    std::array<Place, 5> list;
    std::size_t count = 0;

    void add(const Rect& box, bool isOnLine = false, bool isAlongLine = false) {
        list[count++] = {box, isOnLine, isAlongLine};
    }
};

/// Which parts of the world are taken: a grid of small cells, aligned to the world and not to the view, so
/// that panning changes nothing. Rows of 64 cells are kept in a hash table: memory grows with the labels, not
/// with the area, of which a picture of a hundred thousand nodes has gigabytes.
class Occupancy {
  public:
    explicit Occupancy(std::size_t labels)
        : m_rows(std::bit_ceil(std::max<std::size_t>(labels * kRowsOfLabel, kFewest))) {}

    /// Takes a box when all of its cells are free.
    bool take(const Rect& box) {
        bool isFree = true;
        visit(box, [&](std::int64_t row, std::int64_t word, std::uint64_t bits) {
            isFree = isFree && (m_rows[find(row, word)].bits & bits) == 0;
        });
        if (!isFree) return false;
        visit(box, [&](std::int64_t row, std::int64_t word, std::uint64_t bits) {
            if (m_used * 2 >= m_rows.size()) grow();
            Row& at = m_rows[find(row, word)];
            m_used += at.bits == 0 ? 1U : 0U;
            at = {row, word, at.bits | bits};
        });
        return true;
    }

  private:
    static constexpr double kCell = 4;             ///< world units
    static constexpr std::size_t kRowsOfLabel = 8; ///< rows of cells that a label lies in
    static constexpr std::size_t kFewest = 64;

    struct Row {
        std::int64_t row = 0, word = 0;
        std::uint64_t bits = 0; ///< 0: free
    };

    static std::int64_t cellOf(double at) { return static_cast<std::int64_t>(std::floor(at / kCell)); }

    /// Where a row is kept, or may be.
    [[nodiscard]] std::size_t find(std::int64_t row, std::int64_t word) const {
        const std::uint64_t hash =
            mixBits(static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(word));
        std::size_t at = hash & (m_rows.size() - 1);
        while (m_rows[at].bits != 0 && (m_rows[at].row != row || m_rows[at].word != word))
            at = (at + 1) & (m_rows.size() - 1);
        return at;
    }

    void grow() {
        std::vector<Row> old(m_rows.size() * 2);
        old.swap(m_rows);
        for (const Row& row : old)
            if (row.bits != 0) m_rows[find(row.row, row.word)] = row;
    }

    template <class Visit> static void visit(const Rect& box, Visit visitRow) {
        const std::int64_t left = cellOf(box.x), right = cellOf(box.right());
        for (std::int64_t row = cellOf(box.y); row <= cellOf(box.bottom()); ++row)
            for (std::int64_t word = left >> 6; word <= right >> 6; ++word) {
                const auto first = static_cast<unsigned>(std::max<std::int64_t>(left - word * 64, 0));
                const auto last = static_cast<unsigned>(std::min<std::int64_t>(right - word * 64, 63));
                visitRow(row, word, (~std::uint64_t{0} >> (63 - last + first)) << first);
            }
    }

    std::vector<Row> m_rows; ///< open addressing; a power of two, at least half of it free
    std::size_t m_used = 0;
};

bool curveTouches(const Layout& layout, const PlacedEdge& edge, const Rect& box) {
    constexpr int kPieces = 12;
    for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
        const Point* p = &layout.points[edge.firstPoint + k];
        const auto [left, right] = std::minmax({p[0].x, p[1].x, p[2].x, p[3].x});
        const auto [top, bottom] = std::minmax({p[0].y, p[1].y, p[2].y, p[3].y});
        if (right < box.x || left > box.right() || bottom < box.y || top > box.bottom()) continue;
        if (left == right || top == bottom) return true; // straight, along an axis
        for (int i = 0; i <= kPieces; ++i)
            if (box.contains(pointOnCubic(p, static_cast<double>(i) / kPieces))) return true;
    }
    return false;
}

class LabelPlacer {
  public:
    LabelPlacer(const Scene& scene, const ViewRequest& request, DisplayList& out)
        : m_scene(scene), m_layout(*scene.layout), m_request(request), m_out(out),
          m_px(textSizeAt(node_metrics::kLabelPx, request.zoom)), m_height(m_px * 1.3 / request.zoom) {}

    void run() {
        if (m_request.zoom >= kSmallestLabelZoom) {
            collectFrames();
            placeAll();
        }
        drawHovered();
    }

  private:
    /// Where labels are decided: wider than the viewport, since each depends on its neighbours in the row.
    Rect area() const {
        const Rect& view = m_request.viewport;
        return {view.x - kReach, view.y - kReachUp, view.width + 2 * kReach, view.height + 2 * kReachUp};
    }

    /// Borders and titles of the groups' frames.
    void collectFrames() {
        const Rect wide = area();
        for (std::uint32_t f = 0; f < m_layout.frames.size(); ++f)
            if (m_layout.frames[f].rect.intersects(wide) && isFrameDrawn(m_scene, m_request, f))
                m_frames.push_back(m_layout.frames[f].rect);
    }

    void placeAll() {
        std::vector<std::uint32_t> edges;
        m_layout.edgeIndex.query(area(), edges);
        std::vector<Label> labels;
        const auto add = [&](std::uint32_t e, Point at) {
            const PlacedEdge& edge = m_layout.edges[e];
            Label label;
            label.edge = e;
            label.at = at;
            label.isStash = edge.edgeClass == EdgeClass::stash;
            label.text = labelText(edge);
            if (label.text.empty()) return;
            bool hasPlace = findPlace(label);
            if (std::string cut = label.isStash ? firstTermOf(label.text) : ""; !hasPlace && !cut.empty()) {
                label.text = std::move(cut);
                hasPlace = findPlace(label);
            }
            if (label.isStash) label.bytes = bytesOf(edge);
            if (hasPlace) labels.push_back(std::move(label));
        };
        NumberTable said, unsaid; // values, by the box and slot that they leave
        for (const std::uint32_t e : edges) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (edge.labelWidth <= 0) continue;
            const bool isVisible = edgeLookOf(m_scene, m_request, edge).isVisible;
            (isVisible ? said : unsaid).tryEmplace(valueOf(edge), e);
            if (isVisible) add(e, edge.labelAt);
        }
        if (m_request.pane == Pane::before) return finish(labels);
        // The layout has room for a value at its first edge, which may be gone by now or come from a node
        // that others stand for: then the next one that leaves the same way says it.
        for (const std::uint32_t e : edges) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (edge.labelWidth > 0 || edge.pointCount < 4 || edge.edgeClass == EdgeClass::stash) continue;
            const bool isNew = (m_scene.state->edgeBits(edge.edge) & kEdgeInBefore) == 0;
            if (!isNew && unsaid.find(valueOf(edge)) == NumberTable::kNone) continue;
            const Point* p = &m_layout.points[edge.firstPoint];
            if (p[0].x != p[1].x || !edgeLookOf(m_scene, m_request, edge).isVisible) continue;
            if (!said.tryEmplace(valueOf(edge), e).second) continue;
            const double down = p[1].y >= p[0].y ? 1 : -1;
            add(e, {p[0].x + kInset, p[0].y + down * (kFromBox + m_height / 2 + kClearance)});
        }
        finish(labels);
    }

    /// What an edge says; of names of dimensions longer than a card is wide only beginning and end.
    std::string labelText(const PlacedEdge& edge) const {
        const FontFace face =
            edge.edgeClass == EdgeClass::stash ? FontFace::SansRegular : FontFace::MonoRegular;
        return elideMiddleToWidth(edgeText(m_scene, m_request.pane, edge), face, m_px,
                                  kWidest * m_request.zoom);
    }

    /// Of a sum of sizes the first: "batch × 10 KiB + …"; empty where there is no sum.
    static std::string firstTermOf(const std::string& text) {
        const std::size_t end = text.find("B + "); // names of dimensions end in no unit
        return end == std::string::npos ? std::string() : text.substr(0, end + 4) + "\xE2\x80\xA6";
    }

    /// What an edge keeps, each named dimension taken as one.
    double bytesOf(const PlacedEdge& edge) const {
        double bytes = 0;
        for (std::uint32_t k = 0; k < edge.count; ++k) {
            const std::uint32_t own = m_layout.edgeList[edge.firstEdge + k];
            const EdgeText text = edgeTextOf(*m_scene.graph, *m_scene.state, m_request.pane, own);
            bytes += std::max({0.0, text.bytes, text.bytesForOne});
        }
        return bytes;
    }

    /// The value that an edge carries, among those of all boxes.
    std::uint64_t valueOf(const PlacedEdge& edge) const {
        return std::uint64_t{edge.from} << 16U | m_scene.graph->edges[edge.edge].fromSlot;
    }

    /// Draws those that find room beside the more important ones.
    void finish(std::vector<Label>& labels) {
        for (Label& label : labels) // stashes first, else by lot: runs of neighbours are then short
            label.rank = mixBits(label.edge + 1) >> 1 | (label.isStash ? 0 : std::uint64_t{1} << 63);
        std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
            return a.bytes != b.bytes ? a.bytes > b.bytes : a.rank < b.rank;
        });
        Occupancy taken(labels.size());
        for (const Label& label : labels)
            if (taken.take(label.box) && label.box.intersects(m_request.viewport)) draw(label, false);
    }

    static FontFace faceOf(const Label& label) {
        return label.isStash ? FontFace::SansRegular : FontFace::MonoRegular;
    }
    double widthOf(const Label& label) const {
        return textWidth(label.text, faceOf(label), m_px) / m_request.zoom;
    }

    /// Chooses the first place that nothing fixed lies in.
    bool findPlace(Label& label) {
        const PlacedEdge& edge = m_layout.edges[label.edge];
        const double width = widthOf(label);
        const Places places =
            label.isStash ? stashPlaces(edge, label.at, width) : dataPlaces(edge, label.at, width);
        for (std::size_t k = 0; k < places.count; ++k) {
            const Places::Place& place = places.list[k];
            if (place.isAlongLine && coversLevelLine(label.edge, place.box)) continue;
            if (label.isStash && isNearerToAnother(label.edge, place.box)) continue;
            label.isOnLine = place.isOnLine;
            label.box = place.box;
            if (isClear(label, place.box.inflated(kClearance))) return true;
        }
        return false;
    }

    Rect boxAt(double left, double middle, double width) const {
        return {left, middle - m_height / 2, width, m_height};
    }
    const Point& startOf(const PlacedEdge& edge) const { return m_layout.points[edge.firstPoint]; }
    const Point& endOf(const PlacedEdge& edge) const {
        return m_layout.points[edge.firstPoint + edge.pointCount - 1];
    }

    /// On the line: where it crosses to the other column, near its start, near its end; above or below a
    /// line that is level.
    Places stashPlaces(const PlacedEdge& edge, Point at, double width) const {
        const Point first = startOf(edge), last = endOf(edge);
        Places places;
        const double gap = std::abs(last.x - first.x);
        // Enough of the line must show at both sides of a label that lies on it. In a gap little wider than
        // the text it stands right above or below a line that is level.
        const bool isLevel = first.y == last.y;
        if (gap > width + 2 * (isLevel ? kShownLine : kShownLine / 2)) {
            const double sign = last.x >= first.x ? 1 : -1;
            const double fromStart = first.x + sign * (width / 2 + 3 * kInset);
            const double fromEnd = last.x - sign * (width / 2 + 3 * kInset);
            places.add(boxAt(at.x - width / 2, at.y, width), true);
            places.add(boxAt(fromStart - width / 2, first.y, width), true);
            places.add(boxAt(fromEnd - width / 2, last.y, width), true);
        } else if (isLevel && gap > width + 2 * kBesidePlate) {
            for (const double side : {-1.0, 1.0})
                places.add(boxAt((first.x + last.x - width) / 2, first.y + side * (m_height / 2 + kClearance),
                                 width),
                           true, true);
        }
        if (!isLevel) return places;
        const Rect &from = m_layout.items[edge.from].rect, &to = m_layout.items[edge.to].rect;
        const double left = (first.x + last.x - width) / 2;
        places.add(boxAt(left, std::min(from.y, to.y) - m_height / 2 - kInset / 2, width));
        places.add(boxAt(left, std::max(from.bottom(), to.bottom()) + m_height / 2 + kInset / 2, width));
        return places;
    }

    /// Right or left of the line below its source, above its reader, or on the line itself.
    Places dataPlaces(const PlacedEdge& edge, Point at, double width) const {
        const Point first = startOf(edge), last = endOf(edge);
        const double line = at.x - kInset;
        const double above = last.y + (last.y >= first.y ? -kBeforeArrow : kBeforeArrow);
        Places places;
        places.add(boxAt(at.x, at.y, width));
        places.add(boxAt(line - kInset - width, at.y, width));
        places.add(boxAt(last.x + kInset, above, width));
        places.add(boxAt(last.x - kInset - width, above, width));
        places.add(boxAt(line - width / 2, at.y, width), true);
        return places;
    }

    bool isClear(const Label& label, const Rect& box) {
        if (m_request.isWholePicture && !isInside(box.inflated(kPageMargin), m_request.viewport))
            return false;
        std::vector<std::uint32_t>& found = m_found;
        found.clear();
        m_layout.itemIndex.query(box, found);
        for (const std::uint32_t i : found)
            if (isItemDrawn(m_scene, m_request.pane, i)) return false;
        found.clear();
        m_layout.portalIndex.query(box, found);
        for (const std::uint32_t p : found)
            if (isItemDrawn(m_scene, m_request.pane, m_layout.portals[p].item)) return false;
        return !crossesBadge(box) && !crossesFrame(box) && !crossesLine(label, box);
    }

    bool coversLevelLine(std::uint32_t own, const Rect& box) {
        m_found.clear();
        m_layout.edgeIndex.query(box, m_found);
        return std::any_of(m_found.begin(), m_found.end(), [&](std::uint32_t e) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (e == own || !edgeLookOf(m_scene, m_request, edge).isVisible) return false;
            for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
                const Point* p = &m_layout.points[edge.firstPoint + k];
                const bool isBeside = p[0].y <= box.y || p[0].y >= box.bottom() ||
                                      std::max(p[0].x, p[3].x) <= box.x ||
                                      std::min(p[0].x, p[3].x) >= box.right();
                if (p[0].y == p[3].y && !isBeside) return true;
            }
            return false;
        });
    }

    /// How far the middle of a box is from the nearest level piece of an edge above, below or in it.
    double toLevelLine(const PlacedEdge& edge, const Rect& box) const {
        double nearest = kReach;
        for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
            const Point* p = &m_layout.points[edge.firstPoint + k];
            const auto [left, right] = std::minmax(p[0].x, p[3].x);
            if (p[0].y == p[3].y && right > box.x && left < box.right())
                nearest = std::min(nearest, std::abs(p[0].y - box.centerY()));
        }
        return nearest;
    }

    /// Whether a stash's label would be read as that of another one, which it lies on or as close to.
    bool isNearerToAnother(std::uint32_t own, const Rect& box) {
        constexpr double kLead = 2; ///< that the own line needs over the others
        const double toOwn = toLevelLine(m_layout.edges[own], box);
        m_found.clear();
        m_layout.edgeIndex.query(box, m_found);
        return std::any_of(m_found.begin(), m_found.end(), [&](std::uint32_t e) {
            const PlacedEdge& edge = m_layout.edges[e];
            const double toOther = toLevelLine(edge, box);
            return e != own && edge.edgeClass == EdgeClass::stash && toOther < box.height / 2 &&
                   toOther < toOwn + kLead && edgeLookOf(m_scene, m_request, edge).isVisible;
        });
    }

    /// Signs of nodes stand out over the corners of their cards.
    bool crossesBadge(const Rect& box) {
        const double perPixel = 1 / m_request.zoom;
        std::vector<std::uint32_t>& found = m_found;
        found.clear();
        m_layout.itemIndex.query(box.inflated(kBadgeReach * perPixel), found);
        return std::any_of(found.begin(), found.end(), [&](std::uint32_t i) {
            const PlacedItem& item = m_layout.items[i];
            if (item.node == kNoIndex) return false;
            const Look look = lookOf(m_scene.state->stateOf(item.node).diff, m_request.pane);
            if (badgeOf(item.rect, look, m_request.zoom, perPixel).intersects(box)) return true;
            return !m_scene.graph->nodes[item.node].replaces.empty() &&
                   formerOf(item.rect, m_request.zoom, perPixel).intersects(box) &&
                   !coveredBy(m_scene, m_request.pane, item).empty();
        });
    }

    /// Whether a ring around a card or a closed group (selected, hovered, of the selected step) runs through
    /// it.
    bool isOnRing(const Rect& box) {
        const double reach = kRingReach / m_request.zoom;
        std::vector<std::uint32_t>& found = m_found;
        found.clear();
        m_layout.itemIndex.query(box.inflated(reach), found);
        const Hit& hit = m_request.hovered;
        return std::any_of(found.begin(), found.end(), [&](std::uint32_t i) {
            const PlacedItem& item = m_layout.items[i];
            if (!item.rect.inflated(reach).intersects(box)) return false;
            if (item.node == kNoIndex) {
                const std::vector<GroupTally>& groups = m_scene.state->items;
                const bool hasRing =
                    i < groups.size() && (groups[i].selected > 0 || groups[i].inSelectedStep > 0);
                return hasRing || (hit.kind == Hit::Kind::group && hit.index == i);
            }
            const NodeState state = m_scene.state->stateOf(item.node);
            return state.isSelected || state.isInSelectedStep ||
                   (hit.kind == Hit::Kind::node && hit.index == i);
        });
    }

    static bool isInside(const Rect& inner, const Rect& outer) {
        return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
               inner.bottom() <= outer.bottom();
    }

    bool crossesFrame(const Rect& box) const {
        const double title = node_metrics::kLabelPx * 1.4;
        for (const Rect& frame : m_frames) {
            const Rect withTitle{frame.x, frame.y - title, frame.width, frame.height + title};
            if (withTitle.intersects(box) && !isInside(box, frame)) return true;
        }
        return false;
    }

    /// A label beside its line must not lie on any, one on its line on no other. Many lines cross the gap
    /// between the columns: there they pass below the bytes of a stash.
    bool crossesLine(const Label& label, const Rect& box) {
        if (label.isStash && label.isOnLine) return false;
        std::vector<std::uint32_t>& found = m_found;
        found.clear();
        m_layout.edgeIndex.query(box, found);
        return std::any_of(found.begin(), found.end(), [&](std::uint32_t e) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (label.isOnLine && e == label.edge) return false;
            return curveTouches(m_layout, edge, box) && edgeLookOf(m_scene, m_request, edge).isVisible;
        });
    }

    /// The hovered edge says its label wherever its middle is.
    void drawHovered() {
        const Hit& hit = m_request.hovered;
        if (hit.kind != Hit::Kind::edge || hit.index >= m_layout.edges.size()) return;
        const PlacedEdge& edge = m_layout.edges[hit.index];
        if (edge.pointCount < 4) return;
        Label label;
        label.edge = hit.index;
        label.isOnLine = true;
        label.isStash = edge.edgeClass == EdgeClass::stash;
        label.text = labelText(edge);
        const std::uint32_t piece = (edge.pointCount - 1) / 3 / 2 * 3;
        const Point middle = pointOnCubic(&m_layout.points[edge.firstPoint + piece], 0.5);
        const double width = widthOf(label);
        label.box = {middle.x - width / 2, middle.y - m_height / 2, width, m_height};
        draw(label, true);
    }

    void draw(const Label& label, bool isHovered) {
        ++m_out.counters.labels;
        const Point corner = toView(m_request, {label.box.x, label.box.y});
        const double width = label.box.width * m_request.zoom, height = label.box.height * m_request.zoom;
        if (label.isOnLine || isOnRing(label.box)) {
            filled(m_out.addRect({corner.x - 2, corner.y, width + 4, height}, 2),
                   {ThemeRole::canvas, Shade::solid});
            if (isHovered) stroked(m_out.items.back(), {ThemeRole::accent, Shade::solid}, 1);
        }
        const ColorRef color = edgeLookOf(m_scene, m_request, m_layout.edges[label.edge]).color;
        const ColorRef ink =
            isHovered ? ColorRef{ThemeRole::text, Shade::solid} : ColorRef{color.role, Shade::solid};
        drawText(label.text, {corner.x, corner.y + height / 2}, width + 1, faceOf(label), m_px, ink, m_out);
    }

    const Scene& m_scene;
    const Layout& m_layout;
    const ViewRequest& m_request;
    DisplayList& m_out;
    double m_px;
    double m_height; ///< of a label
    std::vector<Rect> m_frames;
    std::vector<std::uint32_t> m_found; ///< by the query at hand
};

} // namespace

void drawEdgeLabels(const Scene& scene, const ViewRequest& request, DisplayList& out) {
    LabelPlacer(scene, request, out).run();
}

} // namespace secateur
