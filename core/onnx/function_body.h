// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/ids.h"
#include "core/onnx/type_inference.h"
#include "core/support/result.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Has the operator of this node a body of operators of the default domain, here or in the standard? Whether
/// it fits the types and attributes of the node only writing it tells.
[[nodiscard]] bool hasFunctionBody(const Model& model, NodeId node);

/// Writes the body of a node's operator in its place, and erases the node: bodies of the standard (those that
/// depend on types and attributes, too), fitting the opset that the model imports, and of com.microsoft Gelu,
/// FastGelu, QuickGelu, BiasGelu, FusedMatMul and Scale. Constants become initializers, except inside
/// functions, which have none. Result names are kept, all other names are fresh. Gives the new nodes in
/// order. Fails, without an edit, when there is no body or it needs a type that is not known.
Result<std::vector<NodeId>> inlineFunctionBody(Editor& editor, NodeId node, const TypeTable& types);

} // namespace secateur
