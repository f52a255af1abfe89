// SPDX-License-Identifier: Apache-2.0
//
// Numbers of single inputs that decide which way a model goes: the sample rate that it compares with 16000,
// the flag of an If. Sets of random inputs take them in turn.
#pragma once

#include "core/exec/input_values.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace secateur {

/// How many sets of random inputs it takes until all these numbers were met together, as far as a few sets
/// can; 1 where no input has any.
[[nodiscard]] std::size_t turnsOf(const Model& model, const std::vector<InputDomain>& domains,
                                  const InputRequest& request);

/// By position of the main graph's inputs: the number that all elements of an input have in turn
/// `request.turn`; none where it is random, given or not of one element.
[[nodiscard]] std::vector<std::optional<double>>
choicesOf(const Model& model, const std::vector<InputDomain>& domains, const InputRequest& request);

} // namespace secateur
