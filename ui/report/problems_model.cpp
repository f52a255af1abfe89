// SPDX-License-Identifier: Apache-2.0
#include "ui/report/problems_model.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/theme/icons.h"

#include <algorithm>

namespace secateur {

ProblemsModel::ProblemsModel(Document& document, QObject* parent)
    : QAbstractListModel(parent), m_document(document) {
    connect(&document, &Document::historyChanged, this, &ProblemsModel::refill);
    connect(&document, &Document::phaseChanged, this, &ProblemsModel::refill);
    refill();
}

void ProblemsModel::refill() {
    beginResetModel();
    m_rows.clear();
    const auto add = [this](const std::vector<Problem>& problems) {
        for (const Problem& problem : problems) {
            Row row{static_cast<int>(problem.severity), QString::fromStdString(problem.text), {}};
            if (!problem.node.isNone()) {
                row.key = problem.node.index;
            } else if (!problem.value.isNone() &&
                       problem.value.index < m_document.original()->file.model.valueIdCount()) {
                const NodeId producer = m_document.original()->file.model.producer(problem.value);
                if (!producer.isNone()) row.key = producer.index;
            }
            m_rows.push_back(std::move(row));
        }
    };
    if (m_document.original()) {
        add(m_document.original()->file.problems);
        add(m_document.original()->types.problems());
    }
    std::stable_sort(m_rows.begin(), m_rows.end(),
                     [](const Row& a, const Row& b) { return a.severity > b.severity; });
    endResetModel();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= static_cast<int>(m_rows.size())) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return QString(row.text).remove(QLatin1Char('`'));
    case Qt::ToolTipRole: return QStringLiteral("<qt>%1</qt>").arg(richText(row.text));
    case Qt::DecorationRole:
        return icon(row.severity == 2   ? QStringLiteral("error")
                    : row.severity == 1 ? QStringLiteral("warning")
                                        : QStringLiteral("info"));
    case Qt::AccessibleTextRole:
        return QString(tx(row.severity == 2   ? "ui.problems.severity-error"
                          : row.severity == 1 ? "ui.problems.severity-warning"
                                              : "ui.problems.severity-note") +
                       QStringLiteral(": ") + row.text);
    case kKeyRole: return row.key;
    default: return {};
    }
}

} // namespace secateur
