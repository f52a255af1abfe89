// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <string>
#include <vector>

namespace secateur {

/// Does any step of the recipe that is on need to know what the model predicts?
[[nodiscard]] bool needsTargets(const Recipe& recipe);

/// The values that the recipe aims at: those it names, else the clear ones. A Usage error names the nearest
/// values for a name that is not there, and lists the candidates with their evidence where no choice is
/// clear.
Result<std::vector<ValueId>> chooseTargets(const Original& original, const Recipe& recipe);

/// "`output` (0.95): input 0 of the loss ...; ..." for the best candidates, one line each.
[[nodiscard]] std::vector<std::string> candidateLines(const Original& original, std::size_t most = 8);

} // namespace secateur
