// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/input_values.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace secateur {

/// Inputs at the edges of what floating point numbers can be.
enum class EdgePattern : std::uint8_t {
    zeros,
    ones,
    minusZeros,
    infinities, ///< plus and minus, among random numbers
    nans,       ///< among random numbers
    large,      ///< near the largest number of the type
    tiny,       ///< below the smallest normal number of the type
};
/// In the order in which they are tried: those that most often tell models apart come first.
inline constexpr std::array kEdgePatterns{
    EdgePattern::nans, EdgePattern::infinities, EdgePattern::minusZeros, EdgePattern::zeros,
    EdgePattern::ones, EdgePattern::large,      EdgePattern::tiny};

/// The id of its name for people.
[[nodiscard]] std::string_view edgePatternId(EdgePattern pattern);

/// Writes the pattern over each floating point input whose domain is not bounded; the others, and those of
/// `isKept`, keep what they hold. Returns whether there was one.
Result<bool> applyPattern(std::vector<RuntimeValue>& values, const std::vector<InputDomain>& domains,
                          const std::vector<bool>& isKept, EdgePattern pattern, MemoryPool& pool);

} // namespace secateur
