// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <vector>

namespace secateur {

/// The values that `node` reads, through its bodies too.
[[nodiscard]] std::vector<ValueId> allReadBy(const Model& model, NodeId node);

/// Does a node of the main graph, a body or a function read a result of `node`?
[[nodiscard]] bool hasReadResult(const Model& model, NodeId node);

/// By ValueId index: values that something other than an operand holds on to, as a parameter of a
/// quantization annotation of a living value or by name in the attributes of a Gradient node.
[[nodiscard]] std::vector<bool> valuesHeldByName(const Model& model);

} // namespace secateur
