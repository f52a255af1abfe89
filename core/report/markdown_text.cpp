// SPDX-License-Identifier: Apache-2.0
#include "core/report/markdown_text.h"

#include "core/support/printable.h"

#include <algorithm>
#include <cctype>

namespace secateur {
namespace {

std::size_t longestRun(std::string_view text, char of) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == of ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// Is this underscore inside a word, where it marks nothing?
bool isInsideWord(std::string_view text, std::size_t at) {
    const auto isPart = [&](std::size_t i) { return i < text.size() && (isWord(text[i]) || text[i] == '_'); };
    return at > 0 && isPart(at - 1) && isPart(at + 1);
}

/// What would begin a block at the beginning of a line.
bool beginsBlock(std::string_view line) {
    if (line.empty()) return false;
    if (line.front() == '-' || line.front() == '+' || line.front() == '=') return true;
    const auto digits =
        std::find_if_not(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return digits != line.begin() && digits != line.end() && (*digits == '.' || *digits == ')');
}

std::string htmlCode(std::string_view name) {
    std::string out = "<code>";
    for (const char c : name) {
        const bool isPlain = isWord(c) || c == ' ' || c == '.' || c == '/' || c == ':' || c == '-';
        out += isPlain ? std::string(1, c) : "&#" + std::to_string(static_cast<int>(c)) + ";";
    }
    return out + "</code>";
}

std::string plain(std::string_view text, MarkdownPlace place) {
    constexpr std::string_view kMarkup = "\\*`#~$";
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const char next = at + 1 < text.size() ? text[at + 1] : ' ';
        const bool isLink = c == ']' && (next == '(' || next == '[' || next == ':');
        if (c == '\n')
            out += "<br>";
        else if (c == '<')
            out += "&lt;";
        else if (c == '&' && (isWord(next) || next == '#'))
            out += "&amp;";
        else if (kMarkup.find(c) != std::string_view::npos || isLink ||
                 (c == '_' && !isInsideWord(text, at)) || (c == '|' && place == MarkdownPlace::cell))
            out.append("\\").append(1, c);
        else
            out += c;
    }
    return out;
}

} // namespace

std::string markdownCode(std::string_view name, MarkdownPlace place) {
    std::string shown = printable(name);
    if (shown.empty()) return "` `";
    // Readers do not agree on what a backslash before a bar means inside of code: entities they do.
    if (place == MarkdownPlace::cell && shown.find('|') != std::string::npos) return htmlCode(shown);
    const std::string fence(longestRun(shown, '`') + 1, '`');
    // One space at either end is taken off again, so that a name may begin or end with a backtick.
    const bool isPadded =
        shown.front() == '`' || shown.back() == '`' || (shown.front() == ' ' && shown.back() == ' ');
    if (isPadded) shown = ' ' + shown + ' ';
    return fence + shown + fence;
}

std::string markdownText(std::string_view text, MarkdownPlace place) {
    const std::string shown = printableLines(text);
    std::string_view rest = shown;
    std::string out;
    if (place == MarkdownPlace::text && beginsBlock(rest)) {
        const std::size_t mark = rest.find_first_not_of("0123456789");
        out.append(rest.substr(0, mark)).append("\\").append(1, rest[mark]);
        rest.remove_prefix(mark + 1);
    }
    if (place == MarkdownPlace::text && !rest.empty() && rest.front() == '>' && out.empty()) {
        out += "&gt;";
        rest.remove_prefix(1);
    }
    for (;;) {
        const std::size_t open = rest.find('`');
        const std::size_t close = open == std::string_view::npos ? open : rest.find('`', open + 1);
        if (close == std::string_view::npos) return out + plain(rest, place);
        out += plain(rest.substr(0, open), place);
        const std::string_view name = rest.substr(open + 1, close - open - 1);
        out += name.empty() ? "\\`\\`" : markdownCode(name, place);
        rest.remove_prefix(close + 1);
    }
}

} // namespace secateur
