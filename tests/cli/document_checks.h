// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace secateur::testing {

// What is wrong with a document of its format, in words; empty: nothing. Small readers of our own, as strict
// as the formats are.

/// Not UTF-8, or with characters that a terminal or a page would obey: controls, turns of direction.
[[nodiscard]] std::string faultOfText(std::string_view text);
/// Not well-formed XML; with `isHtml`, the elements of HTML that are never closed are none of it.
[[nodiscard]] std::string faultOfMarkup(std::string_view text, bool isHtml);
/// Not a graph for Graphviz: strings that do not end, characters outside of strings that mean nothing there.
[[nodiscard]] std::string faultOfDot(std::string_view text);
/// Tables with rows of another number of cells than their head, elements that are not ours, open code.
[[nodiscard]] std::string faultOfMarkdown(std::string_view text);

} // namespace secateur::testing
