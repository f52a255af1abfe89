// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

namespace secateur {

/// Are the operands that the standard gives one type parameter (both of Add, x and y of Where) of one type?
/// Where they are not no runtime has an answer: an error that names both types.
Result<void> checkSameTypes(const KernelCall& call);

} // namespace secateur
