// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>

namespace secateur {

class Document;

/// All nodes of all steps as a table: what the canvas shows, in words.
class NodesModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { nodeColumn, opColumn, roleColumn, stateColumn, makesColumn, reasonColumn, columnCountOf };
    static constexpr int kKeyRole = Qt::UserRole + 1;
    explicit NodesModel(Document& document, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// The row of a node, or -1.
    [[nodiscard]] int rowOf(quint32 key) const;

  private:
    [[nodiscard]] QString makesOf(quint32 key) const;

    Document& m_document;
    int m_rows = 0;
};

} // namespace secateur
