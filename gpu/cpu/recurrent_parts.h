// SPDX-License-Identifier: Apache-2.0
//
// What recurrent kernels have in common: sizes, biases, states.
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <cstdint>
#include <optional>

namespace secateur {

struct RecurrentShape {
    std::int64_t time = 0, batch = 0, input = 0, hidden = 0, directions = 1, gates = 4;
    bool isReverseOnly = false;

    [[nodiscard]] std::int64_t width() const { return gates * hidden; } ///< gates of one step
    [[nodiscard]] std::int64_t rows() const { return time * batch; }    ///< steps
    [[nodiscard]] std::int64_t cells() const { return batch * hidden; } ///< of a state of one direction
    /// Which step of time comes as number `step` in direction `d`.
    [[nodiscard]] std::int64_t timeAt(std::int64_t d, std::int64_t step) const {
        return isReverseOnly || d == 1 ? time - 1 - step : step;
    }
};

/// Of an operator with `gates` gates and `states` states behind input 5, all with the default functions:
/// nothing but directions, biases and states at the start. None where there is more to it.
[[nodiscard]] std::optional<RecurrentShape> recurrentShapeOf(const NodeFacts& facts, std::int64_t gates,
                                                             std::size_t states);

/// Both biases of a direction, added up, into each of `rows` rows of gates; zeros without biases.
void fillBiases(const StepMemory& memory, const RecurrentShape& shape, std::int64_t d, float* gates);
/// The state of a direction at the start; zeros where it is not given.
void startState(const StepMemory& memory, const RecurrentShape& shape, std::size_t slot, std::int64_t d,
                float* state);
/// The state behind step `t` of time where all states are a result.
void keepState(const StepMemory& memory, const RecurrentShape& shape, std::int64_t d, std::int64_t t,
               const float* state);
/// The state at the end where it is a result.
void keepLast(const StepMemory& memory, const RecurrentShape& shape, std::size_t slot, std::int64_t d,
              const float* state);

/// One step of an LSTM for one entry of the batch: gates lie as i, o, f, c.
void advanceLstm(const float* gates, std::int64_t hidden, float* h, float* c);

} // namespace secateur
