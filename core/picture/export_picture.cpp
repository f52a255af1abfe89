// SPDX-License-Identifier: Apache-2.0
#include "core/picture/export_picture.h"

#include "core/layout/layout_moves.h"
#include "core/picture/dot_writer.h"
#include "core/picture/left_out.h"
#include "core/picture/legend_view.h"
#include "core/picture/svg_writer.h"

#include <algorithm>

namespace secateur {
namespace {

PictureState withoutSelection(PictureState state) {
    for (NodeState& node : state.nodes)
        node.isSelected = false;
    return state;
}

constexpr double kMargin = 32;

DisplayList composeWhole(const Scene& scene, const Heat* heat, const ExportOptions& options) {
    ViewRequest request = wholePicture(scene, options.pane);
    request.colorMode = options.colorMode;
    request.zoom = options.zoom;
    const bool hasLegend = options.colorMode == ColorMode::heat && heat != nullptr;
    request.heat = hasLegend ? heat : nullptr;
    HeatLegend legend;
    if (hasLegend) {
        legend = heatLegend(*heat);
        const double height = kLegendHeight / options.zoom;
        request.viewport.y -= height;
        request.viewport.height += height;
        request.viewport.width =
            std::max(request.viewport.width, (legendWidth(legend) + 2 * kMargin) / options.zoom);
    }
    DisplayList list;
    compose(scene, request, list);
    if (hasLegend) drawLegend(legend, {kMargin, kMargin / 2}, list);
    return list;
}

} // namespace

DisplayList exportList(const ExportSource& source, const ExportOptions& options) {
    PictureState state = withoutSelection(source.state);
    state.heat = {};
    const bool hasHeat = options.colorMode == ColorMode::heat && source.heat != nullptr;
    if (options.pane != Pane::after || !options.isCompact) {
        state.tally(source.graph, source.layout);
        if (hasHeat) state.heat = sumHeat(*source.heat, source.layout);
        return composeWhole({&source.graph, &source.layout, &source.hierarchy, &state}, source.heat, options);
    }
    const Layout layout = compactLayout(source.graph, source.hierarchy, source.expanded, source.layout,
                                        leftOutOf(source.graph, state, options.pane));
    state.tally(source.graph, layout);
    if (hasHeat) state.heat = sumHeat(*source.heat, layout);
    return composeWhole({&source.graph, &layout, &source.hierarchy, &state}, source.heat, options);
}

std::string exportSvg(const ExportSource& source, const ExportOptions& options) {
    return writeSvg(exportList(source, options), {options.theme, options.title});
}

std::string exportDot(const ExportSource& source, const ExportOptions& options) {
    return writeDot(source.graph, source.state, {options.title, options.pane, options.theme});
}

} // namespace secateur
