// SPDX-License-Identifier: Apache-2.0
//
// How a model that trains is run for comparison: in evaluation mode. What operators have a mode for, the
// engine switches (RunMode::inference); DropPath is made of plain operators and is switched off in a copy.
#pragma once

#include "core/session/history.h"

#include <filesystem>
#include <string>

namespace secateur {

/// Writes the original with DropPath switched off, by that step of `recipe` alone, and nothing else done.
/// False where the step finds nothing to do, and nothing is written then.
Result<bool> writeWithoutDropPath(const Original& original, const Recipe& recipe,
                                  const std::filesystem::path& file, const WorkContext& work = {});

/// What of a model trains as it is written, in words: "4 BatchNormalization, 3 Dropout and DropPath"; empty
/// where nothing does.
[[nodiscard]] std::string trainingWords(const Original& original, bool hasDropPath);

} // namespace secateur
