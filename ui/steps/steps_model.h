// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/session/verification.h"
#endif

#include <QAbstractItemModel>

#include <vector>

namespace secateur {

class Check;
class Document;

/// The steps of the recipe: the original, then one row a step; below a step its questions, its rewrites and
/// the places where a rule nearly applied. A tick says "applied".
class StepsModel : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Role {
        subtitleRole = Qt::UserRole + 1, ///< second line
        chipRole,                        ///< letter of exactness, empty for none
        kindRole,                        ///< int of Kind
        isAheadRole,                     ///< lies behind the cursor
        isFailedRole,
        verdictRole,     ///< words of the check, empty while not known
        verdictMarkRole, ///< int of Mark
    };
    enum class Kind { original, step, question, rewrite, miss };
    /// How a verdict is marked: a tick, two waves, a cross, a question mark.
    enum class Mark { none, same, within, differs, unknown };
    explicit StepsModel(Document& document, QObject* parent = nullptr);
    /// Shows the verdicts of this check, which must live as long as the model.
    void follow(const Check& check);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

    /// Row 0 is the original: the row is the cursor that it stands for.
    [[nodiscard]] QModelIndex rowOfCursor() const;
    [[nodiscard]] Kind kindOf(const QModelIndex& index) const;
    /// Nodes that a row below a step is about.
    [[nodiscard]] std::vector<std::uint32_t> nodesOf(const QModelIndex& index) const;

  private:
    [[nodiscard]] const Step* stepAt(const QModelIndex& index) const;
    [[nodiscard]] QVariant stepData(std::size_t step, int role) const;
    [[nodiscard]] QString stepSubtitle(std::size_t step) const;
    [[nodiscard]] QVariant childData(const QModelIndex& index, int role) const;
    void refill();
    [[nodiscard]] const Verification* verdictOf(std::size_t step) const;

    Document& m_document;
    const Check* m_check = nullptr;
    std::size_t m_steps = 0;
};

} // namespace secateur
