// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ordering.h"

#include <algorithm>
#include <numeric>

namespace secateur {
namespace {

void fill(std::vector<std::uint32_t>& start, std::vector<std::uint32_t>& list, std::size_t count,
          const std::vector<LayerGraph::Link>& links, bool byUpper) {
    start.assign(count + 1, 0);
    for (const LayerGraph::Link& link : links)
        ++start[(byUpper ? link.upper : link.lower) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    list.resize(links.size());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (const LayerGraph::Link& link : links) {
        list[next[byUpper ? link.upper : link.lower]++] = byUpper ? link.lower : link.upper;
    }
}

/// Inversions among the lower ends of links taken from left to right, counted with a Fenwick tree.
std::uint64_t crossingsBelow(const LayerGraph& graph, std::uint32_t layer,
                             const std::vector<std::uint32_t>& position, std::vector<std::uint64_t>& tree) {
    const std::size_t width = graph.layers[layer + 1].size();
    tree.assign(width + 1, 0);
    std::uint64_t crossings = 0;
    std::uint64_t added = 0;
    for (const std::uint32_t place : graph.layers[layer]) {
        const std::uint32_t begin = graph.downStart[place], end = graph.downStart[place + 1];
        for (std::uint32_t k = begin; k < end; ++k) {
            std::uint64_t notRight = 0;
            for (std::uint32_t i = position[graph.down[k]] + 1; i > 0; i -= i & (~i + 1))
                notRight += tree[i];
            crossings += (added - notRight) * graph.downWeight[k];
        }
        for (std::uint32_t k = begin; k < end; ++k) {
            for (std::uint32_t i = position[graph.down[k]] + 1; i <= width; i += i & (~i + 1))
                tree[i] += graph.downWeight[k];
            added += graph.downWeight[k];
        }
    }
    return crossings;
}

} // namespace

void LayerGraph::connect() {
    fill(downStart, down, places.size(), links, true);
    fill(upStart, up, places.size(), links, false);
    reachUp.assign(places.size(), 0);
    reachDown.assign(places.size(), 0);
    for (const std::vector<std::uint32_t>& layer : layers) {
        for (const std::uint32_t p : layer) {
            for (std::uint32_t k = upStart[p]; k < upStart[p + 1]; ++k) {
                reachUp[p] = std::max(reachUp[p], reachUp[up[k]]);
            }
            reachUp[p] += places[p].weight;
        }
    }
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        for (const std::uint32_t p : *layer) {
            for (std::uint32_t k = downStart[p]; k < downStart[p + 1]; ++k) {
                reachDown[p] = std::max(reachDown[p], reachDown[down[k]]);
            }
            reachDown[p] += places[p].weight;
        }
    }
    weighLinks();
}

/// A lane that forks below (or above) stands for as many edges as its branches do.
void LayerGraph::weighLinks() {
    std::vector<std::uint32_t> weight(links.size(), 1); // by position in `down`
    std::vector<std::uint32_t> downOfUp(links.size());  // by position in `up`: the same link in `down`
    std::vector<std::uint32_t> next(upStart.begin(), upStart.end() - 1);
    std::vector<std::uint32_t> nextDown(downStart.begin(), downStart.end() - 1);
    for (const Link& link : links)
        downOfUp[next[link.lower]++] = nextDown[link.upper]++;
    const auto sum = [&](std::uint32_t p, bool isDown) {
        std::uint32_t edges = 0;
        if (isDown)
            for (std::uint32_t k = downStart[p]; k < downStart[p + 1]; ++k)
                edges += weight[k];
        else
            for (std::uint32_t k = upStart[p]; k < upStart[p + 1]; ++k)
                edges += weight[downOfUp[k]];
        return edges;
    };
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
        for (const std::uint32_t p : *layer)
            if (isVirtual(p) && upStart[p + 1] - upStart[p] == 1)
                weight[downOfUp[upStart[p]]] = std::max(1U, sum(p, true));
    for (const std::vector<std::uint32_t>& layer : layers)
        for (const std::uint32_t p : layer)
            if (isVirtual(p) && downStart[p + 1] - downStart[p] == 1)
                weight[downStart[p]] = std::max(weight[downStart[p]], sum(p, false));
    downWeight = std::move(weight);
    upWeight.resize(links.size());
    for (std::size_t k = 0; k < links.size(); ++k)
        upWeight[k] = downWeight[downOfUp[k]];
}

std::uint64_t countCrossings(const LayerGraph& graph) {
    std::vector<std::uint32_t> position(graph.places.size());
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        for (std::uint32_t i = 0; i < layer.size(); ++i)
            position[layer[i]] = i;
    }
    std::uint64_t crossings = 0;
    std::vector<std::uint64_t> tree;
    for (std::uint32_t l = 0; l + 1 < graph.layers.size(); ++l)
        crossings += crossingsBelow(graph, l, position, tree);
    return crossings;
}

} // namespace secateur
