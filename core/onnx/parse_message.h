// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/body_depth.h"

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace secateur {

enum class ParsedMessage : std::uint8_t {
    none, ///< no model
    deep, ///< a model, but nested deeper than other programs read
    model,
};
/// Reads the bytes of a model into libonnx's message, however deep its bodies are nested.
[[nodiscard]] ParsedMessage parseMessage(const std::string& bytes, onnx::ModelProto& proto);

} // namespace secateur
