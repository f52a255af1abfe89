// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"

namespace secateur {

/// The picture at `part` (0 to 1) of the way from one layout to another with the same boxes: boxes stand
/// where LayoutMoves says, edges run as at the end of the way and follow their boxes. Linear in boxes and
/// edges.
[[nodiscard]] Layout movingLayout(const Layout& from, const Layout& to, double part);

} // namespace secateur
