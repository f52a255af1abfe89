// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <optional>

namespace secateur {

/// Floating-point operations of one node; a multiplication with its addition counts as two. A dimension that
/// is a name counts as one.
struct FlopCount {
    double count = 0;
    bool hasNamedDims = false; ///< then it is the count for one of each name
};

/// Counted: matrix products and convolutions with their gradients, the matrix products of recurrences (LSTM,
/// GRU, RNN), elementwise arithmetic, sums and means, and what only moves data (zero). None for operators
/// whose count depends on how a kernel computes them (exponentials, roots, normalizations), and where a shape
/// is not known.
[[nodiscard]] std::optional<FlopCount> flopsOf(const Model& model, const TypeTable& types, NodeId node);

} // namespace secateur
