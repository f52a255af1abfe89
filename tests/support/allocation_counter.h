// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace secateur::testing {

/// Calls of `new` in this process so far. A program that wants it lists allocation_counter.cpp among its
/// sources, which replaces the global operators.
std::uint64_t allocationCount();

} // namespace secateur::testing
