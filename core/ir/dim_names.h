// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace secateur {

/// Does the symbol name a dimension? Exporters write "?" and "None" where they know nothing.
[[nodiscard]] inline bool isNamedDim(std::string_view symbol) {
    return !symbol.empty() && symbol != "?" && symbol != "None";
}

} // namespace secateur
