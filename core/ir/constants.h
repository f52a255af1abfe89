// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace secateur {

/// The one question about constness: the contents of `value` when no run of the model can give it others,
/// else null. Constants are results of Constant nodes (every form of value_*) and initializers. From IR
/// version 4 on an initializer that is also a graph input is a default that a caller may override, and no
/// constant; before, the format forced that listing, and it is one.
[[nodiscard]] TensorPtr constantOf(const Model& model, ValueId value);

/// Is it an initializer that a caller may override (IR version 4 on)?
[[nodiscard]] bool isOverridable(const Model& model, ValueId value);

/// The single number in a constant of one element; none when `value` is no such constant.
[[nodiscard]] std::optional<double> constantScalar(const Model& model, ValueId value);
/// The integers in a constant; none when `value` is no integer constant.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constantIntegers(const Model& model, ValueId value);

} // namespace secateur
