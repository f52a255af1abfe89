// SPDX-License-Identifier: Apache-2.0
#include "core/support/short_text.h"

#include <fmt/format.h>

#include <cmath>

namespace secateur {

std::string roundedNumber(double number) {
    constexpr double kSmall = 1e-3;
    if (number != 0 && std::abs(number) < kSmall) return fmt::format("{:.1e}", number);
    return fmt::format("{:.4g}", number);
}

std::string lastLine(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    const std::size_t line = text.rfind('\n');
    return std::string(line == std::string_view::npos ? text : text.substr(line + 1));
}

} // namespace secateur
