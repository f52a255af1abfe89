// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/load.h"
#include "core/support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// Asks the checker of the ONNX library whether the model holds to the format: fields, names, order,
/// operators of the standard domains and their attributes. A Verification error says what it found. Builds
/// the whole message in memory for the time of the call.
Result<void> checkModel(const Model& model);

/// Why no other model is made from an opened one: the first of its problems that leave open what it means
/// (Problem::isFatal). None where there is no such problem.
[[nodiscard]] std::optional<Error> whyNotConverted(const LoadedModel& file);

/// What is wrong with a model made from `file` because it was wrong there, in sentences: faults of the graph,
/// damaged tensors, and weights whose contents lie in a file that could not be read. Empty where the file has
/// no such defect, or where it is not part of what was made.
[[nodiscard]] std::vector<std::string> inheritedDefects(const LoadedModel& file, const Model& made);

} // namespace secateur
