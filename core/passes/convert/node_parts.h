// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
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

/// A tensor of one element, `value` rounded to `type`: float64, float32, float16, bfloat16, or an integer
/// type. Null for other types.
[[nodiscard]] TensorPtr scalarTensor(ElementType type, double value, std::vector<std::int64_t> dims = {});

/// A constant for readers at `before`: an initializer of the main graph, or, inside a function (which has
/// none), a Constant node in front of the reader.
ValueId makeConstant(Editor& editor, NodeId before, std::string_view hint, TensorPtr tensor);

/// A node in front of `before`, with one result called after `hint`; the result.
ValueId addNode(Editor& editor, NodeId before, std::string_view op, std::vector<ValueId> inputs,
                std::string_view hint, AttributeList attributes = {});

/// A node of another operator of the default domain in the place of `node`: it has its name, notes, inputs
/// and attributes, and takes over its first `results` results, omitted ones at the end left out. They stay
/// the values they are; `node` goes, and its other results with it, which must be unread.
NodeId replaceNode(Editor& editor, NodeId node, std::string_view op, std::size_t results = SIZE_MAX);

/// Lets the node that was made for it in front of `node` take over result `slot` of `node` (made under the
/// name of a hint, as `made`). The result, which stays the value it is; none where `node` omits it.
ValueId takeOver(Editor& editor, NodeId node, std::size_t slot, ValueId made);

/// Takes `node` away, whose results all went to other nodes. The one that made `result` has its name and
/// notes from then on.
void retire(Editor& editor, NodeId node, ValueId result);

/// Lets all readers of `old` read `with`.
Refusal readInstead(Editor& editor, ValueId old, ValueId with);

/// The graph of a function that encloses `graph`, or none.
[[nodiscard]] GraphId enclosingFunction(const Model& model, GraphId graph);

/// All operations that conversion may touch: of the main graph, of functions, and of their bodies.
[[nodiscard]] std::vector<NodeId> convertibleNodes(const Model& model);

} // namespace secateur
