// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/project/source_rules.h"

#include <string>
#include <vector>

namespace secateur::testing {

/// Where a C++ file of core, ui or app holds a sentence for people instead of a message id: any text with a
/// blank in what makes an Error or a Problem, and in core and ui any literal that reads as a sentence. One
/// line each: "core/onnx/load.cpp:22: a sentence belongs into resources/messages: \"has no graph\"".
std::vector<std::string> sentenceViolations(const SourceFile& file);

} // namespace secateur::testing
