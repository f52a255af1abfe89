// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>

namespace secateur::testing {

/// A small model of operators that rewrite rules look for, on tensors of all kinds of types and shapes: in
/// branches, with constants at the edges (0, -0, 1, infinities, NaN), with values read twice and values that
/// are outputs. The same seed gives the same model on every machine. Nodes that inference refuses are not
/// in it, and most of the models run.
[[nodiscard]] Model randomModel(std::uint64_t seed, std::size_t nodes = 14);

} // namespace secateur::testing
