// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

namespace secateur {

/// About how many seconds one run of the result takes with the reference kernels, and as long again one of
/// the original, of which only what leads to the same outputs is run. By the operations that can be counted
/// (core/analysis/flops.h), the elements of what else is computed, a share for each node, and the bytes of
/// weights; free dimensions count as one. Good to a factor of a few.
[[nodiscard]] double estimatedRunSeconds(const History& history);

} // namespace secateur
