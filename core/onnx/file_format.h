// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace secateur {

/// Why a file is no ONNX model, and what to do: "is a TensorFlow Lite model; export an ONNX model from it
/// with `...`". By content, never by the name. `certain` formats cannot be ONNX; the others are guesses for
/// bytes that failed to open. None when nothing is recognised.
[[nodiscard]] std::optional<std::string> describeCertainFormat(std::string_view bytes,
                                                               const std::filesystem::path& path);
[[nodiscard]] std::optional<std::string> describeLikelyFormat(std::string_view bytes,
                                                              const std::filesystem::path& path);

/// The same for a folder given in place of a file.
[[nodiscard]] std::string describeFolder(const std::filesystem::path& path);

} // namespace secateur
