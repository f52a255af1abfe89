// SPDX-License-Identifier: Apache-2.0
#include "core/layout/flow_depth.h"

#include <algorithm>

namespace secateur {

std::vector<std::uint32_t> flowDepths(const LayoutGraph& graph) {
    const std::size_t n = graph.nodes.size();
    std::vector<std::uint32_t> start(n + 1, 0);
    std::vector<std::uint32_t> pending(n, 0);
    for (const LayoutEdge& e : graph.edges) {
        ++start[e.from + 1];
        ++pending[e.to];
    }
    for (std::size_t i = 1; i <= n; ++i)
        start[i] += start[i - 1];
    std::vector<std::uint32_t> out(graph.edges.size());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (const LayoutEdge& e : graph.edges)
        out[next[e.from]++] = e.to;
    std::vector<std::uint32_t> depth(n, 0);
    std::vector<bool> done(n, false);
    std::vector<std::uint32_t> sequence;
    const auto emit = [&](std::uint32_t node) {
        done[node] = true;
        sequence.push_back(node);
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        if (pending[i] == 0) emit(i);
    }
    std::uint32_t scan = 0;
    for (std::size_t head = 0;; ++head) {
        if (head == sequence.size()) {
            while (scan < n && done[scan])
                ++scan;
            if (scan == n) break;
            emit(scan);
        }
        const std::uint32_t node = sequence[head];
        for (std::uint32_t k = start[node]; k < start[node + 1]; ++k) {
            if (done[out[k]]) continue;
            depth[out[k]] = std::max(depth[out[k]], depth[node] + 1);
            if (--pending[out[k]] == 0) emit(out[k]);
        }
    }
    return depth;
}

} // namespace secateur
