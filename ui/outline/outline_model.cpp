// SPDX-License-Identifier: Apache-2.0
#include "ui/outline/outline_model.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"

#include <QBrush>
#include <QFont>

#include <algorithm>

namespace secateur {

OutlineModel::OutlineModel(Document& document, QObject* parent)
    : QAbstractItemModel(parent), m_document(document) {
    connect(&document, &Document::historyChanged, this, &OutlineModel::refill);
    connect(&document, &Document::graphChanged, this, &OutlineModel::onGraph);
    connect(&document, &Document::cursorChanged, this, &OutlineModel::onCursor);
    refill();
}

std::shared_ptr<const UnionPicture> OutlineModel::wanted() const {
    const GraphId graph = m_document.shownGraph();
    if (!m_document.picture() || graph == GraphId(0U)) return m_document.picture();
    const std::vector<Crumb> way = m_document.crumbs();
    // A body lies in the main graph if every graph on the way to it but the first has a holder.
    const bool isInMain =
        std::all_of(way.begin() + 1, way.end(), [](const Crumb& crumb) { return !crumb.holder.isNone(); });
    return isInMain ? m_document.mainPicture() : m_document.picture();
}

void OutlineModel::onGraph() {
    if (wanted() != m_picture) refill();
}

void OutlineModel::refill() {
    beginResetModel();
    m_picture = wanted();
    m_tree = m_picture ? OutlineTree(m_picture->unionGraph.graph, m_picture->hierarchy) : OutlineTree();
    m_tallies.clear();
    endResetModel();
}

void OutlineModel::onCursor() {
    m_tallies.clear();
    // The views draw anew what they show; below the top they find their rows by themselves.
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, fateColumn));
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= columnCountOf || row >= rowCount(parent)) return {};
    const OutlineTree::Entry above =
        parent.isValid() ? static_cast<OutlineTree::Entry>(parent.internalId()) : OutlineTree::kRoot;
    return createIndex(row, column, quintptr{m_tree.child(above, static_cast<std::uint32_t>(row))});
}

QModelIndex OutlineModel::parent(const QModelIndex& child) const {
    if (!child.isValid()) return {};
    const OutlineTree::Entry above = m_tree.parent(static_cast<OutlineTree::Entry>(child.internalId()));
    return above == OutlineTree::kRoot ? QModelIndex()
                                       : createIndex(static_cast<int>(m_tree.row(above)), 0, quintptr{above});
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) return 0;
    return static_cast<int>(m_tree.childCount(
        parent.isValid() ? static_cast<OutlineTree::Entry>(parent.internalId()) : OutlineTree::kRoot));
}

int OutlineModel::columnCount(const QModelIndex&) const {
    return columnCountOf;
}

QVariant OutlineModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section == fateColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return tx(section == nameColumn ? "ui.outline.column-name" : "ui.outline.column-fate");
}

/// The document counts the graph that is drawn; of the main graph, while a body of it is, they are counted
/// here in the same way.
GroupTally OutlineModel::tallyOf(std::uint32_t group) const {
    if (m_picture == m_document.picture()) return m_document.tallyOf(group);
    if (m_tallies.empty() && m_picture) {
        const PictureState state = pictureStateOf(m_picture->unionGraph, *m_document.original(),
                                                  m_document.history(), StateRequest());
        m_tallies = tallyGroups(m_picture->unionGraph.graph, m_picture->hierarchy, state);
    }
    return group < m_tallies.size() ? m_tallies[group] : GroupTally();
}

bool OutlineModel::isGone(OutlineTree::Entry entry) const {
    if (m_tree.isGroup(entry)) {
        const GroupTally tally = tallyOf(m_tree.groupOf(entry));
        return tally.total > 0 && tally.now() == 0;
    }
    const UnionGraph& all = m_picture->unionGraph;
    if (m_tree.isFolded(entry)) {
        const History* history = m_document.history();
        const auto step = history
                              ? history->stepThatErased(NodeId(all.graph.folded[m_tree.foldedOf(entry)].key))
                              : std::nullopt;
        return step && *step < m_document.cursor();
    }
    const std::uint32_t erased = all.erasedBy[m_tree.nodeOf(entry)];
    return erased != 0 && erased <= m_document.cursor();
}

