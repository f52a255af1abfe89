// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/specialized_model.h"

namespace secateur {

/// Takes steps together before a plan is made: what scales and shifts the channels of a convolution with
/// constant weights (BatchNormalization with given statistics, products with and sums of constants) goes into
/// its weights, and a HardSwish behind it becomes a part of it (operator Conv of domain "secateur" with an
/// attribute `activation`, which has a reference kernel, too). Results agree within rounding. Only where
/// nobody else reads what lies between, and where `pool`, which counts the new weights, has room for them.
void fuseConvolutions(SpecializedModel& source, RunMode mode, const MemoryPool& pool);

} // namespace secateur
