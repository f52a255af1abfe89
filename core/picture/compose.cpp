// SPDX-License-Identifier: Apache-2.0
#include "core/picture/compose.h"

#include "core/picture/card.h"
#include "core/picture/drawn_bounds.h"
#include "core/picture/edge_labels.h"
#include "core/picture/edges.h"
#include "core/picture/far_names.h"
#include "core/picture/far_view.h"
#include "core/picture/frames.h"
#include "core/picture/groups.h"
#include "core/picture/path_view.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kMargin = 24; ///< world units around the viewport in which signs may reach into it

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
        if (!m_request.path.nodes.empty()) m_path = pathBoxes(m_scene, m_request);
        m_out.counters.items = static_cast<std::uint32_t>(m_items.size());
        m_out.counters.edges = static_cast<std::uint32_t>(m_edges.size());
        drawFrames(m_scene, m_request, m_out);
        if (m_request.zoom < kCardZoom) {
            const std::vector<std::uint32_t> nodes = drawFar();
            // Far away boxes and lines reach under the names.
            drawFrameTitles(m_scene, m_request, m_out);
            drawFarNames(m_scene, m_request, nodes, m_out);
        } else {
            drawNear(area);
        }
        drawPathMarks(m_scene, m_request, m_path, m_out);
    }

  private:
    Rect viewBox(const Rect& world) const {
        const Point corner = toView(m_request, {world.x, world.y});
        return {corner.x, corner.y, world.width * m_request.zoom, world.height * m_request.zoom};
    }
    bool isHovered(Hit::Kind kind, std::uint32_t index) const {
        return m_request.hovered.kind == kind && m_request.hovered.index == index;
    }
    /// Edges inside one blob are not drawn.
    bool isInsideBlob(const PlacedEdge& edge) const {
        const std::uint32_t from = blobAround(m_scene, m_request, edge.from);
        return from != kNoIndex && from == blobAround(m_scene, m_request, edge.to);
    }

    /// Returns the nodes that are drawn as plain rectangles.
    std::vector<std::uint32_t> drawFar() {
        if (m_request.zoom < kBlobZoom && !m_scene.layout->frames.empty())
            std::erase_if(m_edges, [&](std::uint32_t e) { return isInsideBlob(m_scene.layout->edges[e]); });
        drawFarEdges(m_scene, m_request, m_edges, m_out);
        drawWholePortals();
        drawPathLines(m_scene, m_request, m_path, m_out);
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t i : m_items) {
            const bool isNode = m_scene.layout->items[i].node != kNoIndex;
            if (isNode && blobAround(m_scene, m_request, i) == kNoIndex) nodes.push_back(i);
        }
        drawFarNodes(m_scene, m_request, nodes, m_out);
        drawGroups(m_scene, m_request, m_items, m_out);
        for (const std::uint32_t i : nodes) {
            const PlacedItem& item = m_scene.layout->items[i];
            const bool isInStep = m_scene.state->stateOf(item.node).isInSelectedStep;
            const bool hover = isHovered(Hit::Kind::node, i);
            if (hover) drawRings(viewBox(item.rect), 3, false, true, isInStep, m_out);
        }
        return nodes;
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
        drawWholePortals();
        std::vector<std::uint32_t> portals;
        m_scene.layout->portalIndex.query(area, portals);
        for (const std::uint32_t p : portals) {
            drawPortal(m_scene, m_request, m_scene.layout->portals[p], isHovered(Hit::Kind::portal, p),
                       m_out);
        }
        drawPathLines(m_scene, m_request, m_path, m_out);
        drawCards();
        drawGroups(m_scene, m_request, m_items, m_out);
        // Names and labels lie on no card: they are read over lines into a group, over a path, and over the
        // rings around what is selected.
        drawFrameTitles(m_scene, m_request, m_out);
        if (m_request.showEdgeLabels) drawEdgeLabels(m_scene, m_request, m_out);
    }

    /// Cards that replace others are drawn after the ones whose place they take.
    void drawCards() {
        std::vector<std::uint32_t> covered;
        for (const std::uint32_t i : m_items)
            addCovered(m_scene.layout->items[i], covered);
        for (const bool replacing : {false, true}) {
            for (const std::uint32_t i : m_items) {
                const PlacedItem& item = m_scene.layout->items[i];
                if (item.node == kNoIndex) continue;
                if (m_scene.graph->nodes[item.node].replaces.empty() == replacing) continue;
                CardInput card = cardOf(m_scene, m_request, item.node);
                card.box = viewBox(item.rect);
                m_out.counters.cards += card.look == Look::nothing ? 0U : 1U;
                card.isHovered = isHovered(Hit::Kind::node, i);
                card.isCovered = std::find(covered.begin(), covered.end(), item.node) != covered.end();
                if (replacing) card.former = formerNames(m_scene, m_request.pane, item);
                drawCard(card, m_out);
            }
        }
    }

    void addCovered(const PlacedItem& item, std::vector<std::uint32_t>& covered) const {
        const std::vector<std::uint32_t> more = coveredBy(m_scene, m_request.pane, item);
        covered.insert(covered.end(), more.begin(), more.end());
    }

    /// Portal edges of what is hovered or selected, drawn whole.
    void drawWholePortals() {
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
    std::vector<PathBox> m_path;
};

} // namespace

void compose(const Scene& scene, const ViewRequest& request, DisplayList& out) {
    Composer(scene, request, out).run();
}

ViewRequest wholePicture(const Scene& scene, Pane pane) {
    constexpr double kPageMargin = 32;
    ViewRequest request;
    request.viewport = drawnBoundsWithLabels(scene, pane, request.zoom).inflated(kPageMargin);
    request.pane = pane;
    request.isWholePicture = true;
    return request;
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
