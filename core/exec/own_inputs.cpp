// SPDX-License-Identifier: Apache-2.0
#include "core/exec/own_inputs.h"

#include "core/exec/test_folder.h"
#include "core/messages/messages.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "input_";

bool isFolder(const fs::path& path) {
    std::error_code failed; // what may not be looked into is none
    return fs::is_directory(path, failed);
}

bool isValueFile(const fs::path& path) {
    const std::string ending = endingOf(path);
    return ending == ".npy" || ending == ".pb";
}

/// What lies in a folder, in order of names.
std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        entries.push_back(at->path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

/// The inputs that a caller must give, by name.
std::vector<std::string> givenInputs(const Model& model) {
    std::vector<std::string> names;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        if (!model.isInitializer(input)) names.emplace_back(model.name(input));
    return names;
}

/// A name as a file can be called: what a path would cut becomes a line below.
std::string asFileName(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == ':' || c == '\\'; }, '_');
    return name;
}

std::optional<std::string> inputOf(const fs::path& file, const Model& model) {
    const std::string stem = file.stem().string();
    const std::vector<std::string> given = givenInputs(model);
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        if (model.name(input) == stem || asFileName(std::string(model.name(input))) == stem)
            return std::string(model.name(input));
    if (stem.starts_with(kPrefix)) {
        std::size_t number = 0;
        const auto [end, failed] =
            std::from_chars(stem.data() + kPrefix.size(), stem.data() + stem.size(), number);
        if (failed == std::errc() && end == stem.data() + stem.size())
            return number < given.size() ? std::optional(given[number]) : std::nullopt;
    }
    return given.size() == 1 ? std::optional(given.front()) : std::nullopt;
}

Result<void> addFile(const fs::path& file, const Model& model, OwnInputs& files) {
    const auto input = inputOf(file, model);
    const std::vector<std::string> names = givenInputs(model);
    if (!input) return usageError(formatMessage("exec.own-which", {quotedList(names)}), file.string());
    for (const auto& known : files.files)
        if (known.first == *input)
            return usageError(formatMessage("exec.own-twice", {*input, known.second}), file.string());
    files.files.emplace_back(*input, file.string());
    return {};
}

Result<void> addFolder(const fs::path& folder, const Model& model, std::vector<OwnInputs>& sets,
                       OwnInputs& files) {
    if (!numberedFiles(folder, kPrefix).empty()) {
        sets.push_back({folder, {}});
        return {};
    }
    const std::size_t before = sets.size() + files.files.size();
    for (const fs::path& entry : entriesOf(folder)) {
        if (isFolder(entry) && !numberedFiles(entry, kPrefix).empty())
            sets.push_back({entry, {}});
        else if (!isFolder(entry) && isValueFile(entry))
            TRY(addFile(entry, model, files));
    }
    if (sets.size() + files.files.size() == before)
        return usageError(std::string(message("exec.own-folder-empty")), folder.string());
    return {};
}

} // namespace

Result<std::vector<OwnInputs>> ownInputsOf(const std::vector<fs::path>& paths, const Model& model) {
    std::vector<OwnInputs> sets;
    OwnInputs files;
    for (const fs::path& path : paths) {
        if (isFolder(path)) {
            TRY(addFolder(path, model, sets, files));
        } else if (isValueFile(path)) {
            TRY(addFile(path, model, files));
        } else {
            return usageError(std::string(message("exec.own-kind")), path.string());
        }
    }
    if (!files.files.empty()) sets.push_back(std::move(files));
    return sets;
}

bool looksLikeInputs(const fs::path& path) {
    if (!isFolder(path)) return isValueFile(path);
    bool hasInputs = !numberedFiles(path, kPrefix).empty();
    for (const fs::path& entry : entriesOf(path)) {
        if (endingOf(entry) == ".onnx") return false;
        hasInputs =
            hasInputs || (isFolder(entry) ? !numberedFiles(entry, kPrefix).empty() : isValueFile(entry));
    }
    return hasInputs;
}

} // namespace secateur
