// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layer_band.h"

#include "core/layout/layer_improver.h"
#include "core/support/hash.h"

namespace secateur {

LayerBand bandOf(const LayerGraph& whole, std::size_t first, std::size_t last,
                 std::vector<std::uint32_t>& scratch) {
    LayerBand band;
    LayerGraph& graph = band.graph;
    scratch.resize(whole.places.size());
    graph.layers.resize(last - first + 1);
    graph.holdsFirst = first > 0 || whole.isHeld(0);
    graph.holdsLast = last + 1 < whole.layers.size() || whole.isHeld(whole.layers.size() - 1);
    for (std::size_t l = first; l <= last; ++l)
        for (const std::uint32_t p : whole.layers[l]) {
            scratch[p] = static_cast<std::uint32_t>(band.whole.size());
            graph.layers[l - first].push_back(scratch[p]);
            graph.places.push_back(whole.places[p]);
            graph.places.back().layer -= static_cast<std::uint32_t>(first);
            band.whole.push_back(p);
        }
    std::vector<std::uint32_t> weights;
    for (std::size_t l = first; l < last; ++l)
        for (const std::uint32_t p : whole.layers[l])
            for (std::uint32_t k = whole.downStart[p]; k < whole.downStart[p + 1]; ++k) {
                graph.links.push_back({scratch[p], scratch[whole.down[k]]});
                weights.push_back(whole.downWeight[k]);
            }
    graph.connect();
    // Links keep the weight that they have in the whole: lanes fork beyond the band as well.
    std::vector<std::uint32_t> down(graph.downStart.begin(), graph.downStart.end() - 1);
    std::vector<std::uint32_t> up(graph.upStart.begin(), graph.upStart.end() - 1);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        graph.downWeight[down[graph.links[k].upper]++] = weights[k];
        graph.upWeight[up[graph.links[k].lower]++] = weights[k];
    }
    return band;
}

std::uint64_t hashOf(const LayerBand& band) {
    std::uint64_t hash = structuralHash(band.graph);
    for (const std::uint32_t weight : band.graph.downWeight)
        hash = hashCombine(hash, weight);
    return hash;
}

} // namespace secateur
