// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/support/result.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// What a sparse tensor stores: some elements and where they stand, row major; all others are zero.
struct SparseParts {
    Tensor values; ///< of one dimension
    std::vector<std::uint64_t> positions;
};

/// Takes a tensor of encoding `sparse` apart. Fails with `invalidInput` where its parts do not fit together.
Result<SparseParts> sparsePartsOf(const Tensor& tensor);

} // namespace secateur
