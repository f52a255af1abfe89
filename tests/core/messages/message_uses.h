// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

/// A place in our sources that names a sentence.
struct MessageUse {
    std::string id;
    std::size_t line = 0;
    std::optional<std::size_t> arguments; ///< how many are handed over, where the source says it
};

/// All uses of message ids in a C++ source: the first literal of every `Reason`, `message`, `formatMessage`
/// and the like, and every other literal of the form `prefix.word.word` whose prefix is one of `prefixes`.
std::vector<MessageUse> messageUsesIn(std::string_view source, const std::set<std::string>& prefixes);

/// The number of arguments that a sentence needs: its highest place plus one.
std::size_t placesIn(std::string_view sentence);

} // namespace secateur::testing
