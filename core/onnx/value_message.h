// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/ir/type.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace secateur {

/// What a file of test data holds: a TensorProto, or a SequenceProto or OptionalProto of onnx-data.proto.
struct ValueMessage {
    enum class Kind : std::uint8_t { tensor, sequence, optional };
    Kind kind = Kind::tensor;
    TensorPtr tensor;                             ///< of a tensor; raw
    ElementType element = ElementType::undefined; ///< of a sequence's tensors
    std::vector<ValueMessage> items;              ///< of a sequence; of an optional, none or one
};

/// Reads the message whose kind `expected` says (a tensor where it says nothing); none where it cannot be
/// read.
[[nodiscard]] std::optional<ValueMessage> readValueMessage(const ByteRef& bytes, const Type& expected);
/// The message as bytes, under the name `name`.
[[nodiscard]] std::vector<std::byte> writeValueMessage(const ValueMessage& message, std::string_view name);

} // namespace secateur
