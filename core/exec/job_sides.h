// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/job_compare.h"

#include <map>
#include <string>
#include <vector>

namespace secateur {

/// Values by the name of the input or output that they belong to.
using NamedValues = std::map<std::string, RuntimeValue, std::less<>>;

/// One set of inputs as the two models of a comparison ran on it.
struct RanSet {
    std::string text;
    std::uint64_t seed = 0;
    bool isEdge = false;
    NamedValues inputs;   ///< all that either model takes
    NamedValues expected; ///< what the second model gave
};

/// Runs the side models of a comparison (SideModel), narrowed to the outputs of these names, one after the
/// other, each on all of `sets`: no two of them take memory at once, and all of it is within the limit of
/// `pool`. What goes wrong with one of them is told in its answer and harms no other; only cancelling is an
/// error.
Result<std::vector<SideAnswer>> runSideModels(const Job& job, const WorkContext& work, MemoryPool& pool,
                                              const std::vector<std::string>& outputs,
                                              std::vector<RanSet> sets);

} // namespace secateur
