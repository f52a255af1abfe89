// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/node_words.h"

#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

namespace secateur {

QString roleWords(NodeRole role) {
    switch (role) {
    case NodeRole::forward: return tx("ui.role.forward");
    case NodeRole::loss: return tx("ui.role.loss");
    case NodeRole::backward: return tx("ui.role.backward");
    case NodeRole::accumulator: return tx("ui.role.accumulator");
    case NodeRole::optimizer: return tx("ui.role.optimizer");
    case NodeRole::recompute: return tx("ui.role.recompute");
    case NodeRole::metric: return tx("ui.role.metric");
    }
    return {};
}

QString stepTitle(const std::string& pass) {
    const Pass* found = findPass(pass);
    return found ? tx(found->info().titleId) : QString::fromStdString(pass);
}

const Reason& reasonOf(const RewriteRecord& record, NodeId node) {
    for (const auto& [id, reason] : record.nodeReasons)
        if (id == node) return reason;
    return record.reason;
}

const Type& typeOf(const Document& document, ValueId value) {
    if (document.history()) {
        const Type& now = document.history()->types().type(value);
        if (now.kind != Type::Kind::none) return now;
    }
    return document.original()->types.type(value);
}

const Model& modelOf(const Document& document, NodeId node) {
    const Model& original = document.original()->file.model;
    return document.history() && !original.isAlive(node) ? document.history()->model() : original;
}

QString nodeName(const Document& document, std::uint32_t key) {
    const auto& picture = document.picture();
    if (!picture) return {};
    if (isGroupKey(key)) {
        const std::uint32_t group = key & ~kGroupKeyBit;
        return group < picture->hierarchy.groups.size()
                   ? QString::fromStdString(picture->hierarchy.groups[group].title)
                   : QString();
    }
    if (isNodeKey(key)) {
        const NodeId node(key);
        const Model& model = modelOf(document, node);
        // A node made by a step that lies behind the cursor is in neither model.
        if (node.index < model.nodeIdCount()) return QString::fromStdString(nodeText(model, node));
    }
    const std::uint32_t index = picture->unionGraph.graph.find(key);
    return index == kNoIndex ? QString()
                             : QString::fromStdString(picture->unionGraph.graph.nodes[index].title);
}

QString stateWords(const Document& document, std::uint32_t key) {
    const auto& picture = document.picture();
    const std::uint32_t index = picture ? picture->unionGraph.graph.find(key) : kNoIndex;
    if (index == kNoIndex || !document.history()) return {};
    const UnionGraph& all = picture->unionGraph;
    const std::size_t cursor = document.cursor();
    const auto named = [&](const char* id, std::uint32_t step) {
        return tx(id, {QString::number(step), stepTitle(document.history()->steps()[step - 1].pass)});
    };
    if (isNodeKey(key)) {
        // A node drawn as a row of another has a fate of its own.
        const auto step = document.history()->stepThatErased(NodeId(key));
        if (step && *step < cursor)
            return named("ui.state.removed-by", static_cast<std::uint32_t>(*step + 1));
        if (all.graph.nodes[index].key != key) return tx("ui.state.kept");
    }
    const std::uint32_t created = all.createdBy[index], erased = all.erasedBy[index];
    if (erased != 0 && erased <= cursor)
        return named(all.isReplaced[index] ? "ui.state.replaced-by" : "ui.state.removed-by", erased);
    if (created != 0) return named("ui.state.made-by", created);
    switch (document.state().stateOf(index).diff) {
    case DiffState::changed: return tx("ui.state.changed");
    case DiffState::willGo: return tx("ui.state.will-go");
    default: return tx("ui.state.kept");
    }
}

QString nodeWords(const Document& document, std::uint32_t key) {
    QString words = nodeName(document, key).remove(QLatin1Char('`'));
    const auto& picture = document.picture();
    if (!picture) return words;
    if (isGroupKey(key)) {
        const std::uint32_t group = key & ~kGroupKeyBit;
        if (group < picture->hierarchy.groups.size())
            words += QStringLiteral(", ") +
                     tx("ui.accessible.group", {countText(picture->hierarchy.groups[group].nodeCount)});
        return words;
    }
    const std::uint32_t index = picture->unionGraph.graph.find(key);
    if (index == kNoIndex) return words;
    const LayoutNode& node = picture->unionGraph.graph.nodes[index];
    words += QStringLiteral(", ") + (node.kind == OperatorKind::input    ? tx("ui.word.input")
                                     : node.kind == OperatorKind::output ? tx("ui.word.output")
                                                                         : roleWords(node.role).toLower());
    const QString state = stateWords(document, key);
    return state.isEmpty() ? words : words + QStringLiteral(", ") + state;
}

QString reasonWords(const Document& document, std::uint32_t key) {
    if (!document.history() || !isNodeKey(key)) return {};
    const NodeId node(key);
    const auto step = document.history()->stepThatErased(node);
    if (!step || *step >= document.cursor()) return {};
    const RewriteRecord* record = document.history()->recordThatErased(node);
    if (!record) return {};
    return QString::fromStdString(formatReason(reasonOf(*record, node), document.history()->model()));
}

QString nodeTip(const Document& document, std::uint32_t key) {
    const QString name = nodeName(document, key), state = stateWords(document, key),
                  reason = reasonWords(document, key);
    QString tip = QStringLiteral("<b>%1</b>").arg(richText(name));
    const auto& picture = document.picture();
    const std::uint32_t index = picture ? picture->unionGraph.graph.find(key) : kNoIndex;
    if (index != kNoIndex)
        tip += QStringLiteral("<br>") + roleWords(picture->unionGraph.graph.nodes[index].role);
    if (!state.isEmpty()) tip += QStringLiteral(", ") + richText(state);
    if (!reason.isEmpty()) tip += QStringLiteral("<br>") + richText(reason);
    return tip;
}

QString edgeTip(const Document& document, const LayoutEdge& edge) {
    const LayoutGraph& graph = document.picture()->unionGraph.graph;
    const Model& model = document.original()->file.model;
    QString name;
    if (edge.value < model.valueIdCount()) name = qs(model.name(ValueId(edge.value)));
    QString tip = QStringLiteral("<b>%1</b>").arg(richText(QLatin1Char('`') + name + QLatin1Char('`')));
    tip += QStringLiteral("<br>") + QString::fromStdString(edge.label).toHtmlEscaped();
    if (edge.bytes >= 0) tip += QStringLiteral(", ") + bytesText(static_cast<std::uint64_t>(edge.bytes));
    tip += QStringLiteral("<br>") + richText(nodeName(document, graph.nodes[edge.from].key)) +
           QStringLiteral(" \u2192 ") + richText(nodeName(document, graph.nodes[edge.to].key));
    if (edge.edgeClass == EdgeClass::stash) tip += QStringLiteral("<br>") + tx("ui.tip.stash");
    return tip;
}

} // namespace secateur
