// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of jobs; not for others.
#pragma once

#include "core/exec/job_compare.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace secateur {

/// Narrows two models that are not started yet to what both compute, and says which of their outputs belong
/// together, by position. `answer` gets the list of compared outputs and what belongs to nothing. Fails with
/// `usage` where nothing can be compared.
Result<std::vector<std::pair<std::size_t, std::size_t>>> pairOutputs(const Job& job, JobModel& first,
                                                                     JobModel& second, JobAnswer& answer);

} // namespace secateur
