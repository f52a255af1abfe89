// SPDX-License-Identifier: Apache-2.0
#include "core/picture/compose.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/blob_text.h"
#include "core/picture/card.h"
#include "core/picture/edges.h"
#include "core/picture/far_view.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kMargin = 24; ///< world units around the viewport in which signs may reach into it
constexpr std::uint32_t kSmallestFrame = 8; ///< nodes in a frame that is always drawn
constexpr double kLabelPitch = 11;          ///< pixels between names beside blobs too small to hold them

class Composer {
  public:
    Composer(const Scene& scene, const ViewRequest& request, DisplayList& out)
        : m_scene(scene), m_request(request), m_out(out) {}

    void run() {
        m_out.clear();
        m_out.width = m_request.viewport.width * m_request.zoom;
        m_out.height = m_request.viewport.height * m_request.zoom;
        if (m_request.drawCanvas) {
            filled(m_out.addRect({0, 0, m_out.width, m_out.height}), {ThemeRole::canvas, Shade::solid});
        }
        const Rect area = m_request.viewport.inflated(kMargin + kMargin / std::max(m_request.zoom, 1e-6));
        m_scene.layout->itemIndex.query(area, m_items);
        m_scene.layout->edgeIndex.query(area, m_edges);
        if (m_request.zoom >= kBlobZoom) drawFrames();
        if (m_request.zoom < kCardZoom) {
            drawFar();
        } else {
            drawNear(area);
        }
    }

  private:
    Rect viewBox(const Rect& world) const {
        const Point corner = toView(m_request, {world.x, world.y});
        return {corner.x, corner.y, world.width * m_request.zoom, world.height * m_request.zoom};
    }
    bool isHovered(Hit::Kind kind, std::uint32_t index) const {
        return m_request.hovered.kind == kind && m_request.hovered.index == index;
    }
    std::string_view titleOf(std::uint32_t group) const {
        const bool isKnown = m_scene.hierarchy != nullptr && group < m_scene.hierarchy->groups.size();
        return isKnown ? std::string_view(m_scene.hierarchy->groups[group].title) : std::string_view();
    }

    /// Outlines of open groups with their names.
    void drawFrames() {
        for (std::uint32_t f = 0; f < m_scene.layout->frames.size(); ++f) {
            const GroupFrame& frame = m_scene.layout->frames[f];
            if (!frame.rect.intersects(m_request.viewport)) continue;
            const Rect box = viewBox(frame.rect);
            const bool isHoveredFrame = isHovered(Hit::Kind::frame, f);
            if (box.width < 24 || box.height < 16 || (!isTelling(frame) && !isHoveredFrame)) continue;
            stroked(m_out.addRect(box, 6), {ThemeRole::outline, Shade::faded}, 1);
            if (isHoveredFrame) stroked(m_out.items.back(), {ThemeRole::accent, Shade::solid}, 1);
            const double px = std::clamp(node_metrics::kLabelPx * m_request.zoom, kSmallestTextPx, 14.0);
            const double width = textWidth(titleOf(frame.group), FontFace::SansRegular, px);
            const Rect plate{box.x + 8, box.y - px * 1.05, std::min(width, box.width - 24) + 8, px * 1.4};
            filled(m_out.addRect(plate, 2), {ThemeRole::canvas, Shade::solid});
            drawText(titleOf(frame.group), {plate.x + 4, box.y - px * 0.35}, plate.width - 7,
                     FontFace::SansRegular, px, {ThemeRole::muted, Shade::solid}, m_out);
        }
    }

    /// A frame tells something when it holds a good many nodes and yet not nearly the whole column.
    bool isTelling(const GroupFrame& frame) const {
        const double column = m_scene.layout->columns[frame.column].height;
        return frame.nodeCount >= kSmallestFrame && frame.rect.height < 0.8 * column;
    }

    /// At the far zoom the outermost open groups are blobs as well.
    void drawFrameBlobs() {
        for (std::uint32_t f = 0; f < m_scene.layout->frames.size(); ++f) {
            const GroupFrame& frame = m_scene.layout->frames[f];
            if (!frame.rect.intersects(m_request.viewport) || !isOutermost(frame.group)) continue;
            if (f < m_scene.state->frames.size()) drawFrameBlob(f, viewBox(frame.rect));
        }
    }

    bool isOutermost(std::uint32_t group) const {
        return m_scene.hierarchy == nullptr || group >= m_scene.hierarchy->groups.size() ||
               m_scene.hierarchy->groups[group].parent == kNoIndex;
    }

