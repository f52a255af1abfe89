// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <span>

namespace secateur {

/// Makes `values` of the main graph the model's outputs, under their own names, and takes away the nodes that
/// these do not need: how an inner value of a model is asked for. Inputs stay.
void narrowTo(Model& model, std::span<const ValueId> values);

} // namespace secateur
