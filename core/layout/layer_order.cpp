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

/// Numbers the places by layer and position: theirs may differ from block to block.
template <class AddPlace> StreamHash hashOf(const LayerGraph& graph, AddPlace&& addPlace) {
    std::vector<std::uint32_t> number(graph.places.size(), 0);
    StreamHash hash;
    std::uint32_t next = 0;
    hash.add(graph.layers.size()).add(graph.holdsFirst).add(graph.holdsLast);
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        hash.add(layer.size());
        for (const std::uint32_t place : layer) {
            number[place] = next++;
            addPlace(hash, place);
        }
    }
    hash.add(graph.links.size());
    for (const LayerGraph::Link& link : graph.links)
        hash.add(number[link.upper]).add(number[link.lower]);
    return hash;
}

std::uint64_t orderHash(const LayerGraph& graph) {
    return hashOf(graph,
                  [&](StreamHash& hash, std::uint32_t place) {
                      hash.add(graph.places[place].weight).add(graph.isVirtual(place));
                  })
        .digest();
}

} // namespace

OrderingResult OrderMemo::order(LayerGraph& graph, std::uint32_t sweeps,
                                const std::function<bool()>& isCancelled) {
    const auto [at, isNew] = m_known.try_emplace(orderHash(graph));
    const std::vector<std::vector<std::uint32_t>> given = graph.layers;
    if (!isNew) {
        const auto& positions = at->second.positions;
        for (std::size_t l = 0; l < positions.size() && l < given.size(); ++l)
            for (std::size_t i = 0; i < positions[l].size() && i < given[l].size(); ++i)
                graph.layers[l][i] = given[l][positions[l][i]];
        return {at->second.crossings, graph.places.size(), 0};
    }
    const OrderingResult result = orderLayers(graph, sweeps, isCancelled);
    std::vector<std::uint32_t> position(graph.places.size(), 0);
    at->second.crossings = result.crossings;
    for (std::size_t l = 0; l < given.size(); ++l) {
        for (std::uint32_t i = 0; i < given[l].size(); ++i)
            position[given[l][i]] = i;
        std::vector<std::uint32_t>& positions = at->second.positions.emplace_back();
        for (const std::uint32_t place : graph.layers[l])
            positions.push_back(position[place]);
    }
    return result;
}

OrderingResult orderLayersBest(LayerGraph& graph, const LayoutOptions& options, OrderMemo& memo) {
    if (options.improver == nullptr) return memo.order(graph, options.sweeps, options.isCancelled);
    const std::vector<std::vector<std::uint32_t>> given = graph.layers;
    OrderingResult result = memo.order(graph, options.sweeps, options.isCancelled);
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
    return hashOf(graph,
                  [&](StreamHash& hash, std::uint32_t place) {
                      const LayerGraph::Place& p = graph.places[place];
                      hash.add(p.left).add(p.right).add(graph.isVirtual(place));
                  })
        .digest();
}

} // namespace secateur
