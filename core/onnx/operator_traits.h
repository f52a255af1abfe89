// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace secateur {

/// What an operator is known for, whatever its version. A table: nothing here looks at a node's attributes,
/// inputs or name. Model-local functions are not in it: ask for the operators of their bodies.
struct OperatorTraits {
    bool isKnown = false; ///< in the table at all; false leaves all else false: assume nothing about it
    /// Results depend on the inputs and attributes alone and running it changes nothing else. If, Loop, Scan
    /// and SequenceMap are as pure as their bodies.
    bool isPure = false;
    /// Draws random numbers: always (RandomNormal ...), or in training mode (Dropout ...).
    bool isRandom = false;
    bool hasSideEffect =
        false; ///< writes into an input, sends, synchronizes or calls out: running it is the point
    bool isGradient = false;  ///< computes a gradient; exists for the backward half only
    bool isLoss = false;      ///< compares a prediction with labels
    bool isOptimizer = false; ///< updates parameters, or prepares gradients for that (clipping, loss scaling)
    bool isAccumulator = false; ///< adds up or clears gradient buffers
};

/// Traits of an operator; `domain` "" and "ai.onnx" are both the default domain.
[[nodiscard]] OperatorTraits traitsOf(std::string_view domain, std::string_view op);

} // namespace secateur
