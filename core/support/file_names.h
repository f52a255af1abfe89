// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace secateur {

/// Is this the name of a file that tools give to every model they write, so that its folder has to tell one
/// from the other: `model.onnx`, `training_model.onnx`?
[[nodiscard]] bool isCommonModelName(const std::filesystem::path& file);
/// What a model is called: the name of its file, with its folder's before it where the name is a common one.
[[nodiscard]] std::string modelTitle(const std::filesystem::path& file);

/// The ending of a file's name with its dot, in small letters: ".onnx" of `A.ONNX`; empty where it has none.
[[nodiscard]] std::string endingOf(const std::filesystem::path& file);

} // namespace secateur
