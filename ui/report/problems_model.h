// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/app_state/bar_message.h"

#include <QAbstractListModel>

#include <vector>

namespace secateur {

class Document;

/// Everything wrong with the file, its types and the steps, worst first.
class ProblemsModel : public QAbstractListModel {
    Q_OBJECT
  public:
    static constexpr int kKeyRole =
        Qt::UserRole + 1; ///< key of the node that it is about, or an invalid variant
    explicit ProblemsModel(Document& document, QObject* parent = nullptr);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

  private:
    struct Row {
        int severity = 0; ///< 0 note, 1 warning, 2 error
        QString text;
        QVariant key;
    };
    void refill();

    Document& m_document;
    std::vector<Row> m_rows;
};

} // namespace secateur
