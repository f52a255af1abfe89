// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <vector>

namespace secateur {

/// A random tensor whose elements are 0 or `scale`, the latter with probability `keep`.
struct DropPathMask {
    ValueId value;
    NodeId source; ///< the node that draws
    ValueId shape; ///< where it is known, the value of the 1-D shape that it is drawn in
    double keep = 0;
    double scale = 1;
};

/// Is it a Bernoulli node, or a uniform draw over [0, 1)?
[[nodiscard]] bool isUnitDraw(const Model& model, NodeId node);

/// The masks that a draw makes, through comparison or rounding, casts and constant scaling; none where the
/// probability is not one constant.
[[nodiscard]] std::vector<DropPathMask> masksFrom(const Model& model, NodeId draw);

/// Has the mask the shape [N,1,..,1] or [1,..,1] such that a product with `branch` has the shape of `branch`?
[[nodiscard]] bool hasDropPathShape(const Model& model, const TypeTable& types, const DropPathMask& mask,
                                    ValueId branch);

} // namespace secateur
