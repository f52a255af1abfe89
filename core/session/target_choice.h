// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <string>
#include <vector>

namespace secateur {

/// Does any step of the recipe that is on need to know what the model predicts?
[[nodiscard]] bool needsTargets(const Recipe& recipe);

/// The values that the recipe aims at: those it names, else those that were pinned when it was saved where
/// the model has all of them, else the clear ones. A Usage error names the nearest values for a name that is
/// not there, and lists the candidates with their evidence where no choice is clear.
Result<std::vector<ValueId>> chooseTargets(const Original& original, const Recipe& recipe);

/// Names of the pinned targets that the model does not have, so that others are taken. None where the recipe
/// names its targets itself.
[[nodiscard]] std::vector<std::string> missingPins(const Original& original, const Recipe& recipe);
/// Where the pinned targets do not say what this model alone would: a sentence about it. Else none.
[[nodiscard]] std::vector<Reason> pinNotes(const Original& original, const Recipe& recipe);
/// Names of the chosen targets of a history, for pinning; empty where one has no name.
[[nodiscard]] std::vector<std::string> namesOfTargets(const History& history);

/// "`output` (0.95): input 0 of the loss ...; ..." for the best candidates, one line each.
[[nodiscard]] std::vector<std::string> candidateLines(const Original& original, std::size_t most = 8);

} // namespace secateur
