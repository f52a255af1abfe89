// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace secateur {

/// Text with no line longer than `width` characters, for a terminal. Lines break at spaces; what continues a
/// line of a table stands under its last column, what continues another is indented. A word that is longer
/// than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view utf8, std::size_t width);

} // namespace secateur
