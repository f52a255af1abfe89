// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/journal.h"
#include "core/ir/model.h"
#include "core/ir/verifier.h"
#include "core/support/cancel.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace secateur {

/// Types and shapes of all values, inferred from inputs, initializers and operators. Lives beside the model.
/// What the file declares for inner values and outputs is never trusted as a proof, only compared: a
/// contradiction is listed. Where inference knows nothing (an operator without a schema), the declared type
/// is handed out and `isDeclared`.
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
    /// Does the type rest on what the file declares for an inner value or a result, here or further up? Then
    /// it is no proof of anything.
    [[nodiscard]] bool isDeclared(ValueId value) const;
    /// Elements of a small integer tensor of at most one dimension as far as inference knows them (the
    /// operands of Reshape, Slice and the like), where that is more than `constantOf` says; none when nothing
    /// is known.
    [[nodiscard]] std::optional<std::vector<Dim>> elements(ValueId value) const;
    /// Was this dimension symbol made here, for a dimension of which nothing is known but that it is one
    /// number?
    [[nodiscard]] bool isOwnSymbol(std::string_view symbol) const;
    /// Contradictions between declaration and inference, and operators that could not be inferred.
    [[nodiscard]] const std::vector<Problem>& problems() const;
    /// Nodes whose inference function ran, in all calls so far: a counter for tests.
    [[nodiscard]] std::uint64_t visits() const;

    /// Infers everything anew. Never throws, never stops at a node it cannot infer.
    void inferAll(const Model& model, const WorkContext& work = {});
    /// Brings the table up to date after `edits` were made to the model, or taken back: only the cone behind
    /// them is visited. `model` is the model after that.
    void update(const Model& model, std::span<const Edit> edits);
    /// Values of which the last `update` learned something else; none where it inferred everything anew.
    [[nodiscard]] std::optional<std::span<const ValueId>> changedByUpdate() const;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace secateur
