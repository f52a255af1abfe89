// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/backend.h"
#include "core/exec/compare.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace secateur {

/// What became of one folder in the layout of ONNX's backend tests: model.onnx and test_data_set_N folders
/// with input_K.pb and output_K.pb.
struct FolderVerdict {
    enum class State : std::uint8_t {
        passed,
        failed,  ///< results differ, or a kernel reported an error
        skipped, ///< cannot be run here, e.g. no kernel
    };
    State state = State::passed;
    std::string reason; ///< what, and where; of a passed one: what was not compared, mostly nothing
};

/// Files named `prefix`K.pb (or .npy) of a folder by their number K below 100,000; an empty path where a
/// number is missing.
[[nodiscard]] std::vector<std::filesystem::path> numberedFiles(const std::filesystem::path& folder,
                                                               std::string_view prefix);

/// Runs the model of `folder` on each of its data sets and compares the results with those stored.
[[nodiscard]] FolderVerdict runTestFolder(const std::filesystem::path& folder, Device device,
                                          const BackendOptions& options, const Tolerance& tolerance,
                                          const WorkContext& work = {});

} // namespace secateur
