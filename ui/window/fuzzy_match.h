// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <optional>

namespace secateur {

/// How well a text answers what was typed; more is better, none: not at all. Each word of the query must be
/// found as letters in order, case ignored; beginnings of words and letters side by side count most.
[[nodiscard]] std::optional<int> fuzzyScore(const QString& query, const QString& text);

} // namespace secateur
