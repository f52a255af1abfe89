// SPDX-License-Identifier: Apache-2.0
//
// Edits that rewrites are made of.
#pragma once

#include "core/ir/editor.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace secateur {

/// The graph of a function that encloses `graph`, or none.
[[nodiscard]] GraphId enclosingFunction(const Model& model, GraphId graph);

/// A constant for readers at `before`: an initializer of the main graph, or, inside a function (which has
/// none) and before IR version 4 (where initializers are inputs), a Constant node in front of the reader.
ValueId makeConstant(Editor& editor, NodeId before, std::string_view hint, TensorPtr tensor);

/// A node in front of `before`, with one result called after `hint`; the result.
ValueId addNode(Editor& editor, NodeId before, std::string_view op, std::vector<ValueId> inputs,
                std::string_view hint, AttributeList attributes = {});

/// The attributes of a node but for those of these names.
[[nodiscard]] AttributeList attributesWithout(const Model& model, NodeId node,
                                              std::initializer_list<std::string_view> names);

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

} // namespace secateur
