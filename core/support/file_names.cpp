// SPDX-License-Identifier: Apache-2.0
#include "core/support/file_names.h"

#include <system_error>

namespace secateur {

bool isCommonModelName(const std::filesystem::path& file) {
    const std::filesystem::path stem = file.stem();
    return stem == "model" || stem == "training_model";
}

std::string modelTitle(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    if (!isCommonModelName(file)) return name;
    std::error_code failed; // of a folder that is gone: then the path says what it can
    const std::filesystem::path whole = std::filesystem::absolute(file, failed);
    const std::string folder = (failed ? file : whole).lexically_normal().parent_path().filename().string();
    return folder.empty() ? name : folder + '/' + name;
}

std::string endingOf(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return ending;
}

} // namespace secateur
