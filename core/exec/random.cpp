// SPDX-License-Identifier: Apache-2.0
#include "core/exec/random.h"

#include <cmath>
#include <numbers>

namespace secateur {

double RandomStream::normal() {
    if (m_hasSpare) {
        m_hasSpare = false;
        return m_spare;
    }
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    m_spare = radius * std::sin(angle);
    m_hasSpare = true;
    return radius * std::cos(angle);
}

std::uint64_t mixSeed(std::uint64_t base, std::uint64_t number) {
    RandomStream stream(base ^ (number * 0xD1342543DE82EF95U + 1));
    return stream.next();
}

} // namespace secateur
