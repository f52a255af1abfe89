// SPDX-License-Identifier: Apache-2.0
#include "ui/window/palette_sources.h"

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "ui/app_state/document.h"
#include "ui/inspector/find_field.h"
#include "ui/inspector/find_index.h"
#endif
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/window/fuzzy_match.h"

#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>
#include <utility>

namespace secateur {

namespace {

constexpr std::size_t kMostPlaces = 100;

QString plain(QString text) {
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

/// The second line of a tooltip says why an action is off.
QString reasonOf(const QAction& action) {
    if (action.isEnabled()) return {};
    const QString reason = action.toolTip().section(QLatin1Char('\n'), 1);
    return reason.isEmpty() ? tx("ui.palette.off") : reason;
}

void collect(const QMenu& menu, const QString& path, std::vector<PaletteEntry>& into) {
    for (QAction* action : menu.actions()) {
        if (action->isSeparator()) continue;
        const QString text = tx("ui.palette.command", {path, plain(action->text())});
        if (action->menu()) {
            collect(*action->menu(), text, into);
            continue;
        }
        into.push_back({text, action->shortcut().toString(QKeySequence::NativeText), reasonOf(*action),
                        action->isCheckable() && action->isChecked(), [action] { action->trigger(); }});
    }
}

/// The node that stands at this place in the file; none: there are not so many.
NodeId nodeAt(const Model& model, std::uint64_t place) {
    std::uint64_t at = 0;
    for (const NodeId node : model.nodes(model.mainGraph()))
        if (++at == place) return node;
    return {};
}

/// "node", and in which body or function where it is not in the main graph.
QString kindAndGraph(const Model& model, const FindHit& hit) {
    const QString kind = findKindWord(hit.kind);
    GraphId graph = model.mainGraph();
    if (isNodeKey(hit.key))
        graph = model.node(NodeId(hit.key)).graph;
    else if ((hit.key & kInputKeyBit) != 0)
        graph = model.value(ValueId(hit.key & ~kInputKeyBit)).graph;
    const std::vector<Crumb> way = breadcrumbsOf(model, graph);
    if (way.size() < 2) return kind;
    return tx("ui.palette.kind-in", {kind, nameText(way.back().text).remove(QLatin1Char('`'))});
}

} // namespace

std::vector<PaletteEntry> commandsFor(const QMenuBar& menus, const QString& query) {
    std::vector<PaletteEntry> all;
    for (const QAction* top : menus.actions())
        if (top->menu()) collect(*top->menu(), plain(top->text()), all);
    std::vector<std::pair<int, PaletteEntry>> found;
    for (PaletteEntry& entry : all)
        if (const auto score = fuzzyScore(query, entry.text)) found.emplace_back(*score, std::move(entry));
    // Of equally good answers those come first that can be used now; without a query the menus' order is
    // kept.
    std::stable_sort(found.begin(), found.end(), [&query](const auto& a, const auto& b) {
        if (a.first != b.first) return a.first > b.first;
        return !query.isEmpty() && a.second.reason.isEmpty() && !b.second.reason.isEmpty();
    });
    std::vector<PaletteEntry> entries;
    for (auto& [score, entry] : found)
        entries.push_back(std::move(entry));
    return entries;
}

std::vector<PaletteEntry> placesFor(Document& document, const QString& query,
                                    const std::function<void()>& shown) {
    std::vector<PaletteEntry> entries;
    if (!document.original() || !document.picture() || query.isEmpty()) return entries;
    const Model& model = document.original()->file.model;
    const auto add = [&](std::uint32_t key, const QString& text, const QString& kind) {
        entries.push_back({text, kind, {}, false, [&document, shown, key] {
                               document.select({key});
                               shown();
                           }});
    };
    bool isNumber = false;
    const QString digits = query.startsWith(QLatin1Char('#')) ? query.mid(1) : query;
    if (const std::uint64_t place = digits.toULongLong(&isNumber); isNumber) {
        if (const NodeId node = nodeAt(model, place); !node.isNone())
            add(node.index,
                tx("ui.palette.node-at",
                   {countText(place), nameText(model.op(node)), nameText(model.name(node))}),
                tx("ui.find.node"));
    }
    std::size_t total = 0;
    const LayoutGraph& graph = document.mainPicture()->unionGraph.graph;
    for (const FindHit& hit : findInModel(model, utf8(query), kMostPlaces, total))
        add(hit.drawnKey(graph), nameText(hit.text), kindAndGraph(model, hit));
    return entries;
}

} // namespace secateur
