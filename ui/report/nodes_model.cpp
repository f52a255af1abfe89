// SPDX-License-Identifier: Apache-2.0
#include "ui/report/nodes_model.h"

#include "ui/app_state/document.h"
#include "ui/app_state/natural_order.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"

#include <QBrush>
#include <QFont>

#include <algorithm>
#include <numeric>

namespace secateur {

namespace {

/// Of reading rows for a sort or filter, between two turns of the event loop.
constexpr qint64 kSliceMs = 8;

} // namespace

NodesModel::NodesModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), m_document(document) {
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &NodesModel::arrangeSlice);
    connect(&document, &Document::historyChanged, this, &NodesModel::refill);
    connect(&document, &Document::graphChanged, this, &NodesModel::refill);
    connect(&document, &Document::cursorChanged, this, &NodesModel::onCursor);
    refill();
}

void NodesModel::refill() {
    beginResetModel();
    m_slices.stop();
    const std::size_t nodes = m_document.picture() ? m_document.picture()->unionGraph.graph.nodes.size() : 0;
    m_shown.resize(nodes);
    std::iota(m_shown.begin(), m_shown.end(), 0U);
    m_rowOf.resize(nodes);
    std::iota(m_rowOf.begin(), m_rowOf.end(), 0);
    m_haystacks.clear();
    endResetModel();
    if (m_column >= 0 || !m_words.isEmpty()) arrange();
}

void NodesModel::onCursor() {
    if (m_shown.empty() && m_words.isEmpty()) return;
    m_haystacks.clear();
    if (!m_shown.empty()) emit dataChanged(index(0, nodeColumn), index(rowCount() - 1, reasonColumn));
    if (!m_words.isEmpty() || m_column == stateColumn || m_column == makesColumn) arrange();
}

void NodesModel::sort(int column, Qt::SortOrder order) {
    if (column == m_column && order == m_order) return;
    m_column = column;
    m_order = order;
    arrange();
}

void NodesModel::setFilter(const QString& text) {
    const QStringList words = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words == m_words) return;
    m_words = words;
    arrange();
}

void NodesModel::arrange() {
    m_next = 0;
    m_found.clear();
    m_keys.assign(m_column >= 0 ? m_rowOf.size() : 0, QString());
    if (!m_words.isEmpty()) m_haystacks.resize(m_rowOf.size());
    // Small models are done at once.
    m_slices.start();
    arrangeSlice();
}

void NodesModel::arrangeSlice() {
    QElapsedTimer clock;
    clock.start();
    constexpr std::size_t kRowsBetweenLooks = 32;
    for (; m_next < m_rowOf.size(); ++m_next) {
        if (m_next % kRowsBetweenLooks == 0 && clock.elapsed() >= kSliceMs) return;
        const auto node = static_cast<Row>(m_next);
        if (!matches(node)) continue;
        m_found.push_back(node);
        if (m_column >= 0) m_keys[node] = naturalKey(text(node, m_column));
    }
    m_slices.stop();
    finishArranging();
}

void NodesModel::finishArranging() {
    if (m_column >= 0) {
        const bool isRising = m_order == Qt::AscendingOrder;
        std::stable_sort(m_found.begin(), m_found.end(), [&](Row a, Row b) {
            return isRising ? m_keys[a] < m_keys[b] : m_keys[b] < m_keys[a];
        });
    }
    m_keys.clear();
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<Row> nodeOf;
    for (const QModelIndex& old : before)
        nodeOf.push_back(m_shown[static_cast<std::size_t>(old.row())]);
    m_shown = std::move(m_found);
    m_found = {};
    std::fill(m_rowOf.begin(), m_rowOf.end(), -1);
    for (std::size_t row = 0; row < m_shown.size(); ++row)
        m_rowOf[m_shown[row]] = static_cast<int>(row);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const int row = m_rowOf[nodeOf[static_cast<std::size_t>(i)]];
        after.append(row < 0 ? QModelIndex() : index(row, before[i].column()));
    }
    changePersistentIndexList(before, after);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
    emit arranged();
}

