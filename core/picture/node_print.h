// SPDX-License-Identifier: Apache-2.0
//
// Numbers that stay the same as long as a node says, or means, the same: cheaper to compare at every step
// than the texts. They hold within one run of a history, where equal attributes are one list; never stored.
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"
#include "core/picture/equal_values.h"

#include <cstdint>

namespace secateur {

/// What the card of a node says: operator, name, attributes, inputs; of weights name, type and contents.
[[nodiscard]] std::uint64_t printOf(const Model& model, const TypeTable& types, NodeId node);
/// The same of a graph input.
[[nodiscard]] std::uint64_t printOfInput(const Model& model, const TypeTable& types, ValueId input);
/// What a node computes: operator, attributes and inputs (equal ones count as one), not names and types.
[[nodiscard]] std::uint64_t meaningOf(const Model& model, NodeId node, const EqualValues& equal);

} // namespace secateur
