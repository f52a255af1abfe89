// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace secateur {

/// Names come from files that anyone may have made. Text for people, with what a terminal or a page would
/// obey instead of showing it written out: control characters and bytes that are no UTF-8 as `\x1b`, what
/// turns the direction of writing or cannot be seen as `\u202e`. Line ends, too: a name has none.
[[nodiscard]] std::string printable(std::string_view utf8);
/// The same for text of ours that names stand in: its line ends and tabulators stay.
[[nodiscard]] std::string printableLines(std::string_view utf8);

} // namespace secateur