bool NodesModel::matches(Row node) {
    if (m_words.isEmpty()) return true;
    QString& haystack = m_haystacks[node];
    if (haystack.isNull()) {
        for (int column = 0; column < columnCountOf; ++column)
            haystack += text(node, column) + QLatin1Char('\n');
        haystack = std::move(haystack).toLower();
    }
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return haystack.contains(word); });
}

int NodesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
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

NodesModel::Reckoning NodesModel::reckoning() const {
    Reckoning is;
    if (!m_document.picture() || m_document.shownGraph() != m_document.original()->file.model.mainGraph())
        return is;
    const UnionGraph& all = m_document.picture()->unionGraph;
    for (std::size_t i = 0; i < all.graph.nodes.size(); ++i) {
        const std::uint32_t key = all.graph.nodes[i].key;
        if (isNodeKey(key))
            ++(all.createdBy[i] == 0 ? is.listed : is.made);
        else
            ++((key & kInputKeyBit) != 0 ? is.inputs : is.outputs);
    }
    const std::size_t original = m_document.original()->file.model.nodeIdCount();
    for (const FoldedNode& folded : all.graph.folded)
        if (folded.key < original) ++is.lines;
    is.model = m_document.original()->metrics.nodes;
    is.lines = std::min(is.lines, is.model - std::min(is.model, is.listed));
    return is;
}

QString NodesModel::makesOf(quint32 key) const {
    if (!isNodeKey(key)) return {};
    const NodeId node(key);
    const Model& model = modelOf(m_document, node);
    if (node.index >= model.nodeIdCount()) return {};
    const auto outputs = model.outputs(node);
    if (outputs.empty() || outputs.front().isNone()) return {};
    return nameText(typeOf(m_document, outputs.front()).text());
}

QString NodesModel::text(Row row, int column) const {
    const LayoutNode& node = m_document.picture()->unionGraph.graph.nodes[row];
    const NodeFace* changed = m_document.state().faceOf(row, Pane::after); // as a step left it
    const std::string &name = changed ? changed->name : node.name,
                      &title = changed ? changed->title : node.title;
    switch (column) {
    case nodeColumn: return name.empty() ? tx("ui.nodes.unnamed") : nameText(name);
    case opColumn:
        return isNodeKey(node.key) ? nameText(title)
                                   : tx((node.key & kInputKeyBit) ? "ui.word.input" : "ui.word.output");
    case roleColumn: return keyRoleWords(m_document, node.key);
    case stateColumn: return stateWords(m_document, node.key);
    case makesColumn: return makesOf(node.key);
    case reasonColumn: return reasonWords(m_document, node.key).remove(QLatin1Char('`'));
    default: return {};
    }
}

QVariant NodesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_document.picture() || index.row() >= rowCount()) return {};
    const UnionGraph& all = m_document.picture()->unionGraph;
    const Row row = m_shown[static_cast<std::size_t>(index.row())];
    if (row >= all.graph.nodes.size()) return {};
    switch (role) {
    case kKeyRole: return all.graph.nodes[row].key;
    case Qt::AccessibleTextRole:
        return index.column() == nodeColumn ? nodeWords(m_document, all.graph.nodes[row].key)
                                            : text(row, index.column());
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return text(row, index.column());
    default: break;
    }
    const bool isGone = all.erasedBy[row] != 0 && all.erasedBy[row] <= m_document.cursor();
    if (role == Qt::FontRole && isGone && index.column() == nodeColumn) {
        QFont font;
        font.setStrikeOut(true);
        return font;
    }
    if (role == Qt::ForegroundRole && isGone) return QBrush(themeColorOf(ThemeRole::muted));
    return {};
}

int NodesModel::rowOf(quint32 key) const {
    if (!m_document.picture()) return -1;
    const std::uint32_t node = m_document.picture()->unionGraph.graph.find(key);
    return node < m_rowOf.size() ? m_rowOf[node] : -1;
}

quint32 NodesModel::keyOf(int row) const {
    return m_document.picture()->unionGraph.graph.nodes[m_shown[static_cast<std::size_t>(row)]].key;
}

} // namespace secateur
