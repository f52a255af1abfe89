// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace secateur {
namespace fs = std::filesystem;
namespace {

/// The number in an entry; `otherwise` where there is none. False when it is not a number.
bool readNumber(const Tensor& tensor, std::string_view key, std::optional<std::uint64_t>& number) {
    const std::string* text = externalEntry(tensor, key);
    if (!text) return true;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) return false;
    number = value;
    return true;
}

bool climbsOut(const fs::path& relative) {
    const fs::path plain = relative.lexically_normal();
    return !plain.empty() && *plain.begin() == "..";
}

} // namespace

const std::string* externalEntry(const Tensor& tensor, std::string_view key) {
    const auto at = std::find_if(tensor.external.begin(), tensor.external.end(),
                                 [&](const auto& entry) { return entry.first == key; });
    return at == tensor.external.end() ? nullptr : &at->second;
}

ExternalFiles::ExternalFiles(fs::path folder, const fs::path& model) : m_folder(std::move(folder)) {
    std::error_code ignored;
    m_allowed.push_back(fs::weakly_canonical(m_folder.empty() ? fs::path(".") : m_folder, ignored));
    if (!model.empty()) m_allowed.push_back(fs::weakly_canonical(model, ignored).parent_path());
}

bool ExternalFiles::isInside(const fs::path& path) const {
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(path, failed);
    if (failed) return false;
    return std::any_of(m_allowed.begin(), m_allowed.end(), [&](const fs::path& folder) {
        return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
    });
}

ExternalFiles::Opened ExternalFiles::openNew(const std::string& location) const {
    const fs::path relative(location);
    if (relative.is_absolute()) {
        return {nullptr, "problem.external-absolute",
                fmt::format("in `{}`, an absolute path: it is not read, since a model may only name files "
                            "beside it; move "
                            "the data beside the model and give a relative location",
                            location)};
    }
    const fs::path path = m_folder / relative;
    if (climbsOut(relative) || !isInside(path)) {
        return {nullptr, "problem.external-escapes",
                fmt::format(
                    "in `{}`, outside the model's folder: it is not read, since a model may only name files "
                    "beside it; move the data into the model's folder",
                    location)};
    }
    auto file = MappedFile::open(path);
    if (file) return {*file, {}, {}};
    return {
        nullptr, "problem.external-missing",
        fmt::format("in `{}`, which {}; put the data file beside the model", location, file.error().message)};
}

const ExternalFiles::Opened& ExternalFiles::open(const std::string& location) {
    const auto at = m_opened.find(location);
    return at != m_opened.end() ? at->second : m_opened.emplace(location, openNew(location)).first->second;
}

void ExternalFiles::attach(Tensor& tensor, std::string_view name, std::vector<Problem>& problems) {
    const auto report = [&](std::string id, const std::string& what) {
        problems.push_back(
            {Problem::Severity::error, std::move(id), fmt::format("tensor `{}` {}", name, what), {}, {}});
    };
    const std::string* location = externalEntry(tensor, "location");
    if (!location || location->empty()) {
        return report("problem.external-nowhere",
                      "lies in another file that the model does not name: it has no "
                      "`location`; export the model again with its data");
    }
    std::optional<std::uint64_t> offset, length;
    if (!readNumber(tensor, "offset", offset) || !readNumber(tensor, "length", length)) {
        return report(
            "problem.external-range",
            fmt::format("lies in `{}` at an offset or with a length that is no number; export the model "
                        "again",
                        *location));
    }
    const Opened& opened = open(*location);
    if (!opened.file) return report(opened.id, "has its bytes " + opened.text);
    const std::uint64_t begin = offset.value_or(0);
    const auto needed = tensor.byteSize();
    const std::uint64_t left = opened.file->size() - std::min(begin, opened.file->size());
    const std::uint64_t size = length.value_or(needed.value_or(left));
    if (needed && size != *needed) {
        return report(
            "problem.external-size",
            fmt::format("of type {} needs {} bytes, and its entry for `{}` gives {}; export the model again",
                        tensor.asType().text(), *needed, *location, size));
    }
    auto range = opened.file->range(begin, size);
    if (!range) {
        return report("problem.external-short",
                      fmt::format("lies in `{}`, which {}; copy the data file again", *location,
                                  range.error().message));
    }
    tensor.payload = {opened.file, range->data(), range->size()};
    if (m_ranges.emplace(range->data(), range->size()).second) m_bytes += range->size();
}

} // namespace secateur
