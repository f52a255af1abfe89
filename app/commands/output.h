// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <filesystem>
#include <vector>

namespace secateur::cli {

/// Can `out` be written, and is it none of the other files of this command: neither one that is read, nor one
/// that is written besides?
Result<void> checkOutput(const std::filesystem::path& out, const std::vector<std::filesystem::path>& others);

} // namespace secateur::cli
