// SPDX-License-Identifier: Apache-2.0
#include "ui/report/nodes_model.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"

#include <QBrush>
#include <QFont>

namespace secateur {

NodesModel::NodesModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), m_document(document) {
    const auto refill = [this] {
        beginResetModel();
        m_rows =
            m_document.picture() ? static_cast<int>(m_document.picture()->unionGraph.graph.nodes.size()) : 0;
        endResetModel();
    };
    connect(&document, &Document::historyChanged, this, refill);
    connect(&document, &Document::cursorChanged, this, [this] {
        if (m_rows > 0) emit dataChanged(index(0, stateColumn), index(m_rows - 1, reasonColumn));
    });
    refill();
}

int NodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_rows;
}

int NodesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columnCountOf);
}

QVariant NodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case nodeColumn: return tx("ui.nodes.column-node");
    case opColumn: return tx("ui.nodes.column-op");
    case roleColumn: return tx("ui.nodes.column-role");
    case stateColumn: return tx("ui.nodes.column-state");
    case makesColumn: return tx("ui.nodes.column-makes");
    case reasonColumn: return tx("ui.nodes.column-reason");
    default: return {};
    }
}

QString NodesModel::makesOf(quint32 key) const {
    if (!isNodeKey(key)) return {};
    const NodeId node(key);
    const Model& model = modelOf(m_document, node);
    if (node.index >= model.nodeIdCount()) return {};
    const auto outputs = model.outputs(node);
    if (outputs.empty() || outputs.front().isNone()) return {};
    return QString::fromStdString(typeOf(m_document, outputs.front()).text());
}

QVariant NodesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_document.picture()) return {};
    const UnionGraph& all = m_document.picture()->unionGraph;
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= all.graph.nodes.size()) return {};
    const LayoutNode& node = all.graph.nodes[row];
    if (role == kKeyRole) return node.key;
    if (role == Qt::AccessibleTextRole && index.column() == nodeColumn)
        return nodeWords(m_document, node.key);
    const bool isGone = all.erasedBy[row] != 0 && all.erasedBy[row] <= m_document.cursor();
    if (role == Qt::FontRole && isGone && index.column() == nodeColumn) {
        QFont font;
        font.setStrikeOut(true);
        return font;
    }
    if (role == Qt::ForegroundRole && isGone) return QBrush(themeColorOf(ThemeRole::muted));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const bool isOperator = isNodeKey(node.key);
    switch (index.column()) {
    case nodeColumn: return QString::fromStdString(node.name.empty() ? "-" : node.name);
    case opColumn:
        return isOperator ? QString::fromStdString(node.title)
                          : tx((node.key & kInputKeyBit) ? "ui.word.input" : "ui.word.output");
    case roleColumn: return roleWords(node.role);
    case stateColumn: return stateWords(m_document, node.key);
    case makesColumn: return makesOf(node.key);
    case reasonColumn: return reasonWords(m_document, node.key).remove(QLatin1Char('`'));
    default: return {};
    }
}

int NodesModel::rowOf(quint32 key) const {
    if (!m_document.picture()) return -1;
    const std::uint32_t index = m_document.picture()->unionGraph.graph.find(key);
    return index == kNoIndex ? -1 : static_cast<int>(index);
}

} // namespace secateur
