// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"
#include "core/ir/model.h"

#include <filesystem>
#include <vector>

namespace secateur {

/// Makes sets of inputs of what a person hands over: each folder of input_0.pb, input_1.pb ... (or .npy) is a
/// set, and so is each such folder within a folder; the other .npy and .pb files belong to one set, each to
/// the input that it is named after, to the input of its number (input_2.npy), or to the only input that
/// `model` does not hold itself. Fails with `usage`, naming the file and the inputs, where a file belongs to
/// none. Nothing is read: types and shapes are looked at when a set runs.
Result<std::vector<OwnInputs>> ownInputsOf(const std::vector<std::filesystem::path>& paths,
                                           const Model& model);

/// Does a path look like inputs: a .npy or .pb file, or a folder with such inputs and no model by its side?
[[nodiscard]] bool looksLikeInputs(const std::filesystem::path& path);

} // namespace secateur
