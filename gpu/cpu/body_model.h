// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/function_table.h"
#include "core/ir/model.h"

#include <vector>

namespace secateur {

/// A body of a control-flow node, or a function, as a model of its own.
struct BodyModel {
    Model model;
    /// Values of the graphs around it that it reads: they follow the body's own inputs as inputs.
    std::vector<ValueId> captured;
    std::vector<NodeId> origins; ///< by node: the one that it is a copy of; none for entries and exits
};

/// A model that has a copy of `body` as its main graph, with the graphs inside it and the functions that they
/// call; its cost is theirs. What the body reads from outside becomes an input, or an initializer where it is
/// constant. Inputs have no declared type: they take whatever comes. `functions` are those of the model.
[[nodiscard]] BodyModel bodyAsModel(const Model& model, const FunctionTable& functions, GraphId body);
/// The same for the function that `call` calls: references to attributes of the call are replaced by these.
[[nodiscard]] BodyModel functionAsModel(const Model& model, const FunctionTable& functions, NodeId call,
                                        GraphId function);

} // namespace secateur
