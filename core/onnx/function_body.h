// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/onnx/body_writing.h"
#include "core/onnx/type_inference.h"
#include "core/support/result.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Has the operator of this node a body of operators of the default domain: in the standard, or in ONNX
/// Runtime for Gelu, BiasGelu, FastGelu, QuickGelu and FusedMatMul of com.microsoft? Whether it fits the
/// types and attributes of the node only writing it tells.
[[nodiscard]] bool hasFunctionBody(const Model& model, NodeId node);

/// Writes bodies of operators in the place of their nodes. Bodies that are alike are built once. Lives as
/// long as `types`.
class FunctionBodies {
  public:
    FunctionBodies(const TypeTable& types, ConstantMaker constants)
        : m_types(types), m_constants(std::move(constants)) {}

    /// Writes the body of the operator of `node`, at the opset that the model imports, in its place, and
    /// erases the node. Its results stay the values they are; what makes the first one has its name and
    /// notes. Other new nodes have no name, which some runtimes want to be unique; new values have fresh
    /// ones. Gives the new nodes in order. Fails, without an edit, when there is no body or it needs a type
    /// that is not known.
    Result<std::vector<NodeId>> inlineAt(Editor& editor, NodeId node);
    /// How many bodies were built: one for each operator with its attributes and the types of its inputs.
    [[nodiscard]] std::size_t built() const { return m_bodies.size(); }

  private:
    const TypeTable& m_types;
    ConstantMaker m_constants;
    std::map<std::string, Model> m_bodies; ///< by all that a body depends on
};

} // namespace secateur
