// SPDX-License-Identifier: Apache-2.0
#include "core/layout/edge_labels.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/support/number_table.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr double kHeight = 13;
constexpr double kInset = 5;   ///< between an edge and the label beside it
constexpr double kFromBox = 2; ///< between a box and a label under it
constexpr double kWidest = 220;
constexpr double kNarrowest = 36;  ///< room for less is none
constexpr double kBetween = 6;     ///< from a label to what is right of it
constexpr double kShownLine = 1.5; ///< as long as its label at least is an edge that the label may lie on
constexpr double kAboveLine = 1.5;
constexpr double kPlate = 2; ///< beside the text of a label that lies on its edge

/// Rectangles in a grid, added one by one.
class PlacedLabels {
  public:
    bool isFree(const Rect& rect) const {
        bool isFree = true;
        eachCell(rect, [&](std::uint64_t cell) {
            for (std::uint32_t at = m_cells.find(cell); at != NumberTable::kNone; at = m_entries[at].next)
                isFree = isFree && !m_entries[at].rect.intersects(rect);
        });
        return isFree;
    }
    void add(const Rect& rect) {
        eachCell(rect, [&](std::uint64_t cell) {
            const auto index = static_cast<std::uint32_t>(m_entries.size());
            const auto [first, isNew] = m_cells.tryEmplace(cell, index);
            m_entries.push_back({rect, isNew ? NumberTable::kNone : *first});
            *first = index;
        });
    }

  private:
    template <typename Visit> static void eachCell(const Rect& rect, Visit visit) {
        const auto cell = [](double at, double size) {
            return static_cast<std::int32_t>(std::floor(at / size));
        };
        for (std::int32_t y = cell(rect.y, 64); y <= cell(rect.bottom(), 64); ++y)
            for (std::int32_t x = cell(rect.x, 256); x <= cell(rect.right(), 256); ++x)
                visit(std::uint64_t{static_cast<std::uint32_t>(y)} << 32U | static_cast<std::uint32_t>(x));
    }
    struct Entry {
        Rect rect;
        std::uint32_t next = NumberTable::kNone; ///< in the same cell
    };
    NumberTable m_cells; ///< the last entry of each
    std::vector<Entry> m_entries;
};

class LabelPlacer {
  public:
    LabelPlacer(const LayoutGraph& graph, Layout& layout) : m_graph(graph), m_layout(layout) {}

    void run(const std::function<bool(std::size_t step)>& isCancelledAt) {
        collectStarts();
        collectLines();
        for (std::size_t i = 0; i < m_starts.size(); ++i) {
            if (isCancelledAt(i)) return;
            placeAtStart(m_starts[i]);
        }
        placeStashes();
    }

  private:
    /// The first drawn edge of a value, where it leaves its box.
    struct Start {
        std::uint32_t edge = 0;
        Point at;
        bool isDown = true;
        double next = 0; ///< x of the next one in the same line
    };

    bool isDrawn(const PlacedEdge& edge) const { return !edge.isPortal && edge.pointCount >= 4; }
    bool isStash(const PlacedEdge& edge) const {
        return isDrawn(edge) && edge.edgeClass == EdgeClass::stash &&
               m_layout.items[edge.from].column != m_layout.items[edge.to].column;
    }

