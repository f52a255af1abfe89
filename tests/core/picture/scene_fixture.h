// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {

/// A laid out training graph with a state to change.
class SceneFixture : public ::testing::Test {
  protected:
    void open(LayoutGraph opened) {
        graph = std::move(opened);
        layout = layoutGraph(graph);
        state.nodes.assign(graph.nodes.size(), {});
        state.tally(graph, layout);
        scene = {&graph, &layout, &hierarchy, &state};
        request.viewport = layout.bounds.inflated(20);
    }
    void openWithGroups(LayoutGraph opened, const HierarchyHints& hints, bool isOpen) {
        graph = std::move(opened);
        hierarchy = buildHierarchy(graph, hints);
        ExpandState expanded;
        expanded.open.assign(hierarchy.groups.size(), isOpen);
        layout = layoutGraph(graph, hierarchy, expanded);
        state.nodes.assign(graph.nodes.size(), {});
        state.tally(graph, layout);
        scene = {&graph, &layout, &hierarchy, &state};
        request.viewport = layout.bounds.inflated(20);
    }
    const DisplayList& draw() {
        compose(scene, request, list);
        return list;
    }
    Point middleOf(std::uint32_t node) const {
        const Rect& r = layout.items[layout.itemOfNode[node]].rect;
        return toView(request, {r.centerX(), r.centerY()});
    }

    LayoutGraph graph;
    Hierarchy hierarchy;
    Layout layout;
    PictureState state;
    Scene scene;
    ViewRequest request;
    DisplayList list;
};

} // namespace secateur
