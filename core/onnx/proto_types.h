// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between our types, tensors and attributes and the messages that libonnx reads. Heavy: for .cpp files of
// core/onnx.

#include "core/ir/model.h"

#include <onnx/onnx_pb.h>

#include <cstddef>

namespace secateur {

/// Fills `out`, which must be clear.
void toProto(const Type& type, onnx::TypeProto& out);
[[nodiscard]] Type fromProto(const onnx::TypeProto& proto);

/// Element type and dims, and the contents where they take at most `limit` bytes. True when the contents are
/// in.
bool toProto(const Tensor& tensor, std::size_t limit, onnx::TensorProto& out);

/// The attribute under the name `name`. Tensors keep their contents up to `limit` bytes. A graph is given by
/// its inputs and outputs alone: inference functions read no more of it.
void toProto(const Model& model, const Attribute& attribute, std::string_view name, std::size_t limit,
             onnx::AttributeProto& out);

} // namespace secateur
