// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Writes the tensors of a file of weights (a checkpoint, an ONNX model) that are inputs of one of the models
/// to files in `folder`, as inputs of a run: name and file. Fails with `usage` where no input has the name of
/// any tensor.
Result<std::vector<std::pair<std::string, std::string>>> weightInputs(std::span<const Model* const> models,
                                                                      const std::filesystem::path& weights,
                                                                      const std::filesystem::path& folder);

} // namespace secateur
