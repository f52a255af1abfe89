// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// What is wrong with a tensor by itself.
struct TensorDefect {
    std::string sentence;             ///< message id; its place {0} is for what the tensor is called
    std::vector<std::string> details; ///< for {1} and following
};

/// Do the type, the dims and the elements that a tensor stores fit together (ONNX, TensorProto)? Elements of
/// integers in typed fields are counted, which takes a walk over them; contents of other files are not looked
/// at.
[[nodiscard]] std::optional<TensorDefect> findDefect(const Tensor& tensor);

} // namespace secateur
