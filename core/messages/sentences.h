// SPDX-License-Identifier: Apache-2.0
//
// Every sentence that people read, by id. The texts stand in resources/messages/en/<area>.json, one flat
// object each, and are part of the program. A sentence has places: {0}, {1} ... are filled by the arguments
// in order, and {0|node|nodes} gives the first word where argument 0 is the number 1, the second otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// The sentence of a message id in the language of this process; the id itself, in brackets, when it is
/// unknown.
[[nodiscard]] std::string_view message(std::string_view id);
[[nodiscard]] bool hasMessage(std::string_view id);
/// All ids, sorted.
[[nodiscard]] std::vector<std::string> messageIds();

/// Fills {0}, {1} ... of the sentence with texts. A place without an argument stays as it is written.
[[nodiscard]] std::string formatMessage(std::string_view id, const std::vector<std::string>& arguments);

} // namespace secateur
