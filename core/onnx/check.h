// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

namespace secateur {

/// Asks the checker of the ONNX library whether the model holds to the format: fields, names, order,
/// operators of the standard domains and their attributes. A Verification error says what it found. Builds
/// the whole message in memory for the time of the call.
Result<void> checkModel(const Model& model);

} // namespace secateur