    void collectStarts() {
        NumberTable seen; // slots of the box that edges come from: these follow each other
        for (std::uint32_t e = 0; e < m_layout.edges.size(); ++e) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (!isDrawn(edge) || isStash(edge)) continue;
            const Point* p = &m_layout.points[edge.firstPoint];
            if (p[0].x != p[3].x) continue; // leaves sideways
            if (!m_starts.empty() && m_layout.edges[m_starts.back().edge].from != edge.from) seen.clear();
            if (!seen.tryEmplace(m_graph.edges[edge.edge].fromSlot, e).second) continue;
            m_starts.push_back({e, p[0], p[3].y > p[0].y, 0});
        }
        std::stable_sort(m_starts.begin(), m_starts.end(), [](const Start& a, const Start& b) {
            return a.at.y != b.at.y ? a.at.y < b.at.y : a.at.x < b.at.x;
        });
        for (std::size_t i = 0; i < m_starts.size(); ++i) {
            const bool hasNext = i + 1 < m_starts.size() && m_starts[i + 1].at.y == m_starts[i].at.y;
            m_starts[i].next = hasNext ? m_starts[i + 1].at.x : m_starts[i].at.x + 10 * kWidest;
        }
    }

    void placeAtStart(const Start& start) {
        PlacedEdge& edge = m_layout.edges[start.edge];
        const double wanted = wantedFor(edge, FontFace::MonoRegular);
        const double left = start.at.x + kInset;
        double room = std::min({wanted, kWidest, start.next - kBetween - left});
        const double top = start.isDown ? start.at.y + kFromBox : start.at.y - kFromBox - kHeight;
        room = std::min(room, freeWidth({left, top, std::max(room, 1.0), kHeight}));
        room = beforeLines({left, top, std::max(room, 1.0), kHeight}, edge.from);
        const Rect rect{left, top, room, kHeight};
        if (room < std::min(kNarrowest, wanted) || !m_labels.isFree(rect)) return;
        m_labels.add(rect);
        edge.labelAt = {left, top + kHeight / 2};
        edge.labelWidth = room;
    }

    /// How much of a rectangle, from its left, is clear of boxes and tags.
    double freeWidth(const Rect& rect) {
        double width = rect.width;
        const auto look = [&](const SpatialIndex& index, auto rectOf) {
            m_found.clear();
            index.query(rect, m_found);
            for (const std::uint32_t i : m_found)
                width = std::min(width, rectOf(i).x - kBetween - rect.x);
        };
        look(m_layout.itemIndex, [&](std::uint32_t i) { return m_layout.items[i].rect; });
        look(m_layout.portalIndex, [&](std::uint32_t i) { return m_layout.portals[i].rect; });
        return width;
    }

    /// Upright pieces of edges that labels should not cover.
    void collectLines() {
        constexpr double kShortest = 24;
        std::vector<Rect> lines;
        for (std::uint32_t e = 0; e < m_layout.edges.size(); ++e) {
            const PlacedEdge& edge = m_layout.edges[e];
            if (!isDrawn(edge)) continue;
            const Point* p = &m_layout.points[edge.firstPoint];
            for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
                const double length = std::abs(p[k + 3].y - p[k].y);
                if (p[k].x != p[k + 3].x || length < kShortest) continue;
                lines.push_back({p[k].x - 0.5, std::min(p[k].y, p[k + 3].y), 1, length});
                m_lineOf.push_back(e);
            }
        }
        m_lines = SpatialIndex(lines);
        m_lineX.reserve(lines.size());
        for (const Rect& line : lines)
            m_lineX.push_back(line.x);
    }

    /// A label ends before an edge of another box where that leaves enough of it.
    double beforeLines(const Rect& rect, std::uint32_t item) {
        m_found.clear();
        m_lines.query(rect, m_found);
        double width = rect.width;
        for (const std::uint32_t line : m_found) {
            const PlacedEdge& edge = m_layout.edges[m_lineOf[line]];
            const double to = m_lineX[line] - kInset - rect.x;
            if (edge.from != item && to >= kNarrowest) width = std::min(width, to);
        }
        return width;
    }

    bool isClear(const Rect& rect) {
        m_found.clear();
        m_layout.itemIndex.query(rect, m_found);
        m_layout.portalIndex.query(rect, m_found);
        return m_found.empty() && m_labels.isFree(rect);
    }

    /// The larger have the right of way.
    void placeStashes() {
        std::vector<std::pair<double, std::uint32_t>> stashes;
        for (std::uint32_t e = 0; e < m_layout.edges.size(); ++e)
            if (isStash(m_layout.edges[e])) stashes.emplace_back(bytesOf(m_layout.edges[e]), e);
        std::stable_sort(stashes.begin(), stashes.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [bytes, edge] : stashes)
            placeOnStash(m_layout.edges[edge]);
    }

    /// What an edge keeps, each named dimension taken as one.
    double bytesOf(const PlacedEdge& edge) const {
        double bytes = 0;
        for (std::uint32_t k = 0; k < edge.count; ++k) {
            const LayoutEdge& own = m_graph.edges[m_layout.edgeList[edge.firstEdge + k]];
            bytes += std::max({0.0, own.bytes, own.bytesForOne});
        }
        return bytes;
    }

    /// On the longest level piece of the edge that has room for it.
    void placeOnStash(PlacedEdge& edge) {
        struct Piece {
            Point from;
            double length = 0;
        };
        std::vector<Piece> pieces;
        const Point* p = &m_layout.points[edge.firstPoint];
        for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3)
            if (p[k].y == p[k + 3].y)
                pieces.push_back({p[k].x < p[k + 3].x ? p[k] : p[k + 3], std::abs(p[k + 3].x - p[k].x)});
        std::stable_sort(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.length > b.length; });
        const double wanted = wantedFor(edge, FontFace::SansRegular);
        for (const Piece& piece : pieces) {
            const double room = std::min(piece.length - 2 * kPlate, wanted);
            if (room < std::min(kNarrowest, wanted)) return;
            const double width = room + 2 * kPlate;
            // On the line where enough of it still shows, else above it.
            const bool isLong = piece.length >= width * kShownLine;
            const double middle = isLong ? piece.from.y : piece.from.y - kHeight / 2 - kAboveLine;
            const Rect rect{piece.from.x + (piece.length - width) / 2, middle - kHeight / 2, width, kHeight};
            if (!isClear(rect)) continue;
            m_labels.add(rect);
            edge.labelAt = {rect.centerX(), middle};
            edge.labelWidth = room;
            return;
        }
    }

    /// Room for the text of a label. Letters do not shrink with the picture below the smallest readable size:
    /// a little more than they need at 100 %.
    double wantedFor(const PlacedEdge& edge, FontFace face) const {
        constexpr double kSlack = 1.28; // labels show down to a zoom of 0.6
        return std::ceil(textWidth(edgeText(m_graph, m_layout, edge), face, node_metrics::kLabelPx) *
                         kSlack) +
               2;
    }

    const LayoutGraph& m_graph;
    Layout& m_layout;
    std::vector<Start> m_starts;
    PlacedLabels m_labels;
    SpatialIndex m_lines;
    std::vector<std::uint32_t> m_lineOf; ///< by line: its edge
    std::vector<double> m_lineX;
    std::vector<std::uint32_t> m_found;
};

} // namespace

std::string edgeText(const LayoutGraph& graph, const Layout& layout, const PlacedEdge& edge) {
    const LayoutEdge& first = graph.edges[edge.edge];
    if (edge.edgeClass != EdgeClass::stash) return first.label;
    double bytes = 0;
    bool isKnown = false;
    for (std::uint32_t k = 0; k < edge.count; ++k) {
        const double own = graph.edges[layout.edgeList[edge.firstEdge + k]].bytes;
        isKnown = isKnown || own >= 0;
        bytes += std::max(0.0, own);
    }
    return isKnown ? formatBytes(static_cast<std::uint64_t>(bytes)) : first.label;
}

void placeLabels(const LayoutGraph& graph, Layout& layout,
                 const std::function<bool(std::size_t step)>& isCancelledAt) {
    LabelPlacer(graph, layout).run(isCancelledAt);
}

} // namespace secateur
