// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

#include <cstdint>

namespace secateur {

/// Makes the visible graph, the tree of containers and the units of a plan. An open group becomes a container
/// where it is one of several blocks, or where what is around it is too much to be laid out in one piece (400
/// boxes in a column); all other open groups are only framed. Linear.
void makeContainers(layout_plan::Plan& plan);

/// The innermost container that both hold.
[[nodiscard]] std::uint32_t commonContainer(const layout_plan::Plan& plan, std::uint32_t a, std::uint32_t b);

/// The unit of `container` that a box stands in: itself, or the part of a child container. kNoIndex when it
/// is hidden or stands elsewhere.
[[nodiscard]] std::uint32_t unitAround(const layout_plan::Plan& plan, std::uint32_t container,
                                       std::uint32_t item);

} // namespace secateur
