// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <span>
#include <string_view>

namespace secateur {

/// Makes `values` of the main graph the model's outputs, under their own names, and takes away the nodes that
/// these do not need: how an inner value of a model is asked for. Inputs stay.
void narrowTo(Model& model, std::span<const ValueId> values);

/// What a model knows under the name of an output: the output that has it, else an inner value of the main
/// graph; none where it has neither, and for no name.
[[nodiscard]] ValueId valueNamed(const Model& model, std::string_view name);

} // namespace secateur
