// SPDX-License-Identifier: Apache-2.0
#include "tests/project/sentence_rules.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace secateur::testing {

namespace {

struct Literal {
    std::size_t begin = 0, end = 0; ///< in the file, quotes included
    std::string text;
};

/// The code of a file without its comments, and the literals in it. Raw literals (pages, styles) and
/// characters are blanked out: lengths and lines stay.
struct Code {
    std::string bare; ///< literals blanked, too
    std::vector<Literal> literals;
};

bool startsAt(std::string_view text, std::size_t at, std::string_view with) {
    return text.substr(at, with.size()) == with;
}

std::size_t endOfRaw(std::string_view text, std::size_t at) {
    const std::size_t open = std::min(text.find('(', at), text.size());
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
}

std::size_t endOfQuoted(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
        if (text[at] == '\\') ++at;
    return std::min(at + 1, text.size());
}

bool isDigitSeparator(std::string_view text, std::size_t at) {
    return at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1])) != 0;
}

Code codeOf(std::string_view text) {
    Code code;
    code.bare = text;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (code.bare[i] != '\n') code.bare[i] = ' ';
        return to;
    };
    for (std::size_t at = 0; at < text.size();) {
        if (startsAt(text, at, "R\"")) {
            at = blank(at, endOfRaw(text, at));
        } else if (startsAt(text, at, "//")) {
            at = blank(at, std::min(text.find('\n', at), text.size()));
        } else if (startsAt(text, at, "/*")) {
            at = blank(at, std::min(text.find("*/", at), text.size() - 2) + 2);
        } else if (text[at] == '"') {
            const std::size_t end = endOfQuoted(text, at);
            code.literals.push_back({at, end, std::string(text.substr(at + 1, end - at - 2))});
            at = blank(at, end);
        } else if (text[at] == '\'' && !isDigitSeparator(text, at)) {
            at = blank(at, endOfQuoted(text, at));
        } else {
            ++at;
        }
    }
    return code;
}

/// Behind the bracket that closes the one at `at`.
std::size_t endOfBrackets(std::string_view bare, std::size_t at) {
    int depth = 0;
    for (; at < bare.size(); ++at) {
        const char c = bare[at];
        if (c == '(' || c == '{' || c == '[') ++depth;
        if ((c == ')' || c == '}' || c == ']') && --depth == 0) return at + 1;
    }
    return bare.size();
}

struct Range {
    std::size_t begin = 0, end = 0;
};

/// The brackets behind each match of `call`, which ends with the one that opens.
std::vector<Range> bracketsBehind(const std::string& bare, const std::regex& call) {
    std::vector<Range> ranges;
    for (std::sregex_iterator at(bare.begin(), bare.end(), call), end; at != end; ++at) {
        const auto open = static_cast<std::size_t>(at->position() + at->length() - 1);
        ranges.push_back({open, endOfBrackets(bare, open)});
    }
    return ranges;
}

bool isIn(const Literal& literal, const std::vector<Range>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
        return literal.begin >= range.begin && literal.end <= range.end;
    });
}

/// Two words, or a word beside a place of a format.
bool hasWords(const std::string& text) {
    static const std::regex kWords(R"([A-Za-z,;:.)'`]\s+[A-Za-z{(`'])");
    return std::regex_search(text, kWords);
}

/// At least three words, one of them a small word that only sentences have. Markup is none.
bool isSentence(const std::string& text) {
    static const std::set<std::string> kSmallWords{
        "an",  "and", "are", "be", "cannot", "for", "has",  "have", "in",  "is",    "it",
        "its", "no",  "not", "of", "that",   "the", "this", "to",   "was", "which", "with"};
    if (text.find('<') != std::string::npos || text.find("{{") != std::string::npos) return false;
    std::istringstream words(text);
    std::size_t count = 0, small = 0;
    for (std::string word; words >> word;) {
        while (!word.empty() && std::ispunct(static_cast<unsigned char>(word.back())) != 0)
            word.pop_back();
        if (word.empty()) continue;
        ++count;
        small += kSmallWords.count(word);
    }
    return count >= 3 && small > 0;
}

bool startsWith(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

} // namespace

std::vector<std::string> sentenceViolations(const SourceFile& file) {
    std::vector<std::string> found;
    // The descriptions of options stand where the options are made: CLI11 wants them there.
    const bool isStrict = startsWith(file.path, "core/") || startsWith(file.path, "ui/");
    if (!isStrict && !startsWith(file.path, "app/")) return found;
    if (!file.path.ends_with(".cpp") && !file.path.ends_with(".h")) return found;
    static const std::regex kMakers(
        R"(\b(?:invalidInput|usageError|missingHere)\s*\(|\b(?:Error|Problem)\s*[({]|\{(?=\s*(?:Problem::Severity|ErrorCode)::))");
    static const std::regex kAsserts(R"(\b(?:static_)?assert\s*\()");
    const Code code = codeOf(file.text);
    const auto makers = bracketsBehind(code.bare, kMakers), asserts = bracketsBehind(code.bare, kAsserts);
    for (const Literal& literal : code.literals) {
        const bool isShown = isIn(literal, makers) && hasWords(literal.text);
        if (!isShown && !(isStrict && isSentence(literal.text))) continue;
        if (isIn(literal, asserts)) continue;
        const auto line = std::count(file.text.begin(),
                                     file.text.begin() + static_cast<std::ptrdiff_t>(literal.begin), '\n');
        found.push_back(file.path + ":" + std::to_string(line + 1) +
                        ": a sentence belongs into resources/messages: \"" + literal.text + "\"");
    }
    return found;
}

} // namespace secateur::testing
