// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Text as HTML: markup escaped, control characters dropped, `names` in backticks as code.
[[nodiscard]] std::string htmlText(std::string_view text);
/// Text for an attribute in double quotes, or inside an element as it is.
[[nodiscard]] std::string htmlEscaped(std::string_view text);
/// The part of a message id behind its first dot: what a section is called inside the page.
[[nodiscard]] std::string_view anchorOf(std::string_view messageId);
/// A section under its heading, which the message says; `note` stands small beside it.
[[nodiscard]] std::string htmlSection(std::string_view messageId, std::string_view note,
                                      std::string_view body);
/// A table in a box that scrolls where it is too wide; columns by message ids, `rows` are table rows.
[[nodiscard]] std::string htmlTable(std::string_view kind, std::initializer_list<const char*> columns,
                                    std::string_view rows);
/// "data:image/svg+xml;base64,..."
[[nodiscard]] std::string svgDataUri(std::string_view svg);

/// "−77 %", "+12 %", "1,200 ×"; empty where nothing changed or nothing was there before.
[[nodiscard]] std::string changeText(std::uint64_t before, std::uint64_t after);
/// The same in the colour of less or more; empty where nothing changed.
[[nodiscard]] std::string htmlChange(std::uint64_t before, std::uint64_t after);
/// The letter chip of a role in its colour.
[[nodiscard]] std::string htmlRoleChip(std::string_view role);

/// The sections of the page, each empty where it has nothing to say.
[[nodiscard]] std::string htmlCheck(const Report& report);
[[nodiscard]] std::string htmlTargets(const Report& report);
[[nodiscard]] std::string htmlRemovedTables(const Report& report);
[[nodiscard]] std::string htmlStashTable(const Report& report);
[[nodiscard]] std::string htmlWeightTable(const Report& report);
[[nodiscard]] std::string htmlSignature(const Report& report);
[[nodiscard]] std::string htmlProblems(const Report& report);

} // namespace secateur
