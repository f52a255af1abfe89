// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/verifier.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace secateur {

/// What a call of a function found; calls that are given the same share one list.
using CalleeProblems = std::shared_ptr<const std::vector<Problem>>;

/// Problems inside of a call while it is run, each once: a body that is run again and again says the same of
/// itself, and so do calls in it.
class CallProblems {
  public:
    void add(Problem problem);
    /// Adds what a call inside of this one found.
    void add(const CalleeProblems& problems);
    /// What there was; null where there was nothing.
    [[nodiscard]] CalleeProblems take();

  private:
    std::vector<Problem> m_problems;
    std::set<std::pair<std::string, std::string>> m_seen; ///< id and text
    std::set<CalleeProblems> m_seenLists;
};

/// Problems by the node that they are told of. Those inside of functions stand once, however many calls the
/// functions have: a thousand calls of a function with a thousand faults are no million faults.
class NotedProblems {
  public:
    void clear();
    /// Forgets what was told of a node.
    void erase(std::uint32_t node);
    /// Forgets what was told of nodes that are no more.
    void forgetErased(const Model& model);
    /// Problems of the node itself.
    [[nodiscard]] std::vector<Problem>& operator[](std::uint32_t node) { return m_own[node]; }
    /// Notes what the function that `call` calls was found to have.
    void tell(std::uint32_t call, CalleeProblems problems);
    /// All, with the node where each one is: of a function's, the first call that has it, and how many more
    /// do.
    [[nodiscard]] std::vector<Problem> list(const Model& model) const;

  private:
    std::map<std::uint32_t, std::vector<Problem>> m_own;
    std::map<std::uint32_t, CalleeProblems> m_ofCalls;
};

} // namespace secateur
