// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/record.h"

namespace secateur {

std::string_view exactnessName(Exactness exactness) {
    switch (exactness) {
    case Exactness::exact: return "exact";
    case Exactness::value: return "value";
    case Exactness::approximate: return "approximate";
    case Exactness::conversion: return "conversion";
    }
    return "exact";
}

char exactnessLetter(Exactness exactness) {
    switch (exactness) {
    case Exactness::exact: return 'E';
    case Exactness::value: return 'V';
    case Exactness::approximate: return 'A';
    case Exactness::conversion: return 'C';
    }
    return 'E';
}

} // namespace secateur
