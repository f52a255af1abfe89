// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

#include <optional>

namespace secateur {

/// A copy of the model in which every operator without a kernel is replaced by the function body of its
/// schema; none where all have kernels. Fails with `missing` where an operator has neither, naming each such
/// operator with the nodes that need it.
Result<std::optional<Model>> withFunctionBodies(const Model& model);

} // namespace secateur
