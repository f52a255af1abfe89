// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace secateur {

/// What the desktop portal says of a preference for dark windows; none without a portal, a preference or an
/// answer within 200 ms. Qt 6.4 has no call of its own for this.
[[nodiscard]] std::optional<bool> desktopPrefersDark();
/// Whether the desktop is set to show no animations, as far as its portal says so within 200 ms. Asked once.
[[nodiscard]] bool desktopReducesMotion();

} // namespace secateur
