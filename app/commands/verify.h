// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/write_result.h"
#include "core/session/verification.h"

#include <optional>
#include <string>

namespace secateur::cli {

/// What --verify found.
struct Verified {
    bool isAsked = false;
    std::string refusal; ///< of the checker of ONNX; empty: it accepts the structure
    Verification numbers;

    /// How the last line of the story ends.
    [[nodiscard]] std::string words() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Asks the checker of ONNX, and runs the result beside the original in a child process. The exit code where
/// what they say, or cannot say, ends the verb.
std::optional<int> verify(const History& history, const WriteOptions& writing, Verified& verified,
                          Console& console);

} // namespace secateur::cli
