// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layer_order.h"

namespace secateur {

OrderingResult orderLayersBest(LayerGraph& graph, const LayoutOptions& options) {
    return orderLayers(graph, options.sweeps);
}

} // namespace secateur
