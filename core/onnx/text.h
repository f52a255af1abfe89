// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/load.h"
#include "core/support/result.h"

#include <string>
#include <string_view>

namespace secateur {

/// A model from ONNX's text form, which `onnxText` writes; fails with InvalidInput, and with the place, on
/// text that is none. `name` stands for the text in messages.
Result<LoadedModel> parseModelText(std::string_view text, std::string name = "text");

} // namespace secateur
