// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace secateur {

/// A number with four digits, small ones with two and a power of ten: "0.12", "3.0e-07".
[[nodiscard]] std::string roundedNumber(double number);

/// The last line that says something: programs complain of the machine before it.
[[nodiscard]] std::string lastLine(std::string_view text);

} // namespace secateur
