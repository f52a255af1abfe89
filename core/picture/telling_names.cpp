// SPDX-License-Identifier: Apache-2.0
#include "core/picture/telling_names.h"

#include "core/support/hash.h"

#include <cstddef>

namespace secateur {
namespace {

constexpr std::uint32_t kMany = 0;

std::uint64_t hashed(std::uint64_t before, std::string_view part) {
    std::uint64_t hash = before;
    for (const char c : part)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U; // FNV-1a
    return mixBits(hash + 1);
}

/// A part as a number that is not kMany and can be stored.
std::uint32_t printOf(std::string_view part) {
    return static_cast<std::uint32_t>(hashed(0, part) >> 34U) + 1;
}

/// The kept parts in their order, "…" where some are missing.
std::string joined(const std::vector<std::string_view>& parts, const std::vector<bool>& isKept) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (isKept[i])
            text += parts[i];
        else if (i == 0 || isKept[i - 1])
            text += "…";
    }
    return text;
}

} // namespace

std::vector<std::string_view> TellingNames::partsOf(std::string_view name) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] != '.' && name[i] != '/' && name[i] != ':' && name[i] != '_') continue;
        parts.push_back(name.substr(start, i + 1 - start));
        start = i + 1;
    }
    if (start < name.size()) parts.push_back(name.substr(start));
    return parts;
}

void TellingNames::add(std::string_view name) {
    std::uint64_t before = 0;
    for (const std::string_view part : partsOf(name)) {
        const std::uint32_t print = printOf(part);
        const auto [next, isNew] = m_next.tryEmplace(before, print);
        if (!isNew && *next != print) *next = kMany;
        before = hashed(before, part);
    }
    // That a name ends where another goes on tells them apart as well.
    const auto [next, isNew] = m_next.tryEmplace(before, 1);
    if (!isNew && *next != 1) *next = kMany;
}

std::string TellingNames::cut(std::string_view name, FontFace face, double px, double width) const {
    if (textWidth(name, face, px) <= width) return std::string(name);
    const std::vector<std::string_view> parts = partsOf(name);
    std::vector<bool> isKept(parts.size(), false);
    std::uint64_t before = 0;
    bool isAnyTelling = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        isKept[i] = m_next.find(before) == kMany;
        isAnyTelling = isAnyTelling || isKept[i];
        before = hashed(before, parts[i]);
    }
    if (!isAnyTelling || parts.size() < 2) return elideMiddleToWidth(name, face, px, width);
    const std::string least = joined(parts, isKept);
    if (textWidth(least, face, px) > width) return elideMiddleToWidth(least, face, px, width);
    // What fits of the rest: from the end, where names say what a thing is.
    for (std::size_t i = parts.size(); i-- > 0;) {
        if (isKept[i]) continue;
        isKept[i] = true;
        if (textWidth(joined(parts, isKept), face, px) > width) isKept[i] = false;
    }
    return joined(parts, isKept);
}

} // namespace secateur
