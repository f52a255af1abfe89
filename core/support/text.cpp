// SPDX-License-Identifier: Apache-2.0
#include "core/support/text.h"

#include "core/messages/sentences.h"
#include "core/support/most_counted.h"
#include "core/support/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {

std::string formatBytes(std::uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} B", bytes);
    static constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = static_cast<double>(bytes) / 1024.0;
    std::size_t unit = 0;
    // 1023.95 would be printed as "1024.0": that is one of the next unit.
    while (amount >= 1023.95 && unit + 1 < kUnits.size()) {
        amount /= 1024.0;
        ++unit;
    }
    return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string formatCount(std::uint64_t count) {
    if (count >= kMostCounted) return std::string(message("text.most-counted"));
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string formatPercent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0 || part == 0) return "0 %";
    if (part == whole) return "100 %";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent < 0.1) return "< 0.1 %";
    if (percent < 9.95) return fmt::format("{:.1f} %", percent);
    if (percent < 100.0 && percent >= 99.5) return fmt::format("{:.1f} %", std::min(percent, 99.9));
    return fmt::format("{:.0f} %", percent);
}

std::string formatSeconds(double seconds) {
    if (seconds > 0 && seconds < 0.000095)
        return fmt::format("{:.{}f} µs", seconds * 1e6, seconds < 1e-5 ? 1 : 0);
    if (seconds < 0.00995) return fmt::format("{:.1f} ms", seconds * 1e3);
    if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
    if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string shortList(std::span<const std::string> parts, std::size_t most) {
    std::string text;
    for (const std::string& part : parts.first(std::min(most, parts.size())))
        text.append(text.empty() ? "" : ", ").append(part);
    if (parts.size() <= most) return text;
    const std::string more = formatCount(parts.size() - most);
    return text.empty() ? more : formatMessage("text.and-more", {text, more});
}

std::string quotedList(std::span<const std::string> names, std::size_t most) {
    constexpr std::size_t kLongestName = 200;
    std::vector<std::string> shown;
    for (const std::string& name : names.first(std::min(most, names.size())))
        shown.push_back("`" + elideMiddle(printable(name), kLongestName) + "`");
    shown.resize(names.size()); // those that are only counted
    return shortList(shown, most);
}

char32_t nextCodePoint(std::string_view utf8, std::size_t& position) {
    const auto byteAt = [&](std::size_t at) { return static_cast<unsigned char>(utf8[at]); };
    const unsigned char lead = byteAt(position);
    std::size_t length = 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        length = 4;
    if (length == 1 || position + length > utf8.size()) {
        ++position;
        return lead < 0x80 ? char32_t{lead} : char32_t{0xFFFD};
    }
    char32_t code = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byteAt(position + i) & 0xC0) != 0x80) {
            ++position;
            return 0xFFFD;
        }
        code = (code << 6) | (byteAt(position + i) & 0x3Fu);
    }
    const bool tooLong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (tooLong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        ++position;
        return 0xFFFD;
    }
    position += length;
    return code;
}

std::vector<std::size_t> codePointStarts(std::string_view utf8) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < utf8.size();) {
        starts.push_back(at);
        nextCodePoint(utf8, at);
    }
    return starts;
}

std::string elideMiddle(std::string_view utf8, std::size_t maxCharacters) {
    const std::vector<std::size_t> starts = codePointStarts(utf8);
    if (starts.size() <= maxCharacters) return std::string(utf8);
    if (maxCharacters == 0) return {};
    const std::size_t kept = maxCharacters - 1;
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail = kept - head;
    std::string result(utf8.substr(0, starts[head]));
    result += "…";
    if (tail > 0) result += utf8.substr(starts[starts.size() - tail]);
    return result;
}

std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (gap > limit) return limit + 1;
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        std::size_t smallest = row[0];
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
            smallest = std::min(smallest, row[j]);
        }
        if (smallest > limit) return limit + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return std::min(last[b.size()], limit + 1);
}

namespace {

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

} // namespace

std::vector<std::string> nearestNames(std::string_view name, std::span<const std::string> candidates,
                                      std::size_t count) {
    struct Scored {
        std::size_t score;
        std::size_t index;
    };
    const std::string wanted = lowered(name);
    if (wanted.empty()) return {};
    const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
    std::vector<Scored> found;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].empty()) continue;
        const std::string candidate = lowered(candidates[i]);
        std::size_t score = editDistance(wanted, candidate, limit);
        // One inside the other is a likely slip too (a missing prefix), but only for more than a letter or
        // two.
        const bool contains =
            std::min(wanted.size(), candidate.size()) >= 3 &&
            (candidate.find(wanted) != std::string::npos || wanted.find(candidate) != std::string::npos);
        if (score > limit && !contains) continue;
        found.push_back({score, i});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Scored& a, const Scored& b) { return a.score < b.score; });
    std::vector<std::string> names;
    for (const Scored& one : found) {
        if (names.size() == count) break;
        if (std::find(names.begin(), names.end(), candidates[one.index]) == names.end())
            names.push_back(candidates[one.index]);
    }
    return names;
}

} // namespace secateur