    void drawFrameBlob(std::uint32_t f, const Rect& box) {
        const GroupFrame& frame = m_scene.layout->frames[f];
        constexpr NodeRole kColumnRole[] = {NodeRole::forward, NodeRole::backward, NodeRole::optimizer};
        const BlobInput blob{titleOf(frame.group),
                             m_scene.state->frames[f],
                             kColumnRole[frame.column],
                             m_request.pane,
                             box,
                             m_request.zoom,
                             m_scene.state->showRoles,
                             isHovered(Hit::Kind::frame, f),
                             nameRoom(box, frame.column)};
        drawBlob(blob, m_out);
    }

    /// Room for a name at the left of a small blob in the first column, when none stands too close above.
    double nameRoom(const Rect& box, std::uint8_t column) {
        if (column != 0 || box.centerY() < m_lastNameY + kLabelPitch) return 0;
        m_lastNameY = box.centerY();
        return box.x - 8;
    }

    /// Edges inside one outermost group are not drawn at the blob zoom.
    bool isInsideBlob(const PlacedEdge& edge) const {
        const std::uint32_t a = m_scene.layout->items[edge.from].node;
        const std::uint32_t b = m_scene.layout->items[edge.to].node;
        if (a == kNoIndex || b == kNoIndex) return false;
        const std::vector<std::uint32_t>& outer = m_scene.layout->outerFrame;
        return outer[a] != kNoIndex && outer[a] == outer[b];
    }

