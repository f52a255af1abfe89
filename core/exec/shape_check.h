// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <span>

namespace secateur {

/// Do the shapes of a call's operands fit its attributes, where the size of a result hangs on it? For plans,
/// which take memory for results before anything runs: what the kernel would refuse is refused before that,
/// in the same words. `shapes` by slot, null where the slot is omitted. Operators that are not looked at
/// pass.
Result<void> checkShapes(const KernelCall& call, std::span<const Shape* const> shapes);

} // namespace secateur
