// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// The model after one step that changed something.
struct StepModel {
    std::size_t step = 0;
    /// Where it was written; none where the step left everything alone that the outputs of the result are
    /// computed from.
    std::optional<std::filesystem::path> file;
    std::string leftOut; ///< why none was written although the step changed something there; else empty
};

/// What the models of steps take of temporary space together.
inline constexpr std::uint64_t kMostStepBytes = std::uint64_t{4} << 30;

/// Writes the models between the original and the end of a recipe to `folder`, each cut down to what computes
/// the outputs of the end, and only where that is another computation than before the step. The cursor of
/// `history` is moved to look, and put back. When they take more than `mostBytes` together, the rest are left
/// out.
Result<std::vector<StepModel>> writeStepModels(History& history, const std::filesystem::path& folder,
                                               const WorkContext& work = {},
                                               std::uint64_t mostBytes = kMostStepBytes);

} // namespace secateur