    void drawFar() {
        const bool isBlobZoom = m_request.zoom < kBlobZoom && !m_scene.layout->frames.empty();
        if (isBlobZoom) {
            std::erase_if(m_edges, [&](std::uint32_t e) { return isInsideBlob(m_scene.layout->edges[e]); });
        }
        drawFarEdges(m_scene, m_request, m_edges, m_out);
        drawHighlights();
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t i : m_items) {
            const std::uint32_t node = m_scene.layout->items[i].node;
            const bool isHidden =
                isBlobZoom && node != kNoIndex && m_scene.layout->outerFrame[node] != kNoIndex;
            if (node != kNoIndex && !isHidden) nodes.push_back(i);
        }
        drawFarNodes(m_scene, m_request, nodes, m_out);
        if (isBlobZoom) drawFrameBlobs();
        drawBlobs();
        for (const std::uint32_t i : nodes) {
            const PlacedItem& item = m_scene.layout->items[i];
            const bool isInStep = m_scene.state->stateOf(item.node).isInSelectedStep;
            const bool hover = isHovered(Hit::Kind::node, i);
            if (hover) drawRings(viewBox(item.rect), 3, false, true, isInStep, m_out);
        }
    }

    void drawBlobs() {
        // Top to bottom, so that names beside them keep their distance.
        std::vector<std::uint32_t> blobs;
        for (const std::uint32_t i : m_items) {
            if (m_scene.layout->items[i].node == kNoIndex) blobs.push_back(i);
        }
        std::stable_sort(blobs.begin(), blobs.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_scene.layout->items[a].rect.y < m_scene.layout->items[b].rect.y;
        });
        for (const std::uint32_t i : blobs) {
            const PlacedItem& item = m_scene.layout->items[i];
            const Rect box = viewBox(item.rect);
            const GroupTally tally = i < m_scene.state->items.size() ? m_scene.state->items[i]
                                                                     : GroupTally{.total = item.nodeCount};
            const BlobInput blob{titleOf(item.group),
                                 tally,
                                 item.role,
                                 m_request.pane,
                                 box,
                                 m_request.zoom,
                                 m_scene.state->showRoles,
                                 isHovered(Hit::Kind::group, i),
                                 nameRoom(box, item.column)};
            drawBlob(blob, m_out);
        }
    }

    void drawNear(const Rect& area) {
        for (const std::uint32_t e : m_edges) {
            const PlacedEdge& edge = m_scene.layout->edges[e];
            EdgeLook look = edgeLookOf(m_scene, m_request, edge);
            if (!look.isVisible) continue;
            if (isHovered(Hit::Kind::edge, e)) {
                look.color = {ThemeRole::accent, Shade::solid};
                look.width *= 1.8F;
            }
            drawEdge(m_scene, m_request, edge, look, m_out);
        }
        drawHighlights();
        if (m_request.showEdgeLabels) {
            for (const std::uint32_t e : m_edges) {
                const PlacedEdge& edge = m_scene.layout->edges[e];
                if (!edgeLookOf(m_scene, m_request, edge).isVisible) continue;
                drawEdgeLabel(m_scene, m_request, edge, m_out);
            }
        }
        std::vector<std::uint32_t> portals;
        m_scene.layout->portalIndex.query(area, portals);
        for (const std::uint32_t p : portals) {
            drawPortal(m_scene, m_request, m_scene.layout->portals[p], isHovered(Hit::Kind::portal, p),
                       m_out);
        }
        drawCards();
        drawBlobs();
    }

    /// Cards that replace others are drawn after the ones whose place they take.
    void drawCards() {
        for (const bool replacing : {false, true}) {
            for (const std::uint32_t i : m_items) {
                const PlacedItem& item = m_scene.layout->items[i];
                if (item.node == kNoIndex) continue;
                const LayoutNode& node = m_scene.graph->nodes[item.node];
                if (node.replaces.empty() == replacing) continue;
                const NodeState state = m_scene.state->stateOf(item.node);
                const Look look = lookOf(state.diff, m_request.pane);
                drawCard({node, state, look, m_request.colorMode, viewBox(item.rect), m_request.zoom,
                          m_scene.state->showRoles, isHovered(Hit::Kind::node, i)},
                         m_out);
            }
        }
    }

    /// Portal edges of what is hovered or selected, drawn whole, and the highlighted path.
    void drawHighlights() {
        const Layout& layout = *m_scene.layout;
        std::vector<std::uint32_t> whole;
        const auto addPortalsOf = [&](std::uint32_t item) {
            for (std::uint32_t k = layout.edgesOfItemStart[item]; k < layout.edgesOfItemStart[item + 1];
                 ++k) {
                if (layout.edges[layout.edgesOfItem[k]].isPortal) whole.push_back(layout.edgesOfItem[k]);
            }
        };
        const Hit& hit = m_request.hovered;
        const bool isItem = hit.kind == Hit::Kind::node || hit.kind == Hit::Kind::group;
        if (isItem && hit.index < layout.items.size()) addPortalsOf(hit.index);
        if (hit.kind == Hit::Kind::portal && hit.index < layout.portals.size()) {
            addPortalsOf(layout.portals[hit.index].item);
        }
        const std::size_t nodes = std::min(m_scene.state->nodes.size(), layout.itemOfNode.size());
        for (std::uint32_t n = 0; n < nodes; ++n) {
            if (m_scene.state->nodes[n].isSelected && layout.items[layout.itemOfNode[n]].node == n) {
                addPortalsOf(layout.itemOfNode[n]);
            }
        }
        std::sort(whole.begin(), whole.end());
        whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
        for (const std::uint32_t e : whole)
            drawStrong(layout.edges[e], 1.5F);
        for (std::size_t i = 1; i < m_request.highlightedPath.size(); ++i) {
            drawPathEdge(m_request.highlightedPath[i - 1], m_request.highlightedPath[i]);
        }
    }

    void drawPathEdge(std::uint32_t fromNode, std::uint32_t toNode) {
        const Layout& layout = *m_scene.layout;
        if (fromNode >= layout.itemOfNode.size() || toNode >= layout.itemOfNode.size()) return;
        const std::uint32_t from = layout.itemOfNode[fromNode];
        const std::uint32_t to = layout.itemOfNode[toNode];
        for (std::uint32_t k = layout.edgesOfItemStart[from]; k < layout.edgesOfItemStart[from + 1]; ++k) {
            const PlacedEdge& edge = layout.edges[layout.edgesOfItem[k]];
            const bool joins = (edge.from == from && edge.to == to) || (edge.from == to && edge.to == from);
            if (joins) drawStrong(edge, 3);
        }
    }

    void drawStrong(const PlacedEdge& edge, float width) {
        EdgeLook look = edgeLookOf(m_scene, m_request, edge);
        if (!look.isVisible) return;
        look.color = {ThemeRole::accent, Shade::solid};
        look.width = width;
        drawEdge(m_scene, m_request, edge, look, m_out);
    }

    const Scene& m_scene;
    const ViewRequest& m_request;
    DisplayList& m_out;
    std::vector<std::uint32_t> m_items;
    std::vector<std::uint32_t> m_edges;
    double m_lastNameY = -1e9;
};

} // namespace

void compose(const Scene& scene, const ViewRequest& request, DisplayList& out) {
    Composer(scene, request, out).run();
}

Point toView(const ViewRequest& request, Point world) {
    return {(world.x - request.viewport.x) * request.zoom, (world.y - request.viewport.y) * request.zoom};
}

Point toWorld(const ViewRequest& request, Point view) {
    return {view.x / request.zoom + request.viewport.x, view.y / request.zoom + request.viewport.y};
}

Rect nodeRect(const LayoutGraph& graph, const Layout& layout, std::uint32_t key) {
    const std::uint32_t node = graph.find(key);
    if (node >= layout.itemOfNode.size()) return {};
    return layout.items[layout.itemOfNode[node]].rect;
}

} // namespace secateur
