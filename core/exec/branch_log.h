// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// Watches which branches of If run. What stands in one that no inputs entered was not compared.
class BranchLog {
  public:
    /// A node of the model that runs has run; the model stays while the log is asked.
    void note(const Model& model, NodeId node);
    /// What was noted since the last call counts, or does not: the inputs were compared, or not.
    void keep(bool counts);
    /// Branches of those If that ran, whose conditions depend on the inputs and that never ran themselves:
    /// "else of If making `y`". `hasOpenSizes`: the sizes of inputs are no constants either.
    [[nodiscard]] std::vector<std::string> unentered(bool hasOpenSizes) const;

  private:
    const Model* m_model = nullptr;
    std::vector<std::uint64_t> m_now, m_all; ///< runs of each node
};

/// By value: do the numbers of an input lead there, through whichever bodies? Shapes tell nothing about
/// numbers, and count only where asked.
[[nodiscard]] std::vector<bool> fedByInputs(const Model& model, bool countsShapes);

} // namespace secateur
