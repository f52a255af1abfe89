// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace secateur {

/// How the tensors of a file of weights took to a model. Every tensor that is in no list fits: it fills an
/// input, or an input that the result does not need.
struct WeightFit {
    std::size_t tensors = 0;          ///< in the file
    std::vector<std::string> foreign; ///< the model has nothing of that name
    std::vector<std::string> misfits; ///< the model declares another type or shape
    std::vector<std::string> owned;   ///< the model holds values of its own under that name
    /// Parameters that training updates and the result reads, which the file has no tensor for.
    std::vector<std::string> missing;

    [[nodiscard]] std::size_t fitting() const {
        return tensors - foreign.size() - misfits.size() - owned.size();
    }
    /// Every tensor has its place, and every parameter its tensor.
    [[nodiscard]] bool isWhole() const { return fitting() == tensors && missing.empty(); }
    /// What does not fit, as sentences for the message bar and standard error; none where all fits.
    [[nodiscard]] std::vector<Reason> notes(const std::string& file) const;
};

/// Whether the recipe of a history gave the model weights: it names a file, and `attach-weights` is on.
[[nodiscard]] bool usesWeights(const Recipe& recipe);
/// Looks at what a run history made of the weights of its recipe. Needs usesWeights.
Result<WeightFit> findWeightFit(const History& history);
/// Why a file of which nothing fits is refused: what it holds, and what to do.
[[nodiscard]] Error nothingFits(const WeightFit& fit, const std::filesystem::path& file);

/// Hash of what a file of weights holds - names, types, shapes and contents, in 16 hexadecimal digits. Reads
/// all of it.
Result<std::string> hashWeights(const std::filesystem::path& file);
/// The recipe with the hash of what its weights hold now; as it is where it names none, or they cannot be read.
[[nodiscard]] Recipe rememberingWeights(Recipe recipe);
/// Does the file still hold what it held when the recipe was saved? True where the recipe does not say.
Result<bool> areWeightsAsSaved(const Recipe& recipe);

} // namespace secateur
