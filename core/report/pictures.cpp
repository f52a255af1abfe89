// SPDX-License-Identifier: Apache-2.0
#include "core/report/pictures.h"

#include "core/layout/open_groups.h"
#include "core/messages/messages.h"
#include "core/picture/heat_values.h"
#include "core/picture/history_state.h"
#include "core/picture/union_graph.h"

#include <optional>

namespace secateur {
struct GraphPicture::Parts {
    Parts(const Original& model, const History* steps) : original(model), history(steps) {}

    UnionGraph unionGraph;
    Hierarchy hierarchy;
    ExpandState expanded;
    Layout layout;
    PictureState state;
    std::optional<Heat> heat;
    const Original& original;
    const History* history;
};

GraphPicture::GraphPicture(const Original& original, History* history, GraphId graph)
    : m_parts(std::make_unique<Parts>(original, history)) {
    Parts& parts = *m_parts;
    parts.unionGraph = buildUnionGraph(original, history, graph);
    parts.hierarchy = buildHierarchy(parts.unionGraph.graph, parts.unionGraph.hints);
    parts.expanded = initialExpandState(parts.unionGraph.graph, parts.hierarchy);
    StateRequest request;
    request.problems = nodesWithProblems(original, history);
    parts.state = pictureStateOf(parts.unionGraph, original, history, request);
    layOut();
}

void GraphPicture::layOut() {
    Parts& parts = *m_parts;
    parts.layout = layoutGraph(parts.unionGraph.graph, parts.hierarchy, parts.expanded);
    parts.state.tally(parts.unionGraph.graph, parts.layout);
}

Result<void> GraphPicture::open(const std::vector<std::string>& words) {
    Parts& parts = *m_parts;
    parts.expanded = TRY(openGroups(parts.unionGraph.graph, parts.hierarchy, parts.expanded, words));
    layOut();
    return {};
}

GraphPicture::~GraphPicture() = default;

ExportSource GraphPicture::source() const {
    const Parts& parts = *m_parts;
    return {parts.unionGraph.graph, parts.hierarchy, parts.expanded,
            parts.layout,           parts.state,     parts.heat ? &*parts.heat : nullptr};
}

void GraphPicture::setHeat(HeatKind kind) {
    Parts& parts = *m_parts;
    switch (kind) {
    case HeatKind::time: parts.heat = timeHeat(parts.unionGraph); return;
    case HeatKind::bytes: parts.heat = bytesHeat(parts.unionGraph, parts.original, parts.history); return;
    case HeatKind::flops: parts.heat = flopsHeat(parts.unionGraph, parts.original, parts.history); return;
    }
}

std::string GraphPicture::svg(const ExportOptions& options) const {
    return exportSvg(source(), options);
}

std::string GraphPicture::dot(const ExportOptions& options) const {
    return exportDot(source(), options);
}

DisplayList GraphPicture::list(const ExportOptions& options) const {
    return exportList(source(), options);
}

void drawPictures(History& history, Report& report) {
    const std::size_t cursor = history.cursor();
    history.moveCursor(history.steps().size());
    const GraphPicture picture(history.original(), &history);
    const auto draw = [&](Pane pane, ThemeKind theme, const char* title) {
        ExportOptions options;
        options.pane = pane;
        options.theme = theme;
        options.title = formatMessage(title, {report.model});
        return picture.svg(options);
    };
    report.beforeLight = draw(Pane::before, ThemeKind::light, "report.picture-before");
    report.beforeDark = draw(Pane::before, ThemeKind::dark, "report.picture-before");
    report.afterLight = draw(Pane::after, ThemeKind::light, "report.picture-after");
    report.afterDark = draw(Pane::after, ThemeKind::dark, "report.picture-after");
    history.moveCursor(cursor);
}

} // namespace secateur
