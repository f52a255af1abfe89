// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/onnx/type_inference.h"

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

/// Drops omitted input slots at the end.
void trimInputs(Editor& editor, NodeId node);

/// A tensor of one element, `value` rounded to `type`: float64, float32, float16, bfloat16, or an integer
/// type. Null for other types.
[[nodiscard]] TensorPtr scalarTensor(ElementType type, double value, std::vector<std::int64_t> dims = {});

/// A constant for readers at `before`: an initializer of the main graph, or, inside a function (which has
/// none), a Constant node in front of the reader.
ValueId makeConstant(Editor& editor, NodeId before, std::string_view hint, TensorPtr tensor);

/// A node in front of `before`, with one result called after `hint`; the result.
ValueId addNode(Editor& editor, NodeId before, std::string_view op, std::vector<ValueId> inputs,
                std::string_view hint, AttributeList attributes = {});

/// The graph of a function that encloses `graph`, or none.
[[nodiscard]] GraphId enclosingFunction(const Model& model, GraphId graph);

/// All operations that conversion may touch: of the main graph, of functions, and of their bodies.
[[nodiscard]] std::vector<NodeId> convertibleNodes(const Model& model);

} // namespace secateur
