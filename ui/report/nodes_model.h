// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <QTimer>

#include <vector>

namespace secateur {

class Document;

/// All nodes of all steps as a table: what the canvas shows, in words. Sorted and filtered here and not in a
/// proxy, which would ask for the words of 30,000 rows a million times: each row is asked once, in slices
/// between which the event loop turns.
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
    /// By the words of a column, numbers inside them as numbers; -1: program order.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    /// Shows the rows that have every word of `text` in one of their columns, case ignored.
    void setFilter(const QString& text);
    /// The row of a node, or -1 where it is filtered away or unknown.
    [[nodiscard]] int rowOf(quint32 key) const;
    [[nodiscard]] quint32 keyOf(int row) const;
    /// How the rows and the nodes that the summary counts belong together. Of a body that is drawn alone all
    /// but the rows is 0.
    struct Reckoning {
        std::uint64_t model = 0;               ///< nodes of the opened model, bodies included
        std::uint64_t listed = 0;              ///< of these, rows
        std::uint64_t lines = 0;               ///< of these, drawn as a line of the node that reads them
        std::uint64_t made = 0;                ///< rows of nodes that steps made
        std::uint64_t inputs = 0, outputs = 0; ///< rows of the graph's inputs and outputs
    };
    [[nodiscard]] Reckoning reckoning() const;
    /// Rows there would be without a filter.
    [[nodiscard]] int totalRows() const { return static_cast<int>(m_rowOf.size()); }
    /// Rows are still being read for a sort or a filter.
    [[nodiscard]] bool isArranging() const { return m_slices.isActive(); }

  signals:
    /// Rows stand in another order, or others are shown.
    void arranged();

  private:
    using Row = std::uint32_t; ///< node index of the union graph
    void refill();
    void onCursor();
    void arrange();
    void arrangeSlice();
    void finishArranging();
    [[nodiscard]] QString text(Row node, int column) const;
    [[nodiscard]] bool matches(Row node);
    [[nodiscard]] QString makesOf(quint32 key) const;

    Document& m_document;
    std::vector<Row> m_shown;
    std::vector<int> m_rowOf; ///< by node index: the row, or -1
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    QStringList m_words;

    // An arrangement in the making.
    std::size_t m_next = 0;
    std::vector<Row> m_found;
    std::vector<QString> m_keys;      ///< by node index, of the found ones
    std::vector<QString> m_haystacks; ///< by node index, lower case; kept until the words change
    QTimer m_slices;
};

} // namespace secateur
