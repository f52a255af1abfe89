// SPDX-License-Identifier: Apache-2.0
//
// Names in a Markdown document (GitHub's dialect). Anyone may have made the names: none of them ends a table,
// a code span or a heading, or becomes markup.
#pragma once

#include <string>
#include <string_view>

namespace secateur {

/// Where a text stands: in a table, bars end its cell even inside of code.
enum class MarkdownPlace { text, cell };

/// A name as code, in one line; characters that cannot be seen are written out.
[[nodiscard]] std::string markdownCode(std::string_view name, MarkdownPlace place = MarkdownPlace::text);
/// A sentence in which names stand in backticks. Markup in the rest is escaped; line ends become breaks.
[[nodiscard]] std::string markdownText(std::string_view text, MarkdownPlace place = MarkdownPlace::text);

} // namespace secateur
