// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace secateur::testing {

/// The folder of real models for tests: SECATEUR_MODELS, or `../shared/models` beside the sources, also from
/// a work tree two levels down. Empty when there is none; such tests are skipped.
inline std::filesystem::path modelsFolder() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (const char* given = std::getenv("SECATEUR_MODELS"))
        return fs::is_directory(given, ignored) ? given : "";
    const fs::path source(SECATEUR_SOURCE_DIR);
    for (const fs::path& up : {source.parent_path(), source.parent_path().parent_path()}) {
        if (fs::is_directory(up / "shared" / "models", ignored)) return up / "shared" / "models";
    }
    return {};
}

/// A training model by the name of its folder ("transformer48.adamw.step"); empty when it is not there.
inline std::filesystem::path trainingModel(std::string_view name) {
    const std::filesystem::path folder = modelsFolder();
    if (folder.empty()) return {};
    const std::filesystem::path path = folder / "training" / name / "model.onnx";
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) ? path : std::filesystem::path();
}

/// All files with the extension below `folder`, sorted.
inline std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder,
                                                     std::string_view extension) {
    namespace fs = std::filesystem;
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
        if (at->is_regular_file() && at->path().extension() == extension) out.push_back(at->path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace secateur::testing
