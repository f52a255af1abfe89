// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/journal.h"
#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <utility>

namespace secateur {

/// A type table that follows the edits of one model only when somebody asks: most edits of a conversion are
/// removals, which nobody infers anything from. Used by one thread.
class FollowingTypes {
  public:
    FollowingTypes() = default;
    /// `table` knows the model as it was at `at` of its journal.
    explicit FollowingTypes(TypeTable table, JournalMark at = {}) : m_table(std::move(table)), m_at(at) {}

    /// The table as it was left: right for values whose makers were not edited since.
    [[nodiscard]] const TypeTable& asLeft() const { return m_table; }
    /// The table, brought up to date with the model. Costs the cone behind the edits since the last time.
    const TypeTable& upToDate(const Model& model);
    /// Journal::unwind: edits that the table has seen are taken back in it, too.
    void unwind(Model& model, JournalMark mark);
    /// The table alone, as it was left.
    [[nodiscard]] TypeTable take() { return std::move(m_table); }

  private:
    TypeTable m_table;
    JournalMark m_at; ///< the edits before it are in the table
};

} // namespace secateur
