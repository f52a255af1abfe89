// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

namespace secateur {

/// Chooses the forward node that each gradient node is drawn beside, by what both read: a stashed value or a
/// weight. Of several candidates the operator decides (GeluGrad beside Gelu, MatMul beside MatMul), then the
/// twin that was set before. A gradient that reads nothing of the forward half gets none, and stands where
/// its neighbours put it. Linear: values with many readers are no evidence.
void chooseTwins(LayoutGraph& graph);

} // namespace secateur