QString OutlineModel::nameOf(OutlineTree::Entry entry) const {
    const auto& picture = m_picture;
    if (m_tree.isGroup(entry)) {
        const Group& group = picture->hierarchy.groups[entry];
        return group.title.empty() ? tx("ui.outline.unnamed-group") : nameText(group.title);
    }
    const std::uint32_t key = keyOf(createIndex(0, 0, quintptr{entry}));
    return nodeName(m_document, key).remove(QLatin1Char('`'));
}

QString OutlineModel::fateOf(OutlineTree::Entry entry) const {
    if (!m_document.history()) return {};
    if (m_tree.isGroup(entry)) {
        const GroupTally tally = tallyOf(m_tree.groupOf(entry));
        return tally.removed == 0 ? countText(tally.total)
                                  : tx("ui.outline.left", {countText(tally.kept()), countText(tally.total)});
    }
    if (isGone(entry)) return tx("ui.outline.gone");
    const UnionGraph& all = m_picture->unionGraph;
    const bool isNew = !m_tree.isFolded(entry) && all.createdBy[m_tree.nodeOf(entry)] != 0;
    return isNew ? tx("ui.outline.new") : QString();
}

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_picture) return {};
    const auto entry = static_cast<OutlineTree::Entry>(index.internalId());
    if (entry >= m_tree.size()) return {};
    switch (role) {
    case kKeyRole: return keyOf(index);
    case Qt::DisplayRole: return index.column() == nameColumn ? nameOf(entry) : fateOf(entry);
    case Qt::AccessibleTextRole:
        return index.column() == nameColumn ? nodeWords(m_document, keyOf(index)) : fateOf(entry);
    case Qt::ToolTipRole:
        return m_tree.isGroup(entry) ? nameOf(entry) + QStringLiteral("\n") + fateOf(entry)
                                     : nodeTip(m_document, keyOf(index));
    case Qt::ForegroundRole:
        if (isGone(entry) || index.column() == fateColumn || m_tree.isFolded(entry))
            return QBrush(themeColorOf(ThemeRole::muted));
        return {};
    case Qt::FontRole: {
        if (index.column() != nameColumn) return {};
        QFont font;
        font.setStrikeOut(isGone(entry));
        font.setBold(m_tree.isGroup(entry));
        return font;
    }
    case Qt::TextAlignmentRole:
        if (index.column() == fateColumn) return int(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    default: return {};
    }
}

QModelIndex OutlineModel::indexOf(quint32 key) const {
    const auto& picture = m_picture;
    if (!picture) return {};
    OutlineTree::Entry entry = OutlineTree::kRoot;
    if (isGroupKey(key)) {
        if ((key & ~kGroupKeyBit) < picture->hierarchy.groups.size())
            entry = m_tree.ofGroup(key & ~kGroupKeyBit);
    } else if (const std::uint32_t node = picture->unionGraph.graph.find(key); node != kNoIndex) {
        entry = m_tree.ofNode(node);
        const bool isRow = picture->unionGraph.graph.nodes[node].key != key;
        for (std::uint32_t row = 0; isRow && row < m_tree.childCount(entry); ++row) {
            const OutlineTree::Entry child = m_tree.child(entry, row);
            if (picture->unionGraph.graph.folded[m_tree.foldedOf(child)].key != key) continue;
            entry = child;
            break;
        }
    }
    if (entry == OutlineTree::kRoot) return {};
    return createIndex(static_cast<int>(m_tree.row(entry)), 0, quintptr{entry});
}

quint32 OutlineModel::keyOf(const QModelIndex& index) const {
    const auto entry = static_cast<OutlineTree::Entry>(index.internalId());
    const LayoutGraph& graph = m_picture->unionGraph.graph;
    if (m_tree.isGroup(entry)) return kGroupKeyBit | m_tree.groupOf(entry);
    return m_tree.isFolded(entry) ? graph.folded[m_tree.foldedOf(entry)].key
                                  : graph.nodes[m_tree.nodeOf(entry)].key;
}

} // namespace secateur
