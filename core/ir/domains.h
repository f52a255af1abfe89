// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace secateur {

/// The two spellings of the default domain as one: "" for "ai.onnx" (ONNX IR, "Operator Sets").
[[nodiscard]] constexpr std::string_view plainDomain(std::string_view domain) {
    return domain == "ai.onnx" ? std::string_view() : domain;
}

/// A domain as people are told of it: "ai.onnx" for "".
[[nodiscard]] constexpr std::string_view shownDomain(std::string_view domain) {
    return domain.empty() ? std::string_view("ai.onnx") : domain;
}

} // namespace secateur
