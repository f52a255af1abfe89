// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/tensor_data.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace secateur {

/// Reads NumPy's array format (numpy.lib.format, versions 1.0 to 3.0): numbers and booleans, C or Fortran
/// order, little or big endian. `name` stands for the file in errors.
Result<TensorData> readNpy(std::span<const std::byte> bytes, std::string_view name, MemoryPool& pool);

/// As version 1.0, little endian, C order. Fails with `usage` for types that NumPy has no name for.
Result<std::vector<std::byte>> writeNpy(const TensorData& tensor);

} // namespace secateur
