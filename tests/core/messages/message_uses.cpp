// SPDX-License-Identifier: Apache-2.0
#include "tests/core/messages/message_uses.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>

namespace secateur::testing {
namespace {

/// Where a literal, comment or list that starts at `at` ends (one behind its last character).
std::size_t endOfLiteral(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return std::min(at + 1, text.size());
}

/// The source with comments blanked out, so that examples in them are no uses.
std::string withoutComments(std::string_view text) {
    std::string out(text);
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            // Raw literals hold no ids; an ordinary one is skipped whole.
            at = endOfLiteral(text, at);
        } else if (text[at] == '\'') {
            at += text.substr(at + 1, 1) == "\\" ? 4 : 3;
        } else if (text.substr(at, 2) == "//") {
            for (; at < text.size() && text[at] != '\n'; ++at)
                out[at] = ' ';
        } else {
            ++at;
        }
    }
    return out;
}

/// Elements of the brace list that opens at `at`: commas at depth one, plus one, none for {}.
std::size_t elementsOf(std::string_view text, std::size_t at) {
    int depth = 0;
    std::size_t commas = 0;
    bool isEmpty = true;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            isEmpty = false;
            at = endOfLiteral(text, at) - 1;
        } else if (c == '{' || c == '(' || c == '[') {
            if (depth++ > 0) isEmpty = false;
        } else if (c == '}' || c == ')' || c == ']') {
            if (--depth == 0) break;
        } else if (c == ',' && depth == 1) {
            ++commas;
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            isEmpty = false;
        }
    }
    return isEmpty ? 0 : commas + 1;
}

/// What stands behind the id of `Reason("id"`: a list, nothing, or something that cannot be counted.
std::optional<std::size_t> argumentsBehind(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0)
        ++at;
    if (at >= text.size()) return std::nullopt;
    if (text[at] == ')' || text[at] == '}') return 0;
    if (text[at] != ',') return std::nullopt;
    ++at;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0)
        ++at;
    if (at >= text.size() || text[at] != '{') return std::nullopt;
    return elementsOf(text, at);
}

std::size_t lineOf(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
           1;
}

} // namespace

std::vector<MessageUse> messageUsesIn(std::string_view source, const std::set<std::string>& prefixes) {
    static const std::regex kId(R"(^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(\.[a-z0-9]+(-[a-z0-9]+)*)+$)");
    static const std::regex kCall(R"(\b(Reason|formatMessage|message|because)\s*[({]\s*$)");
    const std::string text = withoutComments(source);
    std::vector<MessageUse> uses;
    for (std::size_t at = text.find('"'); at < text.size();) {
        const std::size_t end = endOfLiteral(text, at);
        const std::string literal = text.substr(at + 1, end - at - 2);
        const std::size_t from = at > 60 ? at - 60 : 0;
        std::smatch call, id;
        const std::string before = text.substr(from, at - from);
        const bool isCall = std::regex_search(before, call, kCall);
        const bool isId = std::regex_match(literal, id, kId);
        if (isId && (isCall || prefixes.count(id[1].str()) > 0)) {
            const bool counts = isCall && call[1].str() != "message";
            uses.push_back({literal, lineOf(text, at), counts ? argumentsBehind(text, end) : std::nullopt});
        }
        at = text.find('"', end);
    }
    return uses;
}

std::size_t placesIn(std::string_view sentence) {
    std::size_t places = 0;
    for (std::size_t at = 0; at + 1 < sentence.size(); ++at) {
        if (sentence[at] != '{' || std::isdigit(static_cast<unsigned char>(sentence[at + 1])) == 0) continue;
        places = std::max(places,
                          static_cast<std::size_t>(std::strtoul(sentence.data() + at + 1, nullptr, 10)) + 1);
    }
    return places;
}

} // namespace secateur::testing
