// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/node_words.h"

#include "core/analysis/value_kinds.h"
#include "core/messages/messages.h"
#include "core/messages/value_list.h"
#include "core/passes/registry.h"
#include "core/picture/blob_text.h"
#include "core/picture/model_text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <algorithm>

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

QString kindWords(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::layer: return tx("ui.kind.layer");
    case OperatorKind::activation: return tx("ui.kind.activation");
    case OperatorKind::pool: return tx("ui.kind.pool");
    case OperatorKind::normalization: return tx("ui.kind.normalization");
    case OperatorKind::shape: return tx("ui.kind.shape");
    case OperatorKind::tensor: return tx("ui.kind.tensor");
    case OperatorKind::transform: return tx("ui.kind.transform");
    case OperatorKind::quantization: return tx("ui.kind.quantization");
    case OperatorKind::attention: return tx("ui.kind.attention");
    case OperatorKind::dropout: return tx("ui.kind.dropout");
    case OperatorKind::control: return tx("ui.kind.control");
    case OperatorKind::constant: return tx("ui.kind.constant");
    case OperatorKind::input: return tx("ui.kind.input");
    case OperatorKind::output: return tx("ui.kind.output");
    case OperatorKind::generic: return tx("ui.kind.generic");
    case OperatorKind::unknown: return tx("ui.kind.unknown");
    }
    return {};
}

QString stepTitle(const std::string& pass) {
    const Pass* found = findPass(pass);
    return found ? tx(found->info().titleId) : QString::fromStdString(pass);
}

Type typeOf(const Document& document, ValueId value) {
    if (document.history()) {
        Type now = shownType(document.history()->types(), value);
        if (now.kind != Type::Kind::none) return now;
    }
    return shownType(document.original()->types, value);
}

const Model& modelOf(const Document& document, NodeId node) {
    const History* history = document.history();
    return history && history->model().isAlive(node) ? history->model() : document.original()->file.model;
}

const UnionPicture* pictureWith(const Document& document, std::uint32_t key) {
    const UnionPicture* drawn = document.picture().get();
    if (!drawn || isGroupKey(key)) return drawn;
    const LayoutGraph& graph = drawn->unionGraph.graph;
    return graph.find(key) == kNoIndex ? document.mainPicture().get() : drawn;
}

bool isInFunction(const Document& document, NodeId node) {
    const Model& model = modelOf(document, node);
    if (node.index >= model.nodeIdCount()) return false;
    GraphId graph = model.node(node).graph;
    while (model.graph(graph).kind == GraphKind::subgraph)
        graph = model.graph(graph).parent;
    return model.graph(graph).kind == GraphKind::function;
}

