// SPDX-License-Identifier: Apache-2.0
#include "ui/outline/outline_tree.h"

#include <algorithm>
#include <numeric>

namespace secateur {

namespace {

constexpr std::uint64_t kUnplaced = UINT64_MAX;

} // namespace

OutlineTree::OutlineTree(const LayoutGraph& graph, const Hierarchy& hierarchy)
    : m_groups(static_cast<std::uint32_t>(hierarchy.groups.size())),
      m_nodes(static_cast<std::uint32_t>(graph.nodes.size())),
      m_folded(static_cast<std::uint32_t>(graph.folded.size())) {
    m_parent.assign(size(), kRoot);
    // The smallest goes first. Forward nodes count by their order; all others behind every one of those.
    std::vector<std::uint64_t> order(size(), kUnplaced);
    const std::uint64_t behind = std::uint64_t{1} << 32;
    for (std::uint32_t g = 0; g < m_groups; ++g)
        m_parent[g] = hierarchy.groups[g].parent;
    for (std::uint32_t n = 0; n < m_nodes; ++n) {
        const LayoutNode& node = graph.nodes[n];
        if (node.group < m_groups) m_parent[ofNode(n)] = node.group;
        // What a step made stands where the first of the nodes stood that it replaces.
        const std::uint32_t place =
            node.replaces.empty() ? node.order : graph.nodes[node.replaces.front()].order;
        order[ofNode(n)] = columnOf(node.role) == 0 ? place : behind + place;
    }
    for (std::uint32_t f = 0; f < m_folded; ++f) {
        m_hosts.push_back(graph.folded[f].host);
        m_parent[ofFolded(f)] = ofNode(graph.folded[f].host);
        order[ofFolded(f)] = f;
    }
    // A group stands where the last of its forward nodes does, one without any where its first node does.
    const auto take = [&](Entry group, std::uint64_t place) {
        std::uint64_t& own = order[group];
        if (own == kUnplaced)
            own = place;
        else if (place < behind)
            own = own < behind ? std::max(own, place) : place;
        else if (own >= behind)
            own = std::min(own, place);
    };
    for (std::uint32_t n = 0; n < m_nodes; ++n)
        if (const Entry group = m_parent[ofNode(n)]; group != kRoot) take(group, order[ofNode(n)]);
    // Parents come before their children in the list of groups.
    for (std::uint32_t g = m_groups; g-- > 0;)
        if (m_parent[g] != kRoot && order[g] != kUnplaced) take(m_parent[g], order[g]);

    m_start.assign(size() + 2, 0);
    for (Entry e = 0; e < size(); ++e)
        ++m_start[slot(m_parent[e]) + 1];
    std::partial_sum(m_start.begin(), m_start.end(), m_start.begin());
    m_children.resize(size());
    std::vector<std::uint32_t> next(m_start.begin(), m_start.end() - 1);
    for (Entry e = 0; e < size(); ++e)
        m_children[next[slot(m_parent[e])]++] = e;
    m_row.resize(size());
    for (std::size_t p = 0; p + 1 < m_start.size(); ++p) {
        const auto first = m_children.begin() + m_start[p], last = m_children.begin() + m_start[p + 1];
        std::stable_sort(first, last, [&](Entry a, Entry b) { return order[a] < order[b]; });
        for (auto at = first; at != last; ++at)
            m_row[*at] = static_cast<std::uint32_t>(at - first);
    }
}

std::uint32_t OutlineTree::nodeOf(Entry entry) const {
    return isFolded(entry) ? m_hosts[foldedOf(entry)] : entry - m_groups;
}

std::uint32_t OutlineTree::childCount(Entry parent) const {
    if (m_start.empty()) return 0;
    return m_start[slot(parent) + 1] - m_start[slot(parent)];
}

OutlineTree::Entry OutlineTree::child(Entry parent, std::uint32_t row) const {
    return m_children[m_start[slot(parent)] + row];
}

} // namespace secateur
