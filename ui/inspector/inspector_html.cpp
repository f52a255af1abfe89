// SPDX-License-Identifier: Apache-2.0
#include "ui/inspector/inspector_html.h"

#include "core/analysis/value_kinds.h"
#include "core/ir/domains.h"
#include "core/messages/messages.h"
#include "core/picture/input_labels.h"
#include "core/picture/model_text.h"
#include "core/report/file_parts.h"
#include "core/session/explanation.h"
#include "core/support/printable.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"

#include <algorithm>
#include <array>

namespace secateur {

namespace {

constexpr std::size_t kMostRows = 40;

QString mono(const QString& text) {
    return QStringLiteral("<span style=\"font-family:'Noto Sans Mono'; font-size:12px\">%1</span>")
        .arg(text.toHtmlEscaped());
}

QString muted(const QString& html) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(themeHex(ThemeRole::muted), html);
}

QString heading(const char* id) {
    return QStringLiteral("<p style=\"margin:12px 0 3px 0; font-weight:bold\">%1</p>").arg(tx(id));
}

QString paragraph(const QString& html) {
    return QStringLiteral("<p style=\"margin:3px 0 3px 0\">%1</p>").arg(html);
}

QString nodeLink(const Document& document, NodeId node) {
    return QStringLiteral("<a href=\"node:%1\">%2</a>")
        .arg(QString::number(node.index), richText(nodeName(document, node.index)));
}

/// Long names may be broken anywhere: rich text breaks only at spaces.
QString breakable(QString name) {
    for (const QChar c : {QLatin1Char('/'), QLatin1Char('.'), QLatin1Char('_'), QLatin1Char(':')})
        name.replace(c, QString(c) + QChar(0x200B));
    return name;
}

QString sentenceCase(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

class NodeText {
  public:
    NodeText(const Document& document, NodeId node)
        : m_document(document), m_model(modelOf(document, node)), m_node(node) {}

    QString html() const {
        QString out = title() + why() + whyNot() + bodies();
        out += values("ui.inspector.inputs", inputList()) + values("ui.inspector.outputs", outputList());
        out += attributes() + consumers();
        return out;
    }

  private:
    QString title() const {
        QString out = QStringLiteral("<p style=\"margin:0; font-size:18px; font-weight:bold\">%1</p>")
                          .arg(nameText(m_model.op(m_node)).toHtmlEscaped());
        const QString name = nameText(m_model.name(m_node));
        if (!name.isEmpty()) out += paragraph(mono(breakable(name)));
        if (const Model* was = original(); was && was->op(m_node) != m_model.op(m_node))
            out += paragraph(muted(tx("ui.inspector.was", {nameText(was->op(m_node)).toHtmlEscaped()})));
        QStringList facts;
        facts.append(keyRoleWords(m_document, m_node.index));
        const std::string_view domain = shownDomain(m_model.domain(m_node));
        const auto version = m_model.opsetVersion(m_model.domain(m_node));
        facts.append(nameText(domain) +
                     (version ? QStringLiteral(" ") + QString::number(*version) : QString()));
        return out + paragraph(muted(facts.join(QStringLiteral(" \u00B7 ")).toHtmlEscaped()));
    }

    /// The model as it was opened where that is another one than is shown and has the node too; else null.
    const Model* original() const {
        const Model& model = m_document.original()->file.model;
        return &model != &m_model && model.isAlive(m_node) ? &model : nullptr;
    }

    /// The graphs that the node opens into, as links.
    QString bodies() const {
        QString out;
        for (const Body& body : m_document.bodiesOf(m_node.index))
            out += QStringLiteral("<p style=\"margin:2px 0 0 0\"><a href=\"body:%1\">%2</a></p>")
                       .arg(QString::number(body.graph.index), richText(QString::fromStdString(body.text)));
        return out.isEmpty() ? out : heading("ui.inspector.bodies") + out;
    }

    /// Whatever explain and a report say of the node, with the way that it has at the cursor.
    QString why() const {
        if (!m_document.stories()) return {};
        QString out = heading("ui.inspector.why");
        if (isInFunction(m_document, m_node)) return out + paragraph(tx("ui.inspector.in-function"));
        const NodeStory story = m_document.stories()->tell(m_node);
        const Explanation& explanation = story.why;
        const QString state = stateWords(m_document, m_node.index);
        if (!state.isEmpty())
            out += paragraph(QStringLiteral("<b>%1</b>").arg(richText(sentenceCase(state))));
        if (!explanation.reason.id.empty()) {
            const std::string why = reasonText(explanation.reason, *story.model, m_model);
            out += paragraph(richText(QString::fromStdString(why)));
        }
        out += pathText(story);
        if (!explanation.twin.isNone())
            out += paragraph(tx(explanation.role == Role::recompute ? "ui.inspector.repeats"
                                                                    : "ui.inspector.gradient-of") +
                             QLatin1Char(' ') + nodeLink(m_document, explanation.twin));
        return out;
    }

    /// What nearly applied to the node, and what was missing.
    QString whyNot() const {
        const History* history = m_document.history();
        if (history == nullptr) return {};
        constexpr std::size_t kShown = 6;
        QString out;
        std::size_t count = 0;
        for (const Step& step : history->steps()) {
            for (const RewriteMiss& miss : step.misses) {
                if (miss.node != m_node || ++count > kShown) continue;
                const std::string title = "rule." + miss.rule + ".title";
                const QString rule =
                    hasMessage(title) ? tx(title) : QString::fromStdString(printable(miss.rule));
                const std::string reason = formatReason(miss.reason, history->model());
                out += paragraph(QStringLiteral("<b>%1</b>: %2")
                                     .arg(rule.toHtmlEscaped(), richText(QString::fromStdString(reason))));
            }
        }
        if (count > kShown) out += paragraph(muted(tx("ui.inspector.more", {countText(count - kShown)})));
        return out.isEmpty() ? out : heading("ui.inspector.why-not") + out;
    }

    QString pathText(const NodeStory& story) const {
        const Explanation& explanation = story.why;
        if (explanation.path.size() < 2)
            return explanation.end.id.empty() || explanation.isKept
                       ? QString()
                       : paragraph(sentence(explanation.end, *story.model));
        QString out =
            paragraph(tx(explanation.isKept       ? "ui.inspector.path-target"
                         : explanation.stoodOnWay ? "ui.inspector.path-stood"
                                                  : "ui.inspector.path-dead-end",
                         {QString::number(explanation.path.size() - 1)}) +
                      QStringLiteral(" <a href=\"path:\">%1</a>").arg(tx("ui.inspector.show-path")));
        constexpr std::size_t kShown = 5;
        QStringList links;
        const std::size_t count = explanation.path.size();
        for (std::size_t i = 1; i < count; ++i) {
            if (count > kShown + 2 && i == kShown) {
                links.append(tx("ui.inspector.more", {countText(count - kShown - 1)}));
                i = count - 1;
            }
            links.append(nodeLink(m_document, explanation.path[i]));
        }
        out += QStringLiteral("<p style=\"margin:0 0 3px 10px\">\u2192 %1</p>")
                   .arg(links.join(QStringLiteral("<br>\u2192 ")));
        if (!explanation.end.id.empty()) out += paragraph(muted(sentence(explanation.end, *story.model)));
        return out;
    }

    static QString sentence(const Reason& reason, const Model& model) {
        return richText(QString::fromStdString(formatReason(reason, model)));
    }

    std::vector<std::pair<QString, ValueId>> inputList() const {
        std::vector<std::pair<QString, ValueId>> list;
        const InputRange inputs = m_model.inputs(m_node);
        InputLabels labels;
        for (std::size_t slot = 0; slot < inputs.size(); ++slot)
            list.emplace_back(nameText(labels.of(m_model, m_node, slot)), inputs[slot]);
        return list;
    }

    std::vector<std::pair<QString, ValueId>> outputList() const {
        std::vector<std::pair<QString, ValueId>> list;
        for (const ValueId value : m_model.outputs(m_node))
            list.emplace_back(QString(), value);
        return list;
    }

    QString values(const char* title, const std::vector<std::pair<QString, ValueId>>& list) const {
        if (list.empty()) return {};
        QString out = heading(title);
        for (std::size_t i = 0; i < std::min(list.size(), kMostRows); ++i) {
            const auto& [label, value] = list[i];
            if (value.isNone()) {
                out += paragraph(muted(tx("ui.inspector.omitted")));
                continue;
            }
            QString line =
                label.isEmpty() ? QString() : muted(label.toHtmlEscaped()) + QStringLiteral("&nbsp; ");
            const NodeId producer = m_model.producer(value);
            const QString name = mono(breakable(nameText(m_model.name(value))));
            const bool isNode = !producer.isNone() && m_model.node(producer).kind == NodeKind::operation &&
                                producer != m_node;
            line += isNode ? QStringLiteral("<a href=\"node:%1\" style=\"text-decoration:none\">%2</a>")
                                 .arg(QString::number(producer.index), name)
                           : name;
            out += QStringLiteral("<p style=\"margin:3px 0 0 0\">%1</p>").arg(line);
            out += QStringLiteral("<p style=\"margin:0 0 0 10px\">%1</p>").arg(typeLine(value));
        }
        if (list.size() > kMostRows)
            out += paragraph(muted(tx("ui.inspector.more", {countText(list.size() - kMostRows)})));
        return out;
    }

    /// "weight", "moment" ...: what data of the opened model are there for.
    QString dataWord(ValueId value) const {
        const auto original = m_document.original();
        const Model& model = original->file.model;
        const bool isOld = value.index < model.valueIdCount() && model.isAlive(value) &&
                           model.value(value).graph == model.mainGraph() && model.isInitializer(value);
        if (!isOld) return tx("ui.inspector.weight");
        const auto roles = m_document.history() ? m_document.history()->roles() : nullptr;
        const ValueUse use = useOf(model, original->types, roles ? *roles : *original->roles, value);
        return tx("kind-word." + std::string(valueKindName(use.kind)));
    }

    QString typeLine(ValueId value) const {
        const Type type = typeOf(m_document, value);
        QString line = mono(breakable(nameText(type.text())));
        if (const auto bytes = type.bytes()) line += QStringLiteral("&nbsp; ") + muted(bytesText(*bytes));
        const Value& v = m_model.value(value);
        if (v.tensor) {
            const QString kind =
                v.tensor->encoding == Tensor::Encoding::external && v.tensor->payload.size == 0
                    ? tx("ui.inspector.missing-weight")
                    : dataWord(value);
            line += QStringLiteral("&nbsp; ") + muted(kind);
            if (v.tensor->elementCount().value_or(99) <= 6)
                line += QStringLiteral("&nbsp; ") + mono(QString::fromStdString(tensorText(*v.tensor)));
        } else if (m_model.isGraphInput(value)) {
            line += QStringLiteral("&nbsp; ") + muted(tx("ui.word.input"));
        }
        return line;
    }

    QString attributes() const {
        static const AttributeList kNone;
        const AttributeList& list = m_model.attributes(m_node);
        const AttributeList& before = original() ? original()->attributes(m_node) : kNone;
        if (list.empty() && before.empty()) return {};
        QString out = heading("ui.inspector.attributes") +
                      QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">");
        std::size_t rows = 0;
        for (const Attribute& attribute : list) {
            if (++rows > kMostRows) break;
            QString value = mono(breakable(text(m_model, attribute)));
            const Attribute* was = original() ? original()->attribute(m_node, attribute.name) : nullptr;
            const QString wasText = was ? text(*original(), *was) : tx("ui.inspector.absent");
            if (original() && wasText != text(m_model, attribute))
                value += QStringLiteral("&nbsp; ") +
                         muted(tx("ui.inspector.was", {breakable(wasText).toHtmlEscaped()}));
            out += attributeRow(nameText(attribute.name).toHtmlEscaped(), value);
        }
        for (const Attribute& attribute : before) {
            if (m_model.attribute(m_node, attribute.name) != nullptr || ++rows > kMostRows) continue;
            out += attributeRow(struck(nameText(attribute.name).toHtmlEscaped()),
                                struck(mono(breakable(text(*original(), attribute)))));
        }
        return out + QStringLiteral("</table>");
    }

    static QString text(const Model& model, const Attribute& attribute) {
        return QString::fromStdString(attributeText(model, attribute, 60));
    }
    static QString struck(const QString& html) { return QStringLiteral("<s>%1</s>").arg(html); }
    static QString attributeRow(const QString& name, const QString& value) {
        return QStringLiteral("<tr><td style=\"padding-right:10px\">%1</td><td>%2</td></tr>")
            .arg(muted(name), value);
    }

    /// Readers of the results in a model, each once, and whether a result is an output of the graph.
    struct Readers {
        std::vector<NodeId> nodes;
        bool isOutput = false;
    };
    Readers readersIn(const Model& model) const {
        Readers readers;
        for (const ValueId value : model.outputs(m_node)) {
            if (value.isNone()) continue;
            for (const Use use : model.uses(value)) {
                readers.isOutput = readers.isOutput || model.node(use.node).kind == NodeKind::exit;
                if (model.node(use.node).kind == NodeKind::operation) readers.nodes.push_back(use.node);
            }
        }
        std::sort(readers.nodes.begin(), readers.nodes.end());
        readers.nodes.erase(std::unique(readers.nodes.begin(), readers.nodes.end()), readers.nodes.end());
        return readers;
    }

    /// At the cursor, then those of the original that are gone.
    QString consumers() const {
        const Readers now = readersIn(m_model);
        QString out;
        std::size_t count = 0;
        const auto add = [&](const QString& link) {
            if (++count <= kMostRows) out += QStringLiteral("<p style=\"margin:2px 0 0 0\">%1</p>").arg(link);
        };
        for (const NodeId node : now.nodes)
            add(nodeLink(m_document, node));
        if (original())
            for (const NodeId node : readersIn(*original()).nodes)
                if (!std::binary_search(now.nodes.begin(), now.nodes.end(), node))
                    add(struck(nodeLink(m_document, node)));
        if (now.isOutput) out += paragraph(muted(tx("ui.inspector.is-output")));
        if (count > kMostRows)
            out += paragraph(muted(tx("ui.inspector.more", {countText(count - kMostRows)})));
        return heading("ui.inspector.consumers") +
               (out.isEmpty() ? paragraph(muted(tx("ui.inspector.no-consumer"))) : out);
    }

    const Document& m_document;
    const Model& m_model;
    NodeId m_node;
};

QString barRow(const char* id, std::uint64_t bytes, std::uint64_t all, ThemeRole role) {
    constexpr int kWidth = 220;
    const int width =
        all == 0 ? 0 : static_cast<int>(static_cast<double>(bytes) / static_cast<double>(all) * kWidth);
    const QString share =
        all == 0 ? QString()
                 : QStringLiteral(" \u00B7 %1 %")
                       .arg(static_cast<double>(bytes) * 100 / static_cast<double>(all), 0, 'f', 1);
    return QStringLiteral("<p style=\"margin:8px 0 2px 0\">%1&nbsp; <b>%2</b>%3</p>"
                          "<table cellspacing=\"0\" cellpadding=\"0\"><tr><td bgcolor=\"%4\" width=\"%5\" "
                          "style=\"font-size:5px\">&nbsp;</td>"
                          "<td bgcolor=\"%6\" width=\"%7\" style=\"font-size:5px\">&nbsp;</td></tr></table>")
        .arg(tx(id), bytesText(bytes), muted(share.toHtmlEscaped()), themeHex(role),
             QString::number(std::max(width, 1)), themeHex(ThemeRole::canvas),
             QString::number(kWidth - width));
}

/// Nothing selected: where the bytes of the file go.
QString fileHtml(const Document& document) {
    const LoadedModel& file = document.original()->file;
    const ModelHeader& header = file.model.header();
    const std::uint64_t all = file.fileBytes + file.externalBytes;
    const std::uint64_t weights =
        std::min(document.original()->metrics.initializerBytes + attributeTensorBytes(file.model), all);
    const std::uint64_t metadata = std::min(file.metadataBytes, all - weights);
    QString out = QStringLiteral("<p style=\"margin:0; font-size:18px; font-weight:bold\">%1</p>")
                      .arg(document.title().toHtmlEscaped());
    QStringList facts;
    facts.append(bytesText(all));
    facts.append(tx("ui.inspector.ir", {QString::number(header.irVersion)}));
    if (const auto version = file.model.opsetVersion(""))
        facts.append(tx("ui.inspector.opset", {QString::number(*version)}));
    out += paragraph(muted(facts.join(QStringLiteral(" \u00B7 "))));
    if (!header.producerName.empty())
        out += paragraph(muted(tx("ui.inspector.producer",
                                  {nameText(header.producerName + " " + header.producerVersion).trimmed()})
                                   .toHtmlEscaped()));
    out += heading("ui.inspector.bytes");
    out += barRow("ui.inspector.bytes-weights", weights, all, ThemeRole::roleMetric);
    out += barRow("ui.inspector.bytes-metadata", metadata, all, ThemeRole::roleLoss);
    out += barRow("ui.inspector.bytes-graph", all - weights - metadata, all, ThemeRole::roleForward);
    if (const std::uint64_t parameters = document.original()->metrics.parameterInputBytes; parameters > 0)
        out += QStringLiteral("<p style=\"margin:10px 0 3px 0\">%1</p>")
                   .arg(muted(tx("ui.inspector.parameters", {bytesText(parameters)})));
    return out + QStringLiteral("<p style=\"margin:14px 0 0 0\">%1</p>").arg(muted(tx("ui.inspector.hint")));
}

QString groupHtml(const Document& document, std::uint32_t key) {
    const auto& picture = document.picture();
    const Group& group = picture->hierarchy.groups[key & ~kGroupKeyBit];
    QString out = QStringLiteral("<p style=\"margin:0; font-size:18px; font-weight:bold\">%1</p>")
                      .arg(breakable(nameText(group.title)).toHtmlEscaped());
    const std::uint32_t index = key & ~kGroupKeyBit;
    out += paragraph(muted(tx("ui.inspector.group", {countText(document.tallyOf(index).total)})));
    if (document.tallyOf(index).removed > 0) out += paragraph(groupFateWords(document, index));
    // Nodes of the original in the whole subtree by role.
    std::array<std::uint64_t, kNodeRoleCount> roles{};
    const UnionGraph& all = picture->unionGraph;
    const auto count = [&](std::uint32_t node, std::uint32_t nodeKey) {
        std::uint32_t at = all.graph.nodes[node].group;
        while (at != kNoIndex && at != index)
            at = picture->hierarchy.groups[at].parent;
        const bool isOriginal = nodeKey < document.original()->file.model.nodeIdCount();
        if (at != kNoIndex && isOriginal)
            ++roles[static_cast<std::size_t>(roleOfNode(document, NodeId(nodeKey)))];
    };
    for (std::uint32_t i = 0; i < all.graph.nodes.size(); ++i)
        if (isNodeKey(all.graph.nodes[i].key)) count(i, all.graph.nodes[i].key);
    for (const FoldedNode& folded : all.graph.folded)
        count(folded.host, folded.key);
    for (int i = 0; i < kNodeRoleCount; ++i)
        if (roles[static_cast<std::size_t>(i)] > 0)
            out += paragraph(roleWords(static_cast<NodeRole>(i)) + QStringLiteral("&nbsp; ") +
                             muted(countText(roles[static_cast<std::size_t>(i)])));
    return out + paragraph(muted(tx("ui.inspector.group-hint")));
}

/// A graph input or output.
QString terminalHtml(const Document& document, std::uint32_t key) {
    const LayoutGraph& graph = document.picture()->unionGraph.graph;
    const std::uint32_t index = graph.find(key);
    if (index == kNoIndex) return {};
    const bool isInput = (key & kInputKeyBit) != 0;
    QString out = QStringLiteral("<p style=\"margin:0; font-size:18px; font-weight:bold\">%1</p>")
                      .arg(breakable(nameText(graph.nodes[index].title)).toHtmlEscaped());
    const QString kind = inputKindWords(document, key);
    out += paragraph(muted(kind.isEmpty()
                               ? tx(isInput ? "ui.inspector.graph-input" : "ui.inspector.graph-output")
                               : richText(tx("ui.inspector.graph-input-for", {kind}))));
    const QString state = stateWords(document, key), reason = reasonWords(document, key);
    if (!state.isEmpty() || !reason.isEmpty()) out += heading("ui.inspector.why");
    if (!state.isEmpty()) out += paragraph(QStringLiteral("<b>%1</b>").arg(richText(sentenceCase(state))));
    if (!reason.isEmpty()) out += paragraph(richText(sentenceCase(reason)));
    QString links;
    std::size_t count = 0;
    for (const LayoutEdge& edge : graph.edges) {
        if (edge.from != index && edge.to != index) continue;
        if (++count > kMostRows) continue;
        if (links.isEmpty()) out += paragraph(mono(QString::fromStdString(edge.label)));
        const std::uint32_t other = edge.from == index ? edge.to : edge.from;
        links += QStringLiteral("<p style=\"margin:2px 0 0 0\"><a href=\"node:%1\">%2</a></p>")
                     .arg(QString::number(graph.nodes[other].key),
                          richText(nodeName(document, graph.nodes[other].key)));
    }
    if (count > kMostRows) links += paragraph(muted(tx("ui.inspector.more", {countText(count - kMostRows)})));
    return out + heading(isInput ? "ui.inspector.consumers" : "ui.inspector.producer-node") + links;
}

} // namespace

QString inspectorHtml(const Document& document) {
    if (!document.original() || !document.picture()) return paragraph(muted(tx("ui.inspector.empty")));
    const auto& selection = document.selection();
    if (selection.empty()) return fileHtml(document);
    if (selection.size() > 1) return paragraph(tx("ui.status.selected", {countText(selection.size())}));
    const std::uint32_t key = selection.front();
    if (isGroupKey(key)) return groupHtml(document, key);
    if (!isNodeKey(key)) return terminalHtml(document, key);
    const NodeId node(key);
    if (node.index >= modelOf(document, node).nodeIdCount())
        return paragraph(richText(nodeName(document, key)));
    return NodeText(document, node).html();
}

} // namespace secateur
