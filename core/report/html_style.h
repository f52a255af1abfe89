// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace secateur {

/// The style sheet of the report page: the colours of the window's themes as variables, light, dark and for
/// paper.
[[nodiscard]] std::string reportStyleSheet();

} // namespace secateur
