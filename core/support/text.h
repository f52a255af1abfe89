// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Bytes in binary units with one decimal: "0 B", "1023 B", "2.3 MiB".
std::string formatBytes(std::uint64_t bytes);

/// A count with thousands separators: "31,423".
std::string formatCount(std::uint64_t count);

/// `part` of `whole` as a percentage: "0 %", "0.4 %", "43 %", "100 %". Never rounds to 0 or 100 what is not.
std::string formatPercent(std::uint64_t part, std::uint64_t whole);

/// Seconds in the unit that reads best: "0.4 ms", "85 ms", "1.2 s", "3 min 05 s".
std::string formatSeconds(double seconds);

/// At most `maxCharacters` code points, the middle replaced by one "…"; a cut never splits a code point.
std::string elideMiddle(std::string_view utf8, std::size_t maxCharacters);

/// More things than these are counted in a sentence, not listed.
constexpr std::size_t kMostListed = 8;
/// As a sentence lists them: "a, b, c"; of more than `most` the first ones, "a, b and 19,998 more".
std::string shortList(std::span<const std::string> parts, std::size_t most = kMostListed);
/// The same of names, in back ticks: "`a`, `b` and 19,998 more". Very long names are cut in the middle.
std::string quotedList(std::span<const std::string> names, std::size_t most = kMostListed);

/// Where each code point of `utf8` starts; a byte that is not UTF-8 counts as one code point of its own.
std::vector<std::size_t> codePointStarts(std::string_view utf8);

/// The code point at `position`, which moves behind it; U+FFFD (one byte) where the bytes are not UTF-8.
char32_t nextCodePoint(std::string_view utf8, std::size_t& position);

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`, in bytes; stops at `limit` + 1.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit);

/// The candidates most like `name`, best first, then in the order given: equal but for case, containing it
/// or contained, or few edits away. Candidates that have nothing in common with it are left out.
std::vector<std::string> nearestNames(std::string_view name, std::span<const std::string> candidates,
                                      std::size_t count = 3);

} // namespace secateur
