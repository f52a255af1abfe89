// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace secateur {

/// One input element of a resampled position along an axis, and its weight.
struct Tap {
    std::size_t at = 0;
    double weight = 1;
};

/// How each position of one axis of a result is made from an input axis.
struct ResampledAxis {
    std::vector<std::vector<Tap>> taps; ///< of each result position
    std::vector<bool> isOutside;        ///< takes the extrapolation value (tf_crop_and_resize)
};

/// A Resize or Upsample with all attributes and inputs read: one entry an axis of the input.
struct Resampling {
    Shape shape; ///< of the result
    std::vector<ResampledAxis> axes;
    double extrapolation = 0;
    std::shared_ptr<void> charged; ///< for the tables above
};

/// Reads ONNX Resize (opset 10 on) or Upsample for an input of `shape`; `roiSlot`, `scaleSlot` and `sizeSlot`
/// are the inputs that hold these (SIZE_MAX: none). Fails before anything is made where the result, or what
/// it takes to tell where its elements come from, goes beyond the limit of the call's pool.
Result<Resampling> resamplingOf(const KernelCall& call, const Shape& shape, std::size_t roiSlot,
                                std::size_t scaleSlot, std::size_t sizeSlot);

} // namespace secateur
