// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/document_checks.h"

#include "core/support/printable.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <vector>

namespace secateur::testing {
namespace {

std::string near(std::string_view text, std::size_t at) {
    const std::size_t from = at < 40 ? 0 : at - 40;
    return " near: " + std::string(text.substr(from, 90));
}

bool isNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ':';
}

/// Reads elements and keeps those that are open.
class MarkupReader {
  public:
    MarkupReader(std::string_view text, bool isHtml) : m_text(text), m_isHtml(isHtml) {}

    std::string fault() {
        while (m_at < m_text.size() && m_fault.empty()) {
            if (m_text[m_at] == '<')
                readTag();
            else if (m_text[m_at] == '&')
                readEntity();
            else
                ++m_at;
        }
        if (m_fault.empty() && !m_open.empty()) m_fault = "not closed: " + m_open.back();
        return m_fault;
    }

  private:
    void complain(const std::string& what) {
        if (m_fault.empty()) m_fault = what + near(m_text, m_at);
    }
    [[nodiscard]] bool starts(std::string_view with) const {
        return m_text.substr(m_at, with.size()) == with;
    }
    std::string readName() {
        std::string name;
        while (m_at < m_text.size() && isNameCharacter(m_text[m_at]))
            name += m_text[m_at++];
        return name;
    }
    void readEntity() {
        const std::size_t end = m_text.find(';', m_at);
        const std::string_view name =
            end == std::string_view::npos ? "" : m_text.substr(m_at + 1, end - m_at - 1);
        static const std::set<std::string_view> kKnown{"amp", "lt", "gt", "quot", "apos"};
        if (!kKnown.contains(name) && !name.starts_with('#')) return complain("an ampersand alone");
        m_at = end + 1;
    }
    void readTag() {
        if (starts("<!doctype html>") && m_isHtml) {
            m_at += 15;
            return;
        }
        ++m_at;
        const bool isEnd = m_at < m_text.size() && m_text[m_at] == '/';
        if (isEnd) ++m_at;
        const std::string name = readName();
        if (name.empty()) return complain("a bracket alone");
        bool isClosed = false;
        readAttributes(isClosed);
        if (!m_fault.empty()) return;
        static const std::set<std::string> kVoid{"meta", "img", "input", "source", "br"};
        if (isEnd) {
            if (m_open.empty() || m_open.back() != name) return complain("closed, but not open: " + name);
            m_open.pop_back();
        } else if (!isClosed && !(m_isHtml && kVoid.contains(name))) {
            m_open.push_back(name);
            if (name == "style" && m_isHtml) m_at = std::min(m_text.find("</style>", m_at), m_text.size());
        }
    }
    /// Up to behind the bracket that ends the tag.
    void readAttributes(bool& isClosed) {
        while (m_at < m_text.size()) {
            while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
                ++m_at;
            if (starts("/>")) isClosed = true;
            if (starts(">") || isClosed) {
                m_at += isClosed ? 2 : 1;
                return;
            }
            if (readName().empty()) return complain("no attribute");
            if (!starts("=")) {
                if (!m_isHtml) return complain("an attribute without a value");
                continue;
            }
            ++m_at;
            if (!starts("\"")) return complain("a value without quotes");
            for (++m_at; m_at < m_text.size() && m_text[m_at] != '"' && m_fault.empty();) {
                if (m_text[m_at] == '<') return complain("a bracket in a value");
                if (m_text[m_at] == '&')
                    readEntity();
                else
                    ++m_at;
            }
            ++m_at;
        }
        complain("a tag that does not end");
    }

    std::string_view m_text;
    bool m_isHtml;
    std::size_t m_at = 0;
    std::vector<std::string> m_open;
    std::string m_fault;
};

/// Bars that separate cells: those behind no backslash.
std::ptrdiff_t countBars(std::string_view line) {
    std::ptrdiff_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\')
            ++i;
        else if (line[i] == '|')
            ++bars;
    }
    return bars;
}

/// The line without its code, which is as literal as it stands; an open one is a fault.
std::string withoutCode(std::string_view line, std::string& fault) {
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '\\') {
            at += 2;
            continue;
        }
        if (line[at] != '`') {
            out += line[at++];
            continue;
        }
        const std::size_t behind = std::min(line.find_first_not_of('`', at), line.size());
        const std::size_t fence = behind - at;
        std::size_t close = behind, run = 0;
        for (; close < line.size(); close += run == 0 ? 1 : run) {
            const std::size_t end = std::min(line.find_first_not_of('`', close), line.size());
            run = end - close;
            if (run == fence) break;
        }
        if (close >= line.size()) {
            fault = "code that does not end: " + std::string(line);
            return out;
        }
        at = close + fence;
    }
    return out;
}

std::string faultOfLine(const std::string& line) {
    std::string fault;
    const std::string prose = withoutCode(line, fault);
    if (!fault.empty()) return fault;
    for (std::size_t at = prose.find('<'); at != std::string::npos; at = prose.find('<', at + 1)) {
        const std::string rest = prose.substr(at);
        const auto is = [&](const char* tag) { return rest.starts_with(tag); };
        if (!is("<br>") && !is("<details>") && !is("</details>") && !is("<summary>") && !is("</summary>") &&
            !is("<code>") && !is("</code>"))
            return "an element that is not ours: " + line;
    }
    if (prose.find("](") != std::string::npos) return "a link: " + line;
    return {};
}

} // namespace

std::string faultOfText(std::string_view text) {
    const std::string shown = printableLines(text);
    if (shown == text) return {};
    const auto at = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), shown.begin(), shown.end()).first - text.begin());
    return "not to be shown:" + near(shown, at);
}

std::string faultOfMarkup(std::string_view text, bool isHtml) {
    return MarkupReader(text, isHtml).fault();
}

std::string faultOfDot(std::string_view text) {
    constexpr std::string_view kMarks = " \n->{}[];=,._#";
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\n') return "a string over the end of a line" + near(text, at);
                if (text[at] == '\\') ++at;
            }
            if (at >= text.size()) return "a string that does not end";
            continue;
        }
        const bool isKnown = std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                             kMarks.find(text[at]) != std::string_view::npos;
        if (!isKnown) return "a character outside of strings" + near(text, at);
    }
    return {};
}

std::string faultOfMarkdown(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::ptrdiff_t cells = 0;
    bool isFenced = false;
    for (std::string line; std::getline(lines, line);) {
        const bool isFence = line.starts_with("```");
        if (isFence) isFenced = !isFenced;
        if (isFence || isFenced) continue;
        if (line.starts_with("|")) {
            const std::ptrdiff_t bars = countBars(line);
            if (cells != 0 && bars != cells) return "a row with another number of cells: " + line;
            cells = bars;
        } else {
            cells = 0;
        }
        if (std::string fault = faultOfLine(line); !fault.empty()) return fault;
    }
    return isFenced ? "a block of code that does not end" : "";
}

} // namespace secateur::testing
