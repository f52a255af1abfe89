// SPDX-License-Identifier: Apache-2.0
#include "core/layout/group_paths.h"

#include <algorithm>
#include <cctype>

namespace secateur {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool isNumber(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

void append(GroupPath& path, std::string_view part) {
    if (isNumber(part) && !path.empty())
        path.back().append(".").append(part);
    else
        path.emplace_back(part);
}

/// The quoted entries of a Python list, or what stands before the colons of a namespace.
std::vector<std::string_view> entriesOf(std::string_view text) {
    std::vector<std::string_view> entries;
    if (text.empty() || text.front() != '[') {
        std::size_t at = 0;
        while (at <= text.size()) {
            const std::size_t end = std::min(text.find('/', at), text.size());
            const std::string_view entry = text.substr(at, end - at);
            entries.push_back(entry.substr(0, std::min(entry.find(':'), entry.size())));
            at = end + 1;
        }
        return entries;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
        const char quote = text[at];
        if (quote != '\'' && quote != '"') continue;
        const std::size_t end = text.find(quote, at + 1);
        if (end == std::string_view::npos) break;
        entries.push_back(text.substr(at + 1, end - at - 1));
        at = end;
    }
    return entries;
}

} // namespace

GroupPath pathOfScopes(std::string_view text) {
    GroupPath path;
    std::vector<std::string_view> entries = entriesOf(text);
    if (!entries.empty()) entries.pop_back();
    std::string_view before;
    for (const std::string_view entry : entries) {
        if (entry.empty()) continue;
        const bool isBelow = !before.empty() && entry.size() > before.size() &&
                             entry.substr(0, before.size()) == before && entry[before.size()] == '.';
        for (const std::string_view part : split(isBelow ? entry.substr(before.size() + 1) : entry, "."))
            append(path, part);
        before = entry;
    }
    return path;
}

GroupPath pathOfNodeName(std::string_view name) {
    GroupPath path;
    name = name.substr(0, std::min(name.find(';'), name.size())); // a fused node lists all its names
    if (name.find('/') == std::string_view::npos) return path;
    std::vector<std::string_view> parts = split(name, "/");
    if (!parts.empty()) parts.pop_back();
    // `AccumulateGrad_/b.0/Add_output_0`: what stands before the path of another node.
    if (!parts.empty() && name.front() != '/' && parts.front().back() == '_') parts.erase(parts.begin());
    constexpr std::string_view kGradient = "_Grad";
    for (const std::string_view part : parts) {
        if (part.size() > kGradient.size() && part.substr(part.size() - kGradient.size()) == kGradient) break;
        append(path, part);
    }
    return path;
}

GroupPath pathOfParameter(std::string_view name) {
    GroupPath path;
    std::vector<std::string_view> parts = split(name, "./");
    if (!parts.empty()) parts.pop_back();
    for (const std::string_view part : parts)
        append(path, part);
    return path;
}

} // namespace secateur
