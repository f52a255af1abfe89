// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operators that libonnx does not describe, or cannot infer. Heavy: for .cpp files of core/onnx.

#include "core/onnx/node_context.h"

#include <limits>
#include <span>
#include <string_view>

namespace secateur {

constexpr int kAnyNumber = std::numeric_limits<int>::max();

/// One operator of our own table.
struct OwnSchema {
    std::string_view domain; ///< "" is the default domain
    std::string_view op;
    int sinceVersion = 1;
    int minInputs = 0, maxInputs = 0, minOutputs = 0, maxOutputs = 0;
    std::string_view inputs, outputs; ///< names of the slots, separated by spaces; the last one repeats
    void (*infer)(GraphAwareContext&, std::string_view) = nullptr;
    std::string_view rule; ///< handed to `infer`
};

/// The entry for an operator; null when it is not in the table.
[[nodiscard]] const OwnSchema* findOwnSchema(std::string_view domain, std::string_view op);
/// The whole table, sorted by domain and operator.
[[nodiscard]] std::span<const OwnSchema> ownSchemas();

} // namespace secateur
