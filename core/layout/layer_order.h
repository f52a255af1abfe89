// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"
#include "core/layout/ordering.h"

namespace secateur {

/// Orders the layers by our own sweeps, or as an improver of the options has them where that has fewer
/// crossings.
OrderingResult orderLayersBest(LayerGraph& graph, const LayoutOptions& options);

} // namespace secateur
