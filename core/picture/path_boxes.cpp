// SPDX-License-Identifier: Apache-2.0
#include "core/picture/path_boxes.h"

#include "core/picture/edges.h"

#include <algorithm>

namespace secateur {
namespace {

class BoxCollector {
  public:
    BoxCollector(const Scene& scene, const ViewRequest& request)
        : m_scene(scene), m_layout(*scene.layout), m_request(request) {}

    std::vector<PathBox> run() {
        std::uint32_t number = 0, last = kNoIndex;
        for (const std::uint32_t node : m_request.path.nodes) {
            if (node >= m_layout.itemOfNode.size()) continue;
            const std::uint32_t item = m_layout.itemOfNode[node];
            if (item == last) continue;
            last = item;
            ++number;
            if (isShown(node)) {
                addReplaced(item);
                m_boxes.push_back({item, number});
            } else {
                noteReplaced(node, number);
            }
        }
        addReplaced(kNoIndex);
        return std::move(m_boxes);
    }

  private:
    [[nodiscard]] bool isShown(std::uint32_t node) const {
        const bool isNode = m_layout.items[m_layout.itemOfNode[node]].node != kNoIndex;
        return !isNode || isPresent(m_scene.state->stateOf(node).diff, m_request.pane);
    }

    /// `node` is not there in this pane: what it stands for may be.
    void noteReplaced(std::uint32_t node, std::uint32_t number) {
        if (m_replaced.empty()) m_number = number;
        for (const std::uint32_t old : m_scene.graph->nodes[node].replaces)
            if (old < m_layout.itemOfNode.size() && isShown(old))
                m_replaced.push_back(m_layout.itemOfNode[old]);
    }

    /// The way through replaced boxes from the last box so far to `to`; either may be missing.
    void addReplaced(std::uint32_t to) {
        if (m_replaced.empty()) return;
        const std::uint32_t from = m_boxes.empty() ? kNoIndex : m_boxes.back().item;
        const bool isForward = from != kNoIndex;
        std::vector<std::uint32_t> way = isForward ? walk(from, to, true) : walk(to, kNoIndex, false);
        if (isForward) std::reverse(way.begin(), way.end());
        for (const std::uint32_t item : way) {
            m_boxes.push_back({item, m_number});
            m_number = 0;
        }
        m_replaced.clear();
    }

    /// Breadth first along drawn edges from `start` through replaced boxes to `end`, or without one as far as
    /// it goes. The boxes between the two, from the end back to the start; without a way none.
    [[nodiscard]] std::vector<std::uint32_t> walk(std::uint32_t start, std::uint32_t end,
                                                  bool isForward) const {
        struct Step {
            std::uint32_t item = 0;
            std::size_t before = 0;
        };
        std::vector<Step> steps{{start, 0}};
        for (std::size_t k = 0; start != kNoIndex && k < steps.size() && steps.back().item != end; ++k) {
            std::vector<std::uint32_t> next = m_replaced;
            if (end != kNoIndex) next.insert(next.begin(), end);
            for (const std::uint32_t item : next) {
                const bool isSeen = std::any_of(steps.begin(), steps.end(),
                                                [&](const Step& step) { return step.item == item; });
                const std::uint32_t here = steps[k].item;
                if (isSeen ||
                    !edgeBetween(m_scene, m_request, isForward ? here : item, isForward ? item : here))
                    continue;
                steps.push_back({item, k});
                if (item == end) break;
            }
        }
        std::vector<std::uint32_t> way;
        if (end != kNoIndex && steps.back().item != end) return way;
        std::size_t at = end == kNoIndex ? steps.size() - 1 : steps.back().before;
        for (; at != 0; at = steps[at].before)
            way.push_back(steps[at].item);
        return way;
    }

    const Scene& m_scene;
    const Layout& m_layout;
    const ViewRequest& m_request;
    std::vector<PathBox> m_boxes;
    std::vector<std::uint32_t> m_replaced; ///< boxes that the missing nodes met last stand for
    std::uint32_t m_number = 0;            ///< position of the first of these nodes
};

} // namespace

std::vector<PathBox> pathBoxes(const Scene& scene, const ViewRequest& request) {
    return BoxCollector(scene, request).run();
}

const PlacedEdge* edgeBetween(const Scene& scene, const ViewRequest& request, std::uint32_t from,
                              std::uint32_t to) {
    const Layout& layout = *scene.layout;
    const PlacedEdge* found = nullptr;
    for (std::uint32_t k = layout.edgesOfItemStart[from]; k < layout.edgesOfItemStart[from + 1]; ++k) {
        const PlacedEdge& edge = layout.edges[layout.edgesOfItem[k]];
        if (edge.from != from || edge.to != to || edge.pointCount < 4) continue;
        if (!edgeLookOf(scene, request, edge).isVisible) continue;
        if (found == nullptr || (found->isPortal && !edge.isPortal)) found = &edge;
    }
    return found;
}

} // namespace secateur
