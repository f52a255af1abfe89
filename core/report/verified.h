// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/culprit.h"

#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// What was asked about a result, and found: the checker of ONNX about its structure, then a run beside the
/// original.
struct Verified {
    bool isAsked = false;
    std::string refusal;   ///< of the checker of ONNX; empty: it accepts the structure
    bool isRefusedBefore = false; ///< the checker refuses the opened model as well
    Verification numbers;
    /// Rewrites that made the result differ and were left out; `numbers` are those without them.
    std::vector<Culprit> leftOut;

    /// The result is what the original is, as far as was looked.
    [[nodiscard]] bool isGood() const;
    /// The verdict alone: "Same bits on 9 inputs", "Not checked: no numbers were compared".
    [[nodiscard]] std::string verdict() const;
    /// The verdict with who judged and against what, as the end of a sentence.
    [[nodiscard]] std::string words() const;
    /// Everything that is known, as pairs of a message id for what it is and the text; empty where nothing
    /// was asked.
    [[nodiscard]] std::vector<std::pair<const char*, std::string>> facts() const;
};

/// Asks the checker of ONNX about a result, and where it refuses that, about the opened model.
void checkStructure(Verified& verified, const Model& result, const Model& opened);

} // namespace secateur
