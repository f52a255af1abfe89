// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/weight_fit.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace secateur::cli {

/// What a verb tells about the weights of a result.
struct WeightsUsed {
    std::string file; ///< empty: none
    bool isFromRecipe = false;
    bool isAsSaved = true;        ///< their contents are those that the recipe was saved with
    std::optional<WeightFit> fit; ///< none where they were not used

    /// "weights: checkpoint (from the recipe), 6 of 6 tensors fit".
    [[nodiscard]] std::string line() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Reads the weights of a history once more, to tell about them.
Result<WeightsUsed> findWeightsUsed(const History& history, bool isFromRecipe);

} // namespace secateur::cli
