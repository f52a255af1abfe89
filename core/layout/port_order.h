// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/column_layout.h"

#include <array>
#include <vector>

namespace secateur {

using ContainerColumns = std::array<ColumnGraph, kColumnCount>;

/// Lets every container and what stands around it agree on the order of the values that pass its border: each
/// was ordered by itself, so that values that leave one side by side may enter the next crosswise. Along the
/// flow and back, a block whose border has crossings is ordered anew between its surroundings, and keeps the
/// order that has fewest crossings in all. Linear in places and links. `columns`: by container.
void agreeOnPorts(layout_plan::Plan& plan, std::vector<ContainerColumns>& columns, OrderMemo& memo);

} // namespace secateur
