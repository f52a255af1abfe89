// SPDX-License-Identifier: Apache-2.0
#include "core/report/pictures.h"

#include "core/messages/messages.h"
#include "core/picture/compose.h"
#include "core/picture/dot_writer.h"
#include "core/picture/history_state.h"
#include "core/picture/svg_writer.h"
#include "core/picture/union_graph.h"

namespace secateur {
struct GraphPicture::Parts {
    UnionGraph unionGraph;
    Hierarchy hierarchy;
    Layout layout;
    PictureState state;
};

GraphPicture::GraphPicture(const Original& original, History* history) : m_parts(std::make_unique<Parts>()) {
    Parts& parts = *m_parts;
    parts.unionGraph = buildUnionGraph(original, history);
    parts.hierarchy = buildHierarchy(parts.unionGraph.graph, parts.unionGraph.hints);
    measureNodes(parts.unionGraph.graph);
    const ExpandState open = initialExpandState(parts.unionGraph.graph, parts.hierarchy);
    parts.layout = layoutGraph(parts.unionGraph.graph, parts.hierarchy, open);
    parts.state = pictureStateOf(parts.unionGraph, original, history, {});
    parts.state.tally(parts.unionGraph.graph, parts.layout);
}

GraphPicture::~GraphPicture() = default;

std::string GraphPicture::svg(Pane pane, ThemeKind theme, const std::string& title) const {
    const Scene scene{&m_parts->unionGraph.graph, &m_parts->layout, &m_parts->hierarchy, &m_parts->state};
    ViewRequest request;
    request.pane = pane;
    SvgOptions options;
    options.theme = theme;
    options.title = title;
    return writeSvg(scene, request, options);
}

std::string GraphPicture::dot(Pane pane, const std::string& title) const {
    DotOptions options;
    options.name = title;
    options.pane = pane;
    return writeDot(m_parts->unionGraph.graph, m_parts->state, options);
}

void drawPictures(History& history, Report& report) {
    const std::size_t cursor = history.cursor();
    history.moveCursor(history.steps().size());
    const GraphPicture picture(history.original(), &history);
    const auto title = [&](const char* id) { return formatMessage(id, {report.model}); };
    report.beforeLight = picture.svg(Pane::before, ThemeKind::light, title("report.picture-before"));
    report.beforeDark = picture.svg(Pane::before, ThemeKind::dark, title("report.picture-before"));
    report.afterLight = picture.svg(Pane::after, ThemeKind::light, title("report.picture-after"));
    report.afterDark = picture.svg(Pane::after, ThemeKind::dark, title("report.picture-after"));
    history.moveCursor(cursor);
}

} // namespace secateur