namespace {

const RoleTable& rolesOf(const Document& document) {
    const auto chosen = document.history() ? document.history()->roles() : nullptr;
    return chosen ? *chosen : *document.original()->roles;
}

/// What an input of the opened model is there for; none for other keys, and for what a body takes from
/// outside.
std::optional<ValueUse> inputUse(const Document& document, std::uint32_t key) {
    if ((key & kInputKeyBit) == 0 || !document.original()) return std::nullopt;
    const Original& original = *document.original();
    const ValueId value(key & ~kInputKeyBit);
    const Model& model = original.file.model;
    const bool isInput = value.index < model.valueIdCount() && model.isAlive(value) &&
                         model.value(value).graph == model.mainGraph() && model.isGraphInput(value);
    if (!isInput) return std::nullopt;
    return useOf(model, original.types, rolesOf(document), value);
}

QString capitalized(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

} // namespace

Role roleOfNode(const Document& document, NodeId node) {
    return rolesOf(document).of(node);
}

QString keyRoleWords(const Document& document, std::uint32_t key) {
    if (const auto use = inputUse(document, key))
        return capitalized(tx("kind-word." + std::string(valueKindName(use->kind))));
    if (isNodeKey(key) && document.original())
        return tx("ui.role." + std::string(roleName(rolesOf(document).of(NodeId(key)))));
    const UnionPicture* picture = pictureWith(document, key);
    const std::uint32_t index = picture ? picture->unionGraph.graph.find(key) : kNoIndex;
    return index == kNoIndex ? QString() : roleWords(picture->unionGraph.graph.nodes[index].role);
}

QString inputKindWords(const Document& document, std::uint32_t key) {
    const auto use = inputUse(document, key);
    if (!use) return {};
    const std::string id = "kind." + std::string(valueKindName(use->kind));
    if (use->of.isNone()) return tx(id);
    return tx(id + "-of", {QString::fromStdString(valueText(document.original()->file.model, use->of))});
}

QString nodeName(const Document& document, std::uint32_t key) {
    const UnionPicture* picture = pictureWith(document, key);
    if (!picture) return {};
    if (isGroupKey(key)) {
        const std::uint32_t group = key & ~kGroupKeyBit;
        return group < picture->hierarchy.groups.size() ? nameText(picture->hierarchy.groups[group].title)
                                                        : QString();
    }
    if (isNodeKey(key)) {
        const NodeId node(key);
        const Model& model = modelOf(document, node);
        // A node made by a step that lies behind the cursor is in neither model.
        if (node.index < model.nodeIdCount()) return QString::fromStdString(nodeText(model, node));
    }
    const std::uint32_t index = picture->unionGraph.graph.find(key);
    return index == kNoIndex ? QString() : nameText(picture->unionGraph.graph.nodes[index].title);
}

QString stateWords(const Document& document, std::uint32_t key) {
    const UnionPicture* picture = pictureWith(document, key);
    const std::uint32_t index = picture ? picture->unionGraph.graph.find(key) : kNoIndex;
    if (index == kNoIndex || !document.history()) return {};
    const UnionGraph& all = picture->unionGraph;
    const std::size_t cursor = document.cursor();
    const auto named = [&](const char* id, std::uint32_t step) {
        return tx(id, {QString::number(step), stepTitle(document.history()->steps()[step - 1].pass)});
    };
    if (isNodeKey(key)) {
        // A node drawn as a row of another has a fate of its own.
        if (const auto step = document.history()->stepThatErased(NodeId(key)))
            return named(*step >= cursor                                              ? "ui.state.goes-in"
                         : all.graph.nodes[index].key == key && all.isReplaced[index] ? "ui.state.replaced-by"
                                                                                      : "ui.state.removed-by",
                         static_cast<std::uint32_t>(*step + 1));
        if (all.graph.nodes[index].key != key) return tx("ui.state.kept");
    }
    const std::uint32_t created = all.createdBy[index], erased = all.erasedBy[index];
    if (erased > cursor) return named("ui.state.goes-in", erased);
    if (erased != 0)
        return named(all.isReplaced[index] ? "ui.state.replaced-by" : "ui.state.removed-by", erased);
    if (created != 0) return named("ui.state.made-by", created);
    if (picture != document.picture().get()) return tx("ui.state.kept");
    switch (document.state().stateOf(index).diff) {
    case DiffState::changed: return tx("ui.state.changed");
    case DiffState::willGo: return tx("ui.state.will-go");
    default: return tx("ui.state.kept");
    }
}

QString groupFateWords(const Document& document, std::uint32_t group) {
    return QString::fromStdString(blobText(document.tallyOf(group), Pane::before));
}

QString nodeWords(const Document& document, std::uint32_t key) {
    QString words = nodeName(document, key).remove(QLatin1Char('`'));
    const UnionPicture* picture = pictureWith(document, key);
    if (!picture) return words;
    if (isGroupKey(key)) {
        const std::uint32_t group = key & ~kGroupKeyBit;
        if (group < picture->hierarchy.groups.size())
            words +=
                QStringLiteral(", ") + tx("ui.accessible.group", {countText(document.tallyOf(group).total)});
        if (document.tallyOf(group).removed > 0)
            words += QStringLiteral(", ") + groupFateWords(document, group);
        return words;
    }
    const std::uint32_t index = picture->unionGraph.graph.find(key);
    if (index == kNoIndex) return words;
    const LayoutNode& node = picture->unionGraph.graph.nodes[index];
    words +=
        QStringLiteral(", ") + (node.kind == OperatorKind::input    ? tx("ui.word.input")
                                : node.kind == OperatorKind::output ? tx("ui.word.output")
                                                                    : keyRoleWords(document, key).toLower());
    const QString state = stateWords(document, key);
    return state.isEmpty() ? words : words + QStringLiteral(", ") + state;
}

namespace {

QString quoted(const Model& model, ValueId value) {
    return QString::fromStdString(valueText(model, value));
}

QString targetNames(const Document& document) {
    return qs(valueList(document.original()->file.model, document.reachability().targets));
}

/// Of something from which the nearest target is `distance` edges away.
QString keptWords(const Need& need, std::uint32_t distance) {
    const QString target = quoted(*need.model, need.target);
    return distance == 0 ? tx("ui.reason.makes-target", {target})
                         : tx("ui.reason.kept", {target, countText(distance)});
}

QString inputReason(const Document& document, ValueId input) {
    const NodeId reader = document.stories()->nearestReader(input);
    const auto need = reader.isNone() ? std::nullopt : document.stories()->need(reader);
    if (!need) return tx("ui.reason.unneeded", {targetNames(document)});
    return keptWords(*need, need->distance + 1);
}

QString outputReason(const Document& document, ValueId value) {
    const auto& targets = document.reachability().targets;
    const bool isTarget = std::find(targets.begin(), targets.end(), value) != targets.end();
    return isTarget ? tx("ui.reason.is-target") : tx("ui.reason.unneeded", {targetNames(document)});
}

QString terminalReason(const Document& document, std::uint32_t key) {
    const Model& model = document.original()->file.model;
    // Of a body they come and go with the node that holds it.
    if (document.shownGraph() != model.mainGraph()) return {};
    // Outputs are numbered as the original lists them, then as steps made them: those are the targets.
    const InputRange outputs = model.graphOutputs(model.mainGraph());
    const bool isInput = (key & kInputKeyBit) != 0;
    const std::uint32_t number = key & ~(kInputKeyBit | kOutputKeyBit);
    if (!isInput && number >= outputs.size()) return tx("ui.reason.is-target");
    const ValueId value = isInput ? ValueId(number) : outputs[number];
    if (value.isNone() || value.index >= model.valueIdCount()) return {};
    if (const Reason* reason = document.reasons().of(value))
        return QString::fromStdString(formatReason(*reason, document.history()->model()));
    return isInput ? inputReason(document, value) : outputReason(document, value);
}

} // namespace

QString reasonWords(const Document& document, std::uint32_t key) {
    if (!document.history() || isGroupKey(key)) return {};
    if (!isNodeKey(key)) return terminalReason(document, key);
    const NodeId node(key);
    if (const Reason* reason = document.reasons().of(node))
        return QString::fromStdString(formatReason(*reason, document.history()->model()));
    if (isInFunction(document, node)) return {}; // as many fates as it has callers
    const auto need = document.stories()->need(node);
    return need ? keptWords(*need, need->distance) : tx("ui.reason.unneeded", {targetNames(document)});
}

QString nodeTip(const Document& document, std::uint32_t key) {
    const QString name = nodeName(document, key), state = stateWords(document, key),
                  reason = reasonWords(document, key);
    QString tip = QStringLiteral("<b>%1</b>").arg(richText(name));
    const UnionPicture* picture = pictureWith(document, key);
    const std::uint32_t index = picture ? picture->unionGraph.graph.find(key) : kNoIndex;
    if (index != kNoIndex) tip += QStringLiteral("<br>") + keyRoleWords(document, key);
    if (!state.isEmpty()) tip += QStringLiteral(", ") + richText(state);
    if (!reason.isEmpty()) tip += QStringLiteral("<br>") + richText(reason);
    return tip;
}

QString edgeTip(const Document& document, const LayoutEdge& edge) {
    const LayoutGraph& graph = document.picture()->unionGraph.graph;
    const Model& model = document.original()->file.model;
    QString name;
    if (edge.value < model.valueIdCount()) name = nameText(model.name(ValueId(edge.value)));
    QString tip = QStringLiteral("<b>%1</b>").arg(richText(QLatin1Char('`') + name + QLatin1Char('`')));
    tip += QStringLiteral("<br>") + QString::fromStdString(edge.label).toHtmlEscaped();
    const std::string size = sizeText({edge.factor.empty() ? edge.bytes : edge.bytesForOne, edge.factor});
    if (!size.empty()) tip += QStringLiteral(", ") + QString::fromStdString(size).toHtmlEscaped();
    tip += QStringLiteral("<br>") + richText(nodeName(document, graph.nodes[edge.from].key)) +
           QStringLiteral(" \u2192 ") + richText(nodeName(document, graph.nodes[edge.to].key));
    if (edge.edgeClass == EdgeClass::stash) tip += QStringLiteral("<br>") + tx("ui.tip.stash");
    return tip;
}

} // namespace secateur
