// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/runtime_value.h"
#include "core/ir/model.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace secateur {

/// Watches whether the outputs of a model move with its inputs. One that has the same numbers whatever comes
/// in would agree with that of nearly any other model: a model without weights, a recording of silence.
class OutputMovement {
  public:
    /// `outputs`: positions in the main graph of `model`. Those that no input leads to, but for its shape,
    /// are the same every time by right, and never still.
    OutputMovement(const Model& model, const std::vector<std::size_t>& outputs);

    /// The inputs of one run, in short.
    struct Inputs {
        std::uint64_t shapes = 0, numbers = 0;
    };
    [[nodiscard]] static Inputs inputsOf(std::span<const RuntimeValue> inputs);
    /// A value in short: equal for equal numbers of equal shapes, zeros of either sign being one.
    [[nodiscard]] static std::uint64_t digestOf(const RuntimeValue& value);
    /// What the model was given, and what it gave at the watched outputs.
    void add(const Inputs& inputs, std::span<const RuntimeValue* const> outputs);

    /// Has this watched output had the same numbers each time, although the inputs had others? One that came
    /// in several shapes, as with batches of several sizes, is held against its own shape, unless inputs of
    /// the same shapes gave them. Not known, and false, before two runs that can be held against each other.
    /// Zeros of either sign are the same number.
    [[nodiscard]] bool isStill(std::size_t output) const;

  private:
    /// The first of several runs that are held against each other.
    struct First {
        Inputs inputs;
        std::uint64_t output = 0;
    };
    struct Watched {
        bool isFed = false; ///< an input leads to it
        bool hasMoved = false, haveInputsMoved = false;
        std::map<std::uint64_t, First> byInputs, byOutput; ///< by shapes: of the inputs, of the output
    };
    std::vector<Watched> m_watched;
};

} // namespace secateur
