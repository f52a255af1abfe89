// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/picture_state.h"
#include "ui/outline/outline_tree.h"
#endif

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace secateur {

class Document;
struct UnionPicture;

/// Groups and nodes as a tree: the names of the network's parts, how many of each one's nodes are left, and
/// what happens to each node. Rows are worded when they are drawn.
class OutlineModel : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column { nameColumn, fateColumn, columnCountOf };
    static constexpr int kKeyRole = Qt::UserRole + 1;
    explicit OutlineModel(Document& document, QObject* parent = nullptr);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// The picture whose groups and nodes it lists: of the main graph, which holds all bodies, or of a
    /// function while one is drawn.
    [[nodiscard]] const std::shared_ptr<const UnionPicture>& picture() const { return m_picture; }
    /// Where a node or group (a key of a selection) stands; invalid when it is unknown.
    [[nodiscard]] QModelIndex indexOf(quint32 key) const;
    [[nodiscard]] quint32 keyOf(const QModelIndex& index) const;

  private:
    void refill();
    void onGraph();
    void onCursor();
    [[nodiscard]] std::shared_ptr<const UnionPicture> wanted() const;
    [[nodiscard]] GroupTally tallyOf(std::uint32_t group) const;
    [[nodiscard]] bool isGone(OutlineTree::Entry entry) const;
    [[nodiscard]] QString nameOf(OutlineTree::Entry entry) const;
    [[nodiscard]] QString fateOf(OutlineTree::Entry entry) const;

    Document& m_document;
    std::shared_ptr<const UnionPicture> m_picture;
    OutlineTree m_tree;
    mutable std::vector<GroupTally> m_tallies; ///< of a graph that is not drawn, made when first asked for
};

} // namespace secateur
