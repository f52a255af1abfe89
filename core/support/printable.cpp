// SPDX-License-Identifier: Apache-2.0
#include "core/support/printable.h"

#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace secateur {
namespace {

bool isControl(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/// Marks, embeddings, overrides and isolates of direction; separators of lines; what has no width; codes that
/// are no characters, which no page may hold.
bool isUnseen(char32_t c) {
    const bool isNoCharacter = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
    return isNoCharacter || c == 0x061C || c == 0x200B || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xE0000 && c <= 0xE007F);
}

std::string escaped(std::string_view utf8, std::string_view kept) {
    const auto isPlain = [](char c) { return c >= 0x20 && c < 0x7F; };
    if (std::all_of(utf8.begin(), utf8.end(), isPlain)) return std::string(utf8);
    std::string out;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t begin = at;
        const char32_t c = nextCodePoint(utf8, at);
        const auto first = static_cast<unsigned char>(utf8[begin]);
        const bool isBroken = first >= 0x80 && at == begin + 1;
        if (isBroken)
            out += fmt::format("\\x{:02x}", first);
        else if (c < 0x80 && kept.find(static_cast<char>(c)) != std::string_view::npos)
            out += static_cast<char>(c);
        else if (isControl(c))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else if (isUnseen(c))
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += utf8.substr(begin, at - begin);
    }
    return out;
}

} // namespace

std::string printable(std::string_view utf8) {
    return escaped(utf8, {});
}

std::string printableLines(std::string_view utf8) {
    return escaped(utf8, "\n\t");
}

} // namespace secateur
