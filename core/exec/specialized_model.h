// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"
#include "core/ir/model.h"
#include "core/onnx/type_inference.h"
#include "core/support/cancel.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace secateur {

/// A model for inputs of known shapes.
struct SpecializedModel {
    Model model;
    TypeTable types;
    /// By position of the main graph's inputs in the model it was made from: the input that takes the
    /// caller's value; none where the initializer stands in.
    std::vector<ValueId> inputs;
    std::uint64_t foldedNodes = 0; ///< whose results were computed here, once and for all
    /// What the constants that were made for it take, counted by a pool for as long as these live.
    std::vector<std::shared_ptr<void>> charges;
};

/// A copy of `model` for inputs of the types of `given` (in the order of the main graph's inputs; absent
/// where the initializer stands in): shapes are inferred anew, and what depends on shapes and constants alone
/// (Shape and all that follows from it, ConstantOfShape, weights that go through Transpose, Cast,
/// DequantizeLinear ...) is computed once by the reference kernels and is an initializer from then on. Nodes
/// that are left are the nodes they were, ids included. An If whose condition is known by then gives way to
/// the branch that it takes. Nothing random, no other control flow, and nothing whose meaning hangs on the
/// run mode is computed; neither is a result that is larger than 256 MiB.
/// What is computed here counts in `pool`, and is left as it is where that has no more room.
/// Errors of a kernel leave its node as it is: running it tells them. Fails with `cancelled`, and on a cycle.
/// With `isForAnyShape` the shapes of `given` are not used: the result serves every shape of these inputs.
Result<SpecializedModel> specializeModel(const Model& model, std::span<const RuntimeValue> given,
                                         const MemoryPool& pool, const WorkContext& work = {},
                                         bool isForAnyShape = false);

} // namespace secateur
