// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace secateur {

/// A number for JSON, which has no NaN and no infinity: these are the texts "nan", "inf" and "-inf". `Json`
/// is the type of the values of a JSON library.
template <class Json> [[nodiscard]] Json jsonNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

} // namespace secateur
