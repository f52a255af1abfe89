// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/runtime_value.h"

#include <filesystem>

namespace secateur {

/// Reads a value from a file: ONNX's serialized TensorProto, SequenceProto or OptionalProto (`input_0.pb` of
/// ONNX's test-data layout; which of them is told by `expected`, a tensor where that says nothing), or
/// NumPy's .npy of version 1 to 3 in C or Fortran order and any byte order. Fails with `invalidInput`, saying
/// what is wrong with it.
Result<RuntimeValue> readValueFile(const std::filesystem::path& path, const Type& expected, MemoryPool& pool);

/// Writes a value as `.pb` (by its kind) or, for tensors of types that NumPy has, `.npy`: decided by the
/// extension. Written whole or not at all.
Result<void> writeValueFile(const std::filesystem::path& path, const RuntimeValue& value,
                            std::string_view name);

} // namespace secateur
