// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace secateur {

/// Bodies that may stand in one another so that every program reads the model: protobuf refuses messages that
/// are nested more than 100 deep unless it is told otherwise, and a body takes three.
constexpr unsigned kDeepestBodiesElsewhere = 31;

enum class ParsedMessage : std::uint8_t {
    none, ///< no model
    deep, ///< a model, but nested deeper than other programs read
    model,
};
/// Reads the bytes of a model into libonnx's message, however deep its bodies are nested.
[[nodiscard]] ParsedMessage parseMessage(const std::string& bytes, onnx::ModelProto& proto);

} // namespace secateur
