// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <string>
#include <vector>

namespace secateur {

/// Something wrong with a model, found by loading, verifying or inference. A model with problems still opens.
struct Problem {
    enum class Severity : std::uint8_t { note, warning, error };
    Severity severity = Severity::warning;
    std::string id;   ///< message id, e.g. "problem.duplicate-value"
    std::string text; ///< what, where, why, what to do
    NodeId node;      ///< where, when it is a node
    ValueId value;    ///< where, when it is a value
    /// It is open what the model means as a whole: the model is shown, and no other is made from it.
    bool isFatal = false;
};

/// Faults of the ONNX model: a value read that nobody makes, a cycle or a read before the definition, two
/// values of one name in one scope, a read from a graph that does not enclose the reader; damaged tensors;
/// domains without an opset; functions defined twice and functions that call themselves. Linear in nodes,
/// iterative.
[[nodiscard]] std::vector<Problem> findProblems(const Model& model);

/// Broken invariants of the arenas themselves (use lists, program order, producers). Always empty unless the
/// editor or the journal has a bug; tests and debug builds ask after every step.
[[nodiscard]] std::vector<std::string> brokenInvariants(const Model& model);

} // namespace secateur
