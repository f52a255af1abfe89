// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/node_edits.h"
#include "core/ir/scalar_tensor.h"
#include "core/onnx/type_inference.h"
#include "core/rewrite/pass.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// Version of the default opset in the scope of a node; 1 where none is imported.
[[nodiscard]] std::int64_t opsetOf(const Model& model, NodeId node);

/// Rank of a tensor as far as it is known.
[[nodiscard]] std::optional<std::int64_t> rankOf(const TypeTable& types, ValueId value);
/// Element type of a tensor; undefined where it is not known.
[[nodiscard]] ElementType elementOf(const TypeTable& types, ValueId value);

/// Is a result in this slot there, and read?
[[nodiscard]] bool isResultRead(const Model& model, NodeId node, std::size_t slot);

/// Gives a node its first `count` results alone, less omitted ones at the end. The others must be unread.
void keepResults(Editor& editor, NodeId node, std::size_t count);

/// Lets all readers of `old` read `with`.
Refusal readInstead(Editor& editor, ValueId old, ValueId with);

/// All operations that conversion may touch: of the main graph, of functions, and of their bodies.
[[nodiscard]] std::vector<NodeId> convertibleNodes(const Model& model);

} // namespace secateur
