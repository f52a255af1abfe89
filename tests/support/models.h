// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace secateur::testing {

/// Was a folder of real models asked for by name? What it lacks is then a failure, and no reason to skip.
inline bool areModelsRequired() {
    return std::getenv("SECATEUR_MODELS") != nullptr;
}

/// The folder of real models for tests: SECATEUR_MODELS, or `../shared/models` beside the sources, also from
/// a work tree two levels down. Empty when there is none; such tests are skipped. Throws where
/// SECATEUR_MODELS names no folder.
inline std::filesystem::path modelsFolder() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (const char* given = std::getenv("SECATEUR_MODELS")) {
        if (!fs::is_directory(given, ignored))
            throw std::runtime_error("SECATEUR_MODELS names no folder: " + std::string(given));
        return given;
    }
    const fs::path source(SECATEUR_SOURCE_DIR);
    for (const fs::path& up : {source.parent_path(), source.parent_path().parent_path()}) {
        if (fs::is_directory(up / "shared" / "models", ignored)) return up / "shared" / "models";
    }
    return {};
}

/// A training model by the name of its folder ("transformer48.adamw.step"); empty when it is not there.
/// Throws where SECATEUR_MODELS names a folder without it.
inline std::filesystem::path trainingModel(std::string_view name) {
    const std::filesystem::path folder = modelsFolder();
    if (folder.empty()) return {};
    const std::filesystem::path path = folder / "training" / name / "model.onnx";
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
    if (areModelsRequired()) throw std::runtime_error("SECATEUR_MODELS lacks " + path.string());
    return {};
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
