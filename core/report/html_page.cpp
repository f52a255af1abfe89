// SPDX-License-Identifier: Apache-2.0
#include "core/report/html_page.h"

#include "core/messages/sentences.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace secateur {

std::string htmlEscaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : printableLines(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string htmlText(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('`', at);
        const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
        if (close == std::string_view::npos) return out + htmlEscaped(text.substr(at));
        out += htmlEscaped(text.substr(at, open - at));
        out += "<code>" + htmlEscaped(text.substr(open + 1, close - open - 1)) + "</code>";
        at = close + 1;
    }
    return out;
}

std::string_view anchorOf(std::string_view messageId) {
    return messageId.substr(messageId.find('.') + 1);
}

std::string htmlSection(std::string_view messageId, std::string_view note, std::string_view body) {
    const std::string_view anchor = anchorOf(messageId);
    return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}{2}</h2>\n{3}\n</section>\n",
                       anchor, htmlText(message(messageId)),
                       note.empty() ? "" : " <small>" + htmlText(note) + "</small>", body);
}

std::string htmlTable(std::string_view kind, std::initializer_list<const char*> columns,
                      std::string_view rows) {
    std::string out = fmt::format("<div class=\"scroll\"><table class=\"{}\"><thead><tr>", kind);
    for (const char* id : columns)
        out += fmt::format("<th scope=\"col\">{}</th>", htmlText(message(id)));
    return out + fmt::format("</tr></thead><tbody>\n{}</tbody></table></div>", rows);
}

std::string svgDataUri(std::string_view svg) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out = "data:image/svg+xml;base64,";
    out.reserve(out.size() + (svg.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < svg.size(); at += 3) {
        std::uint32_t block = 0;
        const std::size_t count = std::min<std::size_t>(3, svg.size() - at);
        for (std::size_t i = 0; i < 3; ++i) {
            block = block << 8 | (i < count ? static_cast<unsigned char>(svg[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out += i <= count ? kDigits[block >> (18 - 6 * i) & 63U] : '=';
        }
    }
    return out;
}

std::string htmlChange(std::uint64_t before, std::uint64_t after) {
    const std::string text = changeText(before, after);
    if (text.empty()) return {};
    return fmt::format("<span class=\"delta {}\">{}</span>", after < before ? "less" : "more", text);
}

std::string changeText(std::uint64_t before, std::uint64_t after) {
    if (before == 0 || before == after) return {};
    const std::string share = formatPercent(after < before ? before - after : after - before, before);
    if (share.front() == '<') return share; // "< 0.1 %" takes no sign
    if (after < before) return "−" + share;
    // Where weights came in, thousands of percent say less than a factor.
    if (after / before >= 10) return formatCount(after / before) + " ×";
    return "+" + share;
}

std::string htmlRoleChip(std::string_view role) {
    const char letter =
        role.empty() ? '?' : static_cast<char>(std::toupper(static_cast<unsigned char>(role.front())));
    return fmt::format(
        "<span class=\"chip\" style=\"background:var(--{0});color:var(--on-{0})\" title=\"{0}\">{1}</span>",
        role, letter);
}

} // namespace secateur
