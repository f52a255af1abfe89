// SPDX-License-Identifier: Apache-2.0
#pragma once

// Function bodies that ONNX Runtime gives for operators of com.microsoft. Heavy: for .cpp files of core/onnx.

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <onnx/onnx_pb.h>

#include <optional>
#include <string_view>

namespace secateur {

/// Has this operator of com.microsoft a body of standard operators here?
[[nodiscard]] bool hasMicrosoftBody(std::string_view op);

/// The body for this very node, at the default opset that it sees, with its constants in the element type of
/// the data. Where that type is not known the constants are cast to it, from opset 15 on. None where it needs
/// a type or a rank that is not known, or numbers that the type does not have.
[[nodiscard]] std::optional<onnx::FunctionProto> microsoftBody(const Model& model, NodeId node,
                                                               const TypeTable& types);

} // namespace secateur
