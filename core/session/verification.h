// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/answer_names.h"
#include "core/session/history.h"
#include "core/session/step_models.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

struct StepVerdict;

/// What is known about a result after it was run beside the original.
struct Verification {
    enum class Status : std::uint8_t {
        notChecked,
        exactByRule, ///< of a step: nothing that it edits is computed with on the way to an output of the
                     ///< result
        sameBits,    ///< on all inputs
        within,      ///< the tolerance, on all inputs
        differs,
    };
    Status status = Status::notChecked;
    std::string judge;    ///< what ran the models; empty when nothing did
    std::string baseline; ///< in words: "the original in evaluation mode"
    Tolerance tolerance;
    std::vector<std::string> inputs;         ///< the sets, in words
    std::vector<std::string> skipped;        ///< sets that a model refused, and why
    double maxAbsolute = 0, maxRelative = 0; ///< over all elements, each for itself
    std::string where; ///< the output or inner value that differs most; empty with same bits
    /// The element there that takes most of the tolerance, in words: "3.0e-07 absolute, 1.2e-06 relative";
    /// empty with same bits.
    std::string apart;
    std::string reason; ///< why it was not checked, or how the place differs
    /// notChecked: they ran and agree, but on nothing that could tell models apart; `reason` says why.
    bool isSilent = false;
    /// sameBits and within: outputs whose agreement says little, and why, and branches that no inputs
    /// entered; empty where there are none.
    std::string weakness;
    std::vector<std::string> unentered; ///< these branches: "else of If making `y`"

    /// How far outputs of the original lie apart in training and in evaluation mode: what the conversion
    /// itself moves, on one set of inputs.
    struct ModeChange {
        double maxAbsolute = 0;
        std::string where;  ///< the output that moves most; empty where none does
        std::string reason; ///< why it is not known; empty where it is
    };
    std::optional<ModeChange> modeChange; ///< none where the original has no training mode, or nobody asked
    /// What another program made of the result.
    struct SecondJudge {
        /// What its numbers of the result were held against.
        enum class Baseline : std::uint8_t {
            ownRun,     ///< what it makes of the original itself
            firstJudge, ///< what the first judge made of the original: it cannot run that
        };
        std::string name; ///< "ONNX Runtime 1.23.2"; empty where there is none
        Status status = Status::notChecked;
        std::size_t inputs = 0;
        double maxAbsolute = 0;
        std::string where;
        std::string reason; ///< why it said nothing, or how the place differs
        std::string apart;  ///< as that of the first judge
        Baseline baseline = Baseline::firstJudge;
        /// ownRun: how it differs from the first judge over the result, in words, which no step is to blame
        /// for; empty where it does not.
        std::string gap{};

        /// "ONNX Runtime 1.23.2 with both models: ", and what text() says for the inputs that it saw.
        [[nodiscard]] std::string text(const Tolerance& tolerance) const;
    };
    /// About how long one run of both models takes; more than the scope allows: nothing was run.
    double estimatedSeconds = 0;
    std::optional<SecondJudge> second;
    std::vector<StepVerdict> steps; ///< of those that changed something, in order; empty where nobody asked

    /// "The change from training to evaluation mode moves outputs by up to 0.8 (`y`)"; empty where there is
    /// no such mode.
    [[nodiscard]] std::string modeChangeText() const;
    /// Good, but not for every output: that is no plain good news.
    [[nodiscard]] bool isWeak() const { return !weakness.empty(); }
    /// Both judges, where there are two, find the result good.
    [[nodiscard]] bool isGood() const;

    /// What the first judge found. One of: "Not checked", "Same bits on n inputs", "Within 1e-4 relative plus
    /// 1e-5 absolute on n inputs (largest 3e-7 absolute, 1e-6 relative, at `y`)", "Differs at `conv3.out`:
    /// element 5 is 0.31, ...".
    [[nodiscard]] std::string text() const;
    /// The same where room is scarce: "Within 1e-4 on n inputs", "Differs at `conv3.out`: 0.06 absolute, 0.24
    /// relative", "Same bits on n inputs, but some outputs never move".
    [[nodiscard]] std::string brief() const;
};

/// What is known about one step: the model after it beside the original in evaluation mode, both of them;
/// where an earlier step differs already, beside the model before this step.
struct StepVerdict {
    std::size_t step = 0; ///< its place in the recipe
    std::string pass;
    Verification found;
};

/// The name of a status for JSON: "not_checked", "exact_by_rule", "same_bits", "within", "differs".
[[nodiscard]] std::string_view statusName(Verification::Status status);

/// What a check needs: a job, and what its baseline is called.
struct VerificationPlan {
    Job job;
    std::string baseline;
    /// A step that changed something, and which side model of the job stands for it.
    struct StepPlan {
        std::size_t step = 0;
        std::string pass;
        std::optional<std::size_t> side; ///< none: exact by rule
        bool isSincePrevious = false;    ///< the baseline has something off that this step still finds on
        std::string leftOut;             ///< why it is not run although it is not exact by rule; else empty
    };
    std::vector<StepPlan> steps;
    std::optional<std::size_t> modeSide, secondSide; ///< of the job
    /// The original before `secondSide`, where the second judge runs it, too.
    bool isSecondOfBoth = false;
    PathNames names; ///< what the files that were written for the job are called
};

/// How a check is made.
struct VerificationScope {
    /// The recipe is cut off halfway: what of training its model still holds runs in evaluation mode, too.
    bool isMidway = false;
    bool hasEdges = true;         ///< besides random inputs
    std::vector<OwnInputs> own{}; ///< besides these
    /// Nothing runs where one run of both models is estimated to take longer; 0: no limit.
    double mostSeconds = 0;
    /// Ranges of random inputs, and sizes of free dimensions.
    std::vector<std::pair<std::string, std::string>> ranges{};
    std::map<std::string, std::int64_t> bindings{};
};

/// Prepares a check of the model at the cursor against the original in evaluation mode (Dropout passes
/// through, BatchNormalization uses running statistics unless the recipe keeps batch statistics; where the
/// recipe switched DropPath off, which is no mode of an operator, the baseline has it switched off by that
/// step alone). Models that must be files are written to `folder`, which must outlive the run. Inputs are two
/// random sets and the edges of floating point.
/// Weights that the recipe attached and that the result holds no more under their names (equal ones are one)
/// are given to the original as well. The cursor of `history` is moved to look, and put back.
Result<VerificationPlan> planVerification(History& history, const std::filesystem::path& folder,
                                          const WorkContext& work = {}, VerificationScope scope = {});

/// Adds to a plan what goes into detail: a verdict for each step of the history, what the change to
/// evaluation mode moves, and ONNX Runtime as a second judge, where there is one: of the result and the
/// original, or of the result alone where the original trains, which it cannot run in evaluation mode. The
/// original still runs once for each set of inputs. Models are written to `folder`; the cursor of `history`
/// is moved to look, and put back.
Result<void> planDetails(VerificationPlan& plan, History& history, const std::filesystem::path& folder,
                         const WorkContext& work = {});

/// The whole check in one call, in detail unless it is midway: runs `recipe` on the original, writes what
/// must be written, runs both models in a child process. Blocks; for a thread of its own. Only cancelling is
/// an error: whatever else keeps the models from running is a reason in the result.
Result<Verification> verifyInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                    const std::filesystem::path& program, double edgeSeconds,
                                    const WorkContext& work = {}, VerificationScope scope = {});

/// What came of it. An answer that is an error gives notChecked with the reason.
[[nodiscard]] Verification verificationOf(const VerificationPlan& plan, const Result<JobAnswer>& answer);

} // namespace secateur
