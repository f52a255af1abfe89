// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/journal.h"
#include "core/ir/model.h"
#include "core/ir/verifier.h"
#include "core/support/cancel.h"

#include <memory>
#include <span>
#include <vector>

namespace secateur {

/// Types and shapes of all values, inferred from inputs, initializers and operators. Lives beside the model. What the
/// file declares for inner values and outputs is never trusted as a proof, only compared: a contradiction is listed.
/// Where inference knows nothing (an operator without a schema), the declared type is handed out and `isDeclared`.
class TypeTable {
  public:
    TypeTable();
    TypeTable(const TypeTable&);
    TypeTable& operator=(const TypeTable&);
    TypeTable(TypeTable&&) noexcept;
    TypeTable& operator=(TypeTable&&) noexcept;
    ~TypeTable();

    /// What is known of a value; kind none when nothing is.
    [[nodiscard]] const Type& type(ValueId value) const;
    /// Does the type only repeat what the file declares?
    [[nodiscard]] bool isDeclared(ValueId value) const;
    /// Contradictions between declaration and inference, and operators that could not be inferred.
    [[nodiscard]] const std::vector<Problem>& problems() const;
    /// Nodes whose inference function ran, in all calls so far: a counter for tests.
    [[nodiscard]] std::uint64_t visits() const;

    /// Infers everything anew. Never throws, never stops at a node it cannot infer.
    void inferAll(const Model& model, const WorkContext& work = {});
    /// Brings the table up to date after `edits` were made to the model: only the cone behind them is visited.
    void update(const Model& model, std::span<const Edit> edits);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace secateur
