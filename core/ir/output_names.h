// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

namespace secateur {

/// May an output of `graph` be filled by this value under the output's name, without a node between? Not by
/// inputs, values of outer graphs, and values that fill an output already; by an initializer in the main
/// graph alone.
[[nodiscard]] bool canFillOutput(const Model& model, ValueId value, GraphId graph);

} // namespace secateur
