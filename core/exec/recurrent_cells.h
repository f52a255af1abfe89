// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <string>
#include <vector>

namespace secateur {

/// One activation function of ONNX RNN, GRU and LSTM with its alpha and beta.
struct GateFunction {
    enum class Kind : std::uint8_t {
        relu,
        tanh,
        sigmoid,
        affine,
        leakyRelu,
        thresholdedRelu,
        scaledTanh,
        hardSigmoid,
        elu,
        softsign,
        softplus
    };
    Kind kind = Kind::sigmoid;
    double alpha = 0, beta = 0;

    [[nodiscard]] double operator()(double x) const;
};

/// What the attributes and inputs of a recurrent operator say, read once: X [time, batch, input], W
/// [directions, gates
/// * hidden, input], R [directions, gates * hidden, hidden], B [directions, 2 * gates * hidden]. With
/// `layout` 1 X and the states have the batch first.
struct RecurrentSizes {
    std::size_t time = 0, batch = 0, input = 0, hidden = 0, directions = 1, gates = 1;
    bool isReverseOnly = false, isBatchFirst = false;
    double clip = 0;                     ///< 0: none
    std::vector<std::size_t> lengths;    ///< of each batch entry
    std::vector<GateFunction> functions; ///< of each direction, in the operator's order

    [[nodiscard]] bool isReverse(std::size_t direction) const { return isReverseOnly || direction == 1; }
    /// The time step that is the `step`-th to be done for a batch entry.
    [[nodiscard]] std::size_t timeAt(std::size_t direction, std::size_t entry, std::size_t step) const {
        return isReverse(direction) ? lengths[entry] - 1 - step : step;
    }
    /// Where X holds the input of a time step.
    [[nodiscard]] std::size_t inputAt(std::size_t t, std::size_t entry) const {
        return (isBatchFirst ? entry * time + t : t * batch + entry) * input;
    }
    /// Where Y holds the state after a time step: [time, directions, batch, hidden], batch first: [batch,
    /// time, directions, hidden].
    [[nodiscard]] std::size_t outputAt(std::size_t t, std::size_t direction, std::size_t entry) const {
        if (isBatchFirst) return ((entry * time + t) * directions + direction) * hidden;
        return ((t * directions + direction) * batch + entry) * hidden;
    }
    /// Where a state [directions, batch, hidden] (batch first: [batch, directions, hidden]) begins.
    [[nodiscard]] std::size_t stateAt(std::size_t direction, std::size_t entry) const {
        return (isBatchFirst ? entry * directions + direction : direction * batch + entry) * hidden;
    }
    [[nodiscard]] Shape outputShape() const;
    [[nodiscard]] Shape stateShape() const;
    [[nodiscard]] double clipped(double x) const;
};

/// `hidden_size` says again what the recurrent weights, of shape `r`, have as their last dimension.
Result<void> checkHiddenSize(const KernelCall& call, const Shape& r);

/// Reads sizes and activation functions; `defaults` names the functions of one direction. `lengthsSlot` is
/// the input that holds the sequence lengths.
Result<RecurrentSizes> recurrentSizes(const KernelCall& call, std::size_t gates,
                                      std::vector<std::string> defaults, std::size_t lengthsSlot);

/// An input as doubles, of `count` elements; `count` zeroes where it is omitted.
Result<std::vector<double>> numbersOrZero(const KernelCall& call, std::size_t slot, std::size_t count);

/// sum of matrix[row, k] * x[k]; `matrix` is row major with `columns` columns.
[[nodiscard]] double rowProduct(const std::vector<double>& matrix, std::size_t row, std::size_t columns,
                                const std::vector<double>& x, std::size_t xAt);

} // namespace secateur
