// SPDX-License-Identifier: Apache-2.0
#pragma once

// Function bodies that the standard gives for operators. Heavy: for .cpp files of core/onnx.

#include "core/onnx/node_context.h"

#include <onnx/defs/schema.h>

#include <cstdint>
#include <optional>
#include <string>

namespace secateur {

/// The body of an operator for this very node, at opset `version`; none where the standard gives none, or
/// none for these types and attributes.
[[nodiscard]] std::optional<onnx::FunctionProto> schemaBody(NodeContext& node, const onnx::OpSchema& schema,
                                                            std::int64_t version);

/// Infers a node through the body of its operator; does nothing where there is none. New symbols begin with
/// `stem`.
void inferByBody(NodeContext& node, const onnx::OpSchema& schema, std::int64_t version, std::string stem);

} // namespace secateur
