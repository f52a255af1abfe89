// SPDX-License-Identifier: Apache-2.0
//
// Linked into a copy of secateur-cli: one more pass, which is wrong.
#include "core/passes/registry.h"
#include "tests/support/swap_operands_pass.h"

namespace secateur::testing {
namespace {

[[maybe_unused]] const bool kIsRegistered = [] {
    static const SwapOperandsPass kWrong(true);
    registerPass(kWrong);
    return true;
}();

} // namespace
} // namespace secateur::testing
