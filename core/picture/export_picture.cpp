// SPDX-License-Identifier: Apache-2.0
#include "core/picture/export_picture.h"

#include "core/layout/layout_moves.h"
#include "core/picture/dot_writer.h"
#include "core/picture/heat_sums.h"
#include "core/picture/left_out.h"
#include "core/picture/legend_view.h"
#include "core/picture/picture_head.h"
#include "core/picture/svg_writer.h"

#include <algorithm>

namespace secateur {
namespace {

PictureState withoutSelection(PictureState state) {
    for (NodeState& node : state.nodes)
        node.isSelected = false;
    return state;
}

/// Room in view pixels of what stands above the picture.
void makeRoom(ViewRequest& request, double width, double height) {
    request.viewport.y -= height / request.zoom;
    request.viewport.height += height / request.zoom;
    request.viewport.width = std::max(request.viewport.width, width / request.zoom);
}

DisplayList composeWhole(const Scene& scene, const Heat* heat, const ExportOptions& options) {
    constexpr double kMargin = 32;
    ViewRequest request = wholePicture(scene, options.pane);
    request.colorMode = options.colorMode;
    request.zoom = options.zoom;
    request.heat = options.colorMode == ColorMode::heat ? heat : nullptr;
    DisplayList list;
    if (!options.title.empty()) {
        const PictureHead head = headOf(scene, request, options.title);
        const double width = std::max(headWidth(head), request.viewport.width * request.zoom);
        makeRoom(request, width, headHeight(head, width));
        compose(scene, request, list);
        drawHead(head, width, list);
        return list;
    }
    if (request.heat == nullptr) {
        compose(scene, request, list);
        return list;
    }
    const HeatLegend legend = heatLegend(*heat, scaleOf(*heat, scene.state->heat));
    makeRoom(request, legendWidth(legend) + 2 * kMargin, kLegendHeight);
    compose(scene, request, list);
    drawLegend(legend, {kMargin, kMargin / 2}, list);
    return list;
}

} // namespace

DisplayList exportList(const ExportSource& source, const ExportOptions& options) {
    PictureState state = withoutSelection(source.state);
    state.heat = {};
    const bool hasHeat = options.colorMode == ColorMode::heat && source.heat != nullptr;
    if (options.pane != Pane::after || !options.isCompact) {
        state.tally(source.graph, source.layout);
        if (hasHeat) state.heat = sumHeatOf(*source.heat, source.graph, source.layout, state, options.pane);
        return composeWhole({&source.graph, &source.layout, &source.hierarchy, &state}, source.heat, options);
    }
    const Layout layout = compactLayout(source.graph, source.hierarchy, source.expanded, source.layout,
                                        leftOutOf(source.graph, state, options.pane));
    state.tally(source.graph, layout);
    if (hasHeat) state.heat = sumHeatOf(*source.heat, source.graph, layout, state, options.pane);
    return composeWhole({&source.graph, &layout, &source.hierarchy, &state}, source.heat, options);
}

std::string exportSvg(const ExportSource& source, const ExportOptions& options) {
    return writeSvg(exportList(source, options), {options.theme, options.title});
}

std::string exportDot(const ExportSource& source, const ExportOptions& options) {
    return writeDot(source.graph, source.state, {options.title, options.pane, options.theme});
}

} // namespace secateur
