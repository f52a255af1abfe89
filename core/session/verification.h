// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"
#include "core/session/history.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace secateur {

/// What is known about a result after it was run beside the original.
struct Verification {
    enum class Status : std::uint8_t {
        notChecked,
        sameBits, ///< on all inputs
        within,   ///< the tolerance, on all inputs
        differs,
    };
    Status status = Status::notChecked;
    std::string judge;    ///< what ran the models; empty when nothing did
    std::string baseline; ///< in words: "the original in evaluation mode"
    Tolerance tolerance;
    std::vector<std::string> inputs;  ///< the sets, in words
    std::vector<std::string> skipped; ///< sets that a model refused, and why
    double maxAbsolute = 0, maxRelative = 0;
    std::string where;  ///< the output or inner value that differs most; empty with same bits
    std::string reason; ///< why it was not checked, or how the place differs
    ErrorCode obstacle = ErrorCode::missing; ///< notChecked: what kind of thing kept them from running

    /// One of: "Not checked", "Same bits on n inputs", "Within 1e-4 on n inputs (largest 3e-7 at `y`)",
    /// "Differs at `conv3.out`: 0.12".
    [[nodiscard]] std::string text() const;
};

/// The name of a status for JSON: "not_checked", "same_bits", "within", "differs".
[[nodiscard]] std::string_view statusName(Verification::Status status);

/// What a check needs: a job, and what its baseline is called.
struct VerificationPlan {
    Job job;
    std::string baseline;
};

/// How a check is made.
struct VerificationScope {
    /// The recipe is cut off halfway: what of training its model still holds runs in evaluation mode, too.
    bool isMidway = false;
    bool hasEdges = true; ///< besides random inputs
};

/// Prepares a check of the model at the cursor against the original in evaluation mode (Dropout passes
/// through, BatchNormalization uses running statistics unless the recipe keeps batch statistics; where the
/// recipe switched DropPath off, which is no mode of an operator, the baseline has it switched off by that
/// step alone). Models that must be files are written to `folder`, which must outlive the run. Inputs are two
/// random sets and the edges of floating point.
Result<VerificationPlan> planVerification(const History& history, const std::filesystem::path& folder,
                                          const WorkContext& work = {}, VerificationScope scope = {});

/// The whole check in one call: runs `recipe` on the original, writes what must be written, runs both models
/// in a child process. Blocks; for a thread of its own. Only cancelling is an error: whatever else keeps the
/// models from running is a reason in the result.
Result<Verification> verifyInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                    const std::filesystem::path& program, double edgeSeconds,
                                    const WorkContext& work = {}, VerificationScope scope = {});

/// What came of it. An answer that is an error gives notChecked with the reason.
[[nodiscard]] Verification verificationOf(const VerificationPlan& plan, const Result<JobAnswer>& answer);

} // namespace secateur
