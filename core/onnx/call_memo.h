// SPDX-License-Identifier: Apache-2.0
#pragma once

// What calls of functions gave. Heavy: for .cpp files of core/onnx.

#include "core/onnx/inference_facts.h"
#include "core/onnx/noted_problems.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Functions that call one another multiply: sixty small ones come to more calls than can be run. A call that
/// is given what another one was given gives what that one gave.
class CallMemo {
  public:
    struct Outcome {
        std::vector<ValueFacts> results;
        CalleeProblems problems;
        std::vector<TensorPtr> constants; ///< of its inputs: their addresses are part of the key
    };

    /// All that the outcome of a call depends on. `depth` of calls and of bodies: both have limits.
    [[nodiscard]] static std::string keyOf(const Frame& callee, std::span<const ValueId> formals,
                                           std::size_t callDepth, std::size_t bodyDepth);

    [[nodiscard]] const Outcome* find(const std::string& key) const;
    void keep(const std::string& key, Outcome outcome) { m_outcomes.emplace(key, std::move(outcome)); }

  private:
    std::map<std::string, Outcome> m_outcomes;
};

} // namespace secateur
