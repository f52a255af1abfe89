// SPDX-License-Identifier: Apache-2.0
#include "core/support/wrap.h"

#include "core/support/text.h"

#include <algorithm>
#include <vector>

namespace secateur {
namespace {

/// The column under which a long line goes on: its last one that begins in the left two thirds.
std::size_t hangingIndent(std::string_view line, std::size_t width) {
    const std::size_t leading = std::min(line.find_first_not_of(' '), line.size());
    std::size_t indent = leading + 2;
    for (std::size_t at = leading; at + 2 < std::min(line.size(), width * 2 / 3); ++at) {
        if (line[at] == ' ' && line[at + 1] == ' ' && line[at + 2] != ' ') indent = at + 2;
    }
    if (leading > width / 3) indent = leading; // a continued column
    return indent < width * 2 / 3 ? codePointStarts(line.substr(0, indent)).size() : 4;
}

void wrapLine(std::string_view line, std::size_t width, std::string& out) {
    const std::size_t indent = hangingIndent(line, width);
    std::size_t room = width;
    for (;;) {
        const std::vector<std::size_t> starts = codePointStarts(line);
        if (starts.size() <= room) break;
        // The first line has its own indent, which is no place to break.
        const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
        std::size_t space = line.rfind(' ', starts[room]);
        if (space == std::string_view::npos || space <= first) space = line.find(' ', starts[room]);
        if (space == std::string_view::npos) break;
        out += line.substr(0, space);
        line.remove_prefix(space);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.empty()) return;
        out += "\n" + std::string(indent, ' ');
        room = width - indent;
    }
    out += line;
}

} // namespace

std::string wrapped(std::string_view utf8, std::size_t width) {
    std::string out;
    for (std::size_t at = 0; at <= utf8.size();) {
        const std::size_t end = std::min(utf8.find('\n', at), utf8.size());
        wrapLine(utf8.substr(at, end - at), width, out);
        if (end < utf8.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

} // namespace secateur
