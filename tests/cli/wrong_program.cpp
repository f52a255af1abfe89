// SPDX-License-Identifier: Apache-2.0
//
// Linked into a copy of secateur-cli: one more pass, which is wrong, and on request one that breaks down.
#include "core/passes/registry.h"
#include "tests/support/failing_pass.h"
#include "tests/support/swap_operands_pass.h"

#include <cstdlib>
#include <string_view>

namespace secateur::testing {
namespace {

[[maybe_unused]] const bool kIsRegistered = [] {
    static const SwapOperandsPass kWrong(true);
    registerPass(kWrong);
    if (const char* how = std::getenv("SECATEUR_BREAKS_DOWN")) {
        static const FailingPass kFailing(std::string_view(how) == "abort");
        registerPass(kFailing);
    }
    return true;
}();

} // namespace
} // namespace secateur::testing
