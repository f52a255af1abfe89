// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/ir/verifier.h"

#include <vector>

namespace secateur {

/// What the checker of ONNX or its runtime refuse in a model beside the faults of its graphs, which
/// findProblems tells: versions that are none, or newer than this program knows; operator sets imported
/// twice; tensors of two contents or of an unknown type; attributes given twice; inputs and
/// outputs without a type. What is only
/// unknown here is a warning: it is carried on as it stands. Linear in nodes.
[[nodiscard]] std::vector<Problem> findFormatProblems(const Model& model);

} // namespace secateur
