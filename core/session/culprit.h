// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/verification.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace secateur {

/// A rewrite that makes a result differ from the original.
struct Culprit {
    std::size_t step = 0;    ///< its place in the recipe
    std::string pass, key;   ///< as in RecipeStep::pass and RecipeStep::skippedRewrites
    std::string place;       ///< what it was made on, for people: "Sub `h`"
    Reason reason;           ///< why it was made
    Verification difference; ///< what the check said with it and without all that comes later

    /// "Use standard operators: what it did to Sub `h` makes the result differ (Differs at `h`: 2)"
    [[nodiscard]] std::string words() const;
};

/// What a search for culprits came to.
struct Blame {
    std::vector<Culprit> culprits; ///< in the order in which they were found
    Recipe without;                ///< the recipe with them skipped
    Verification verdict;          ///< of `without`
    std::string doubt;             ///< in words, where no rewrite can be named
    std::size_t checks = 0;        ///< how often models were compared

    /// Is the difference explained, and gone without the culprits?
    [[nodiscard]] bool isResolved() const {
        return !culprits.empty() && (verdict.status == Verification::Status::sameBits ||
                                     verdict.status == Verification::Status::within);
    }
    /// One sentence for each culprit, or the doubt.
    [[nodiscard]] std::vector<std::string> words() const;
};

/// Checks what a recipe makes of the original.
using RecipeCheck = std::function<Result<Verification>(const Recipe&, VerificationScope)>;

/// Finds the rewrites that make the result of `recipe` differ, by bisection: over the steps, then over the
/// records of the first step that differs; each one found is skipped and the rest is searched again, up to
/// kMostCulprits. About log2(steps) + log2(records) checks for each. Only cancelling is an error; models that
/// do not run halfway are a doubt.
Result<Blame> findCulprits(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                           const RecipeCheck& check, const WorkContext& work = {});
inline constexpr std::size_t kMostCulprits = 8;

/// The same, models compared in a child process, on the person's own inputs, too.
Result<Blame> findCulpritsInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                   const std::filesystem::path& program, double edgeSeconds,
                                   const WorkContext& work = {}, const std::vector<OwnInputs>& own = {});

} // namespace secateur
