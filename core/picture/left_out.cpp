// SPDX-License-Identifier: Apache-2.0
#include "core/picture/left_out.h"

namespace secateur {

LeftOut leftOutOf(const LayoutGraph& graph, const PictureState& state, Pane pane) {
    LeftOut out;
    out.nodes.resize(graph.nodes.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        out.nodes[n] = !isPresent(state.stateOf(n).diff, pane);
    const unsigned wanted = pane == Pane::before  ? kEdgeInBefore
                            : pane == Pane::after ? kEdgeInAfter
                                                  : unsigned{kEdgeInBefore | kEdgeInAfter};
    out.edges.resize(graph.edges.size());
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
        out.edges[e] = (state.edgeBits(e) & wanted) == 0;
    return out;
}

} // namespace secateur
