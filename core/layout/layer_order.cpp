// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layer_order.h"

#include "core/layout/layer_improver.h"
#include "core/support/hash.h"

#include <utility>

namespace secateur {
namespace {

/// Whether `order` holds the places of the graph, each in its layer.
bool isOrderOf(const LayerGraph& graph, const std::vector<std::vector<std::uint32_t>>& order) {
    if (order.size() != graph.layers.size()) return false;
    std::vector<bool> seen(graph.places.size(), false);
    for (std::uint32_t l = 0; l < order.size(); ++l) {
        if (order[l].size() != graph.layers[l].size()) return false;
        for (const std::uint32_t place : order[l]) {
            if (place >= seen.size() || seen[place] || graph.places[place].layer != l) return false;
            seen[place] = true;
        }
    }
    return true;
}

} // namespace

OrderingResult orderLayersBest(LayerGraph& graph, const LayoutOptions& options) {
    OrderingResult result;
    if (options.improver == nullptr) return orderLayers(graph, options.sweeps);
    const std::vector<std::vector<std::uint32_t>> given = graph.layers;
    result = orderLayers(graph, options.sweeps);
    if (result.crossings == 0) return result;
    std::vector<std::vector<std::uint32_t>> own = given;
    own.swap(graph.layers); // the improver sees what we were given
    std::vector<std::vector<std::uint32_t>> other = options.improver->orderOf(graph);
    if (isOrderOf(graph, other)) {
        graph.layers = std::move(other);
        if (const std::uint64_t crossings = countCrossings(graph); crossings < result.crossings) {
            result.crossings = crossings;
            return result;
        }
    }
    graph.layers.swap(own);
    return result;
}

std::uint64_t structuralHash(const LayerGraph& graph) {
    // Places by layer and position: their numbers may differ from block to block.
    std::vector<std::uint32_t> number(graph.places.size(), 0);
    StreamHash hash;
    std::uint32_t next = 0;
    hash.add(graph.layers.size());
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        hash.add(layer.size());
        for (const std::uint32_t place : layer) {
            number[place] = next++;
            hash.add(graph.places[place].left).add(graph.places[place].right).add(graph.isVirtual(place));
        }
    }
    hash.add(graph.links.size());
    for (const LayerGraph::Link& link : graph.links)
        hash.add(number[link.upper]).add(number[link.lower]);
    return hash.digest();
}

} // namespace secateur
