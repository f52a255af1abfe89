// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/onnx/byte_source.h"

#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// Reads a serialized TensorProto. Elements stay where they are: `payload` is a range of the source. External
/// data are only named, see ExternalFiles. Throws wire::Malformed.
[[nodiscard]] Tensor readTensor(std::string_view bytes, ByteSource& source);

/// Reads a serialized SparseTensorProto: encoding `sparse`, with the element type and name of its values.
[[nodiscard]] Tensor readSparseTensor(std::string_view bytes, ByteSource& source);

/// The pairs in fields `number` of a message, each a StringStringEntryProto. `isPlain` becomes false when one
/// of them holds anything but a key and a value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
readEntries(std::string_view message, std::uint32_t number, bool& isPlain);

} // namespace secateur
