// SPDX-License-Identifier: Apache-2.0
#include "core/picture/left_out.h"

#include "core/picture/edges.h"

namespace secateur {

LeftOut leftOutOf(const LayoutGraph& graph, const PictureState& state, Pane pane) {
    LeftOut out;
    out.nodes.resize(graph.nodes.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        out.nodes[n] = !isPresent(state.stateOf(n).diff, pane);
    out.edges.resize(graph.edges.size());
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
        out.edges[e] = !isEdgeInPane(state.edgeBits(e), pane);
    return out;
}

} // namespace secateur
