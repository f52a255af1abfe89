// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/external_data.h"

#include "core/messages/sentences.h"

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
    // Absolute from the start: a relative path of which nothing exists would stay relative below.
    m_folder = fs::absolute(m_folder.empty() ? fs::path(".") : m_folder, ignored);
    m_allowed.push_back(fs::weakly_canonical(m_folder, ignored));
    if (!model.empty())
        m_allowed.push_back(fs::weakly_canonical(fs::absolute(model, ignored), ignored).parent_path());
}

bool ExternalFiles::isInside(const fs::path& real) const {
    return std::any_of(m_allowed.begin(), m_allowed.end(), [&](const fs::path& folder) {
        return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first == folder.end();
    });
}

ExternalFiles::Opened ExternalFiles::openNew(const std::string& location) const {
    const fs::path relative(location);
    if (relative.is_absolute()) return {nullptr, "problem.external-absolute", {}};
    const fs::path path = m_folder / relative;
    if (climbsOut(relative)) return {nullptr, "problem.external-escapes", {}};
    std::error_code failed;
    if (fs::symlink_status(path, failed).type() == fs::file_type::not_found)
        return {nullptr, "problem.external-missing", {}};
    const fs::path real = fs::weakly_canonical(path, failed);
    if (failed)
        return {nullptr, "problem.external-unreadable",
                formatMessage("file.cannot-open", {failed.message()})};
    if (!isInside(real)) return {nullptr, "problem.external-escapes", {}};
    auto file = MappedFile::open(path);
    if (file) return {*file, {}, {}};
    return {nullptr, "problem.external-unreadable", file.error().message};
}

const ExternalFiles::Opened& ExternalFiles::open(const std::string& location) {
    const auto at = m_opened.find(location);
    return at != m_opened.end() ? at->second : m_opened.emplace(location, openNew(location)).first->second;
}

void ExternalFiles::attach(Tensor& tensor, std::string_view name, std::vector<Problem>& problems) {
    const std::string* location = externalEntry(tensor, "location");
    // Sentences have the name of the tensor, the location and then the details.
    const auto report = [&](const std::string& id, const std::vector<std::string>& details) {
        std::vector<std::string> arguments{std::string(name), location ? *location : std::string()};
        arguments.insert(arguments.end(), details.begin(), details.end());
        problems.push_back({Problem::Severity::error, id, formatMessage(id, arguments), {}, {}});
    };
    if (!location || location->empty()) return report("problem.external-nowhere", {});
    std::optional<std::uint64_t> offset, length;
    if (!readNumber(tensor, "offset", offset) || !readNumber(tensor, "length", length))
        return report("problem.external-range", {});
    const Opened& opened = open(*location);
    if (!opened.file) return report(opened.problem, {opened.detail});
    const std::uint64_t begin = offset.value_or(0);
    const auto needed = tensor.byteSize();
    const std::uint64_t left = opened.file->size() - std::min(begin, opened.file->size());
    const std::uint64_t size = length.value_or(needed.value_or(left));
    if (needed && size != *needed) {
        return report("problem.external-size",
                      {tensor.asType().text(), std::to_string(*needed), std::to_string(size)});
    }
    if (size > left || begin > opened.file->size()) {
        const std::uint64_t end = size > UINT64_MAX - begin ? UINT64_MAX : begin + size;
        return report("problem.external-short",
                      {std::to_string(begin), std::to_string(end), std::to_string(opened.file->size())});
    }
    auto range = opened.file->range(begin, size);
    if (!range) return report("problem.external-unreadable", {range.error().message});
    tensor.payload = {opened.file, range->data(), range->size()};
    if (m_ranges.emplace(range->data(), range->size()).second) m_bytes += range->size();
}

} // namespace secateur
