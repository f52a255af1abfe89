// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// What the files of a job are called for people, where their paths say nothing to them: copies in a scratch
/// folder.
using PathNames = std::vector<std::pair<std::filesystem::path, std::string>>;

/// The answer with these names in the place of the paths, in all that it says in words.
[[nodiscard]] Result<JobAnswer> named(Result<JobAnswer> answer, const PathNames& names);

} // namespace secateur
