// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/ir/reason.h"
#include "core/onnx/type_inference.h"

#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// A value that may be what the network predicts, with the evidence for it.
struct TargetCandidate {
    ValueId value;
    double score = 0; ///< 0 to 1
    bool isGraphOutput = false;
    std::vector<Reason>
        evidence; ///< each a sentence: "input 0 of the loss `...`", "a graph output that no loss feeds"
    std::uint64_t keptNodes = 0; ///< nodes that it depends on, itself included, counted as countNodes does
};

struct TargetAnalysis {
    std::vector<TargetCandidate> candidates; ///< best first; deterministic
    /// The candidates to take unasked: the best ones where the choice is clear (score >= 0.8 and 0.2 ahead of
    /// the next that is not taken together with it); empty when a person must choose.
    std::vector<ValueId> clear;
    bool isTrainingGraph = false;
};

/// Ranks the values that pruning could aim at. Names are hints for ranking only.
[[nodiscard]] TargetAnalysis findTargets(const Model& model, const TypeTable& types);

/// The value a person named: exact name of a value of the main graph; else none, and `nearest` holds similar
/// names.
[[nodiscard]] ValueId resolveTarget(const Model& model, std::string_view name,
                                    std::vector<std::string>& nearest);

} // namespace secateur
