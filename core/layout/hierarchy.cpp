// SPDX-License-Identifier: Apache-2.0
#include "core/layout/hierarchy.h"

#include "core/layout/flow_depth.h"
#include "core/layout/repeated_blocks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace secateur {
namespace {

constexpr std::uint32_t kArtificialSize = 400;
constexpr std::uint32_t kFewBlobs = 20;

using Path = std::vector<std::string>;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

/// `/b.0/a/q/Gemm` -> b.0, a, q. The scope of a gradient (`Gemm_Grad`) is the scope of what it
/// differentiates.
Path pathOfNodeName(std::string_view name) {
    Path path;
    if (name.find('/') == std::string_view::npos) return path;
    std::vector<std::string_view> parts = split(name, '/');
    if (!parts.empty()) parts.pop_back();
    constexpr std::string_view kGradient = "_Grad";
    for (const std::string_view part : parts) {
        if (part.size() > kGradient.size() && part.substr(part.size() - kGradient.size()) == kGradient) break;
        path.emplace_back(part);
    }
    return path;
}

/// `b.0.a.q.weight` -> b.0, a, q: a number belongs to the part before it.
Path pathOfParameter(std::string_view name) {
    Path path;
    std::vector<std::string_view> parts = split(name, '.');
    if (!parts.empty()) parts.pop_back();
    for (const std::string_view part : parts) {
        const bool isNumber =
            std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); });
        if (isNumber && !path.empty()) {
            path.back().append(".").append(part);
        } else {
            path.emplace_back(part);
        }
    }
    return path;
}

/// Builds the tree while paths come in; groups are numbered in the order in which they are first met, parents
/// first.
class TreeBuilder {
  public:
    std::uint32_t groupOf(const Path& path) {
        std::uint32_t group = kNoIndex;
        for (const std::string& part : path)
            group = childOf(group, part);
        return group;
    }

    std::uint32_t childOf(std::uint32_t parent, const std::string& name) {
        const auto [it, isNew] = m_children.try_emplace({parent, name}, 0);
        if (!isNew) return it->second;
        const auto index = static_cast<std::uint32_t>(m_tree.groups.size());
        it->second = index;
        Group group;
        group.name = name;
        group.parent = parent;
        if (parent == kNoIndex) {
            group.title = name;
            m_tree.roots.push_back(index);
        } else {
            group.title = m_tree.groups[parent].title + "/" + name;
            group.depth = m_tree.groups[parent].depth + 1;
            m_tree.groups[parent].children.push_back(index);
        }
        m_tree.groups.push_back(std::move(group));
        return index;
    }

    Hierarchy& tree() { return m_tree; }

  private:
    Hierarchy m_tree;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_children;
};

void countNodes(Hierarchy& tree, const std::vector<std::uint32_t>& groupOf) {
    for (Group& group : tree.groups)
        group.nodeCount = 0;
    for (const std::uint32_t g : groupOf) {
        if (g != kNoIndex) ++tree.groups[g].nodeCount;
    }
    for (std::size_t g = tree.groups.size(); g-- > 0;) { // parents come before children
        const std::uint32_t parent = tree.groups[g].parent;
        if (parent != kNoIndex) tree.groups[parent].nodeCount += tree.groups[g].nodeCount;
    }
}

/// Program order of the nodes.
std::vector<std::uint32_t> programOrder(const LayoutGraph& graph) {
    std::vector<std::uint32_t> order(graph.nodes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return graph.nodes[a].order < graph.nodes[b].order;
    });
    return order;
}

/// Gives nodes without a group one of their neighbours'. A gradient asks its twin, then what it reads from
/// the forward half; all others ask their latest producer, and what is left asks its earliest reader.
class Propagation {
  public:
    Propagation(const LayoutGraph& graph, const Hierarchy& tree, std::vector<std::uint32_t>& groupOf)
        : m_graph(graph), m_tree(tree), m_groupOf(groupOf), m_depth(flowDepths(graph)),
          m_order(programOrder(graph)), m_isOwn(graph.nodes.size()) {
        std::stable_sort(m_order.begin(), m_order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return m_depth[a] < m_depth[b]; });
        for (std::size_t n = 0; n < groupOf.size(); ++n)
            m_isOwn[n] = groupOf[n] != kNoIndex;
        m_inStart.assign(graph.nodes.size() + 1, 0);
        for (const LayoutEdge& e : graph.edges)
            ++m_inStart[e.to + 1];
        for (std::size_t i = 1; i < m_inStart.size(); ++i)
            m_inStart[i] += m_inStart[i - 1];
        m_in.resize(graph.edges.size());
        std::vector<std::uint32_t> next(m_inStart.begin(), m_inStart.end() - 1);
        for (const LayoutEdge& e : graph.edges)
            m_in[next[e.to]++] = e.from;
    }

    void run() {
        for (int column = 0; column < 3; ++column) {
            if (column == 2) {
                fromProducersIn(column, true);
                fromReaders(2, true);
            }
            fromProducersIn(column, false);
            if (column == 0) fromReaders(0, false);
        }
        fromReaders(kNoIndex, false);
    }

  private:
    /// What a node without weights of its own inherits: the module around its neighbour's.
    std::uint32_t around(std::uint32_t node) const {
        const std::uint32_t g = m_groupOf[node];
        if (!m_isOwn[node] || g == kNoIndex || m_tree.groups[g].parent == kNoIndex) return g;
        return m_tree.groups[g].parent;
    }

    void fromProducersIn(int column, bool onlySameColumn) {
        for (const std::uint32_t n : m_order) {
            if (columnOf(m_graph.nodes[n].role) == column && m_groupOf[n] == kNoIndex)
                fromProducers(n, onlySameColumn);
        }
    }

    void fromProducers(std::uint32_t n, bool onlySameColumn) {
        const LayoutNode& node = m_graph.nodes[n];
        const int column = columnOf(node.role);
        if (node.twin < m_graph.nodes.size() && m_groupOf[node.twin] != kNoIndex) {
            m_groupOf[n] = m_groupOf[node.twin];
            return;
        }
        std::uint32_t best = kNoIndex;
        bool bestIsStash = false;
        for (std::uint32_t k = m_inStart[n]; k < m_inStart[n + 1]; ++k) {
            const std::uint32_t from = m_in[k];
            if (m_groupOf[from] == kNoIndex || from == n) continue;
            if (onlySameColumn && columnOf(m_graph.nodes[from].role) != column) continue;
            const bool isStash = column == 1 && columnOf(m_graph.nodes[from].role) == 0;
            const bool isLater = best == kNoIndex || m_depth[from] > m_depth[best];
            if (best == kNoIndex || (isStash && !bestIsStash) || (isStash == bestIsStash && isLater)) {
                best = from;
                bestIsStash = isStash;
            }
        }
        if (best != kNoIndex) m_groupOf[n] = around(best);
    }

    void fromReaders(std::uint32_t onlyColumn, bool onlySameColumn) {
        std::vector<std::uint32_t> outStart(m_graph.nodes.size() + 1, 0);
        for (const LayoutEdge& e : m_graph.edges)
            ++outStart[e.from + 1];
        for (std::size_t i = 1; i < outStart.size(); ++i)
            outStart[i] += outStart[i - 1];
        std::vector<std::uint32_t> out(m_graph.edges.size());
        std::vector<std::uint32_t> next(outStart.begin(), outStart.end() - 1);
        for (const LayoutEdge& e : m_graph.edges)
            out[next[e.from]++] = e.to;
        for (auto it = m_order.rbegin(); it != m_order.rend(); ++it) {
            const bool isWanted =
                onlyColumn == kNoIndex || columnOf(m_graph.nodes[*it].role) == static_cast<int>(onlyColumn);
            if (!isWanted || m_groupOf[*it] != kNoIndex) continue;
            std::uint32_t best = kNoIndex;
            for (std::uint32_t k = outStart[*it]; k < outStart[*it + 1]; ++k) {
                if (m_groupOf[out[k]] == kNoIndex) continue;
                const int column = columnOf(m_graph.nodes[out[k]].role);
                if (onlySameColumn && column != static_cast<int>(onlyColumn)) continue;
                if (best == kNoIndex || m_depth[out[k]] < m_depth[best]) best = out[k];
            }
            if (best != kNoIndex) m_groupOf[*it] = around(best);
        }
    }

    const LayoutGraph& m_graph;
    const Hierarchy& m_tree;
    std::vector<std::uint32_t>& m_groupOf;
    std::vector<std::uint32_t> m_depth;
    std::vector<std::uint32_t> m_order; ///< along the flow
    std::vector<bool> m_isOwn;
    std::vector<std::uint32_t> m_inStart;
    std::vector<std::uint32_t> m_in;
};

/// A tree that was tried: usable when it explains most of the graph and is not mostly single nodes.
struct Candidate {
    TreeBuilder builder;
    std::vector<std::uint32_t> groupOf;

    bool isUseful(const LayoutGraph& graph) {
        const Hierarchy& tree = builder.tree();
        if (tree.groups.size() < 2) return false;
        countNodes(builder.tree(), groupOf);
        std::size_t single = 0;
        std::size_t covered = 0;
        for (const Group& group : tree.groups)
            single += group.nodeCount <= 1 ? 1 : 0;
        for (const std::uint32_t g : groupOf)
            covered += g != kNoIndex ? 1 : 0;
        return single * 3 <= tree.groups.size() && covered * 2 >= graph.nodes.size();
    }
};

Candidate fromPaths(const LayoutGraph& graph, const std::vector<std::string>& names,
                    Path (*pathOf)(std::string_view)) {
    Candidate candidate;
    candidate.groupOf.assign(graph.nodes.size(), kNoIndex);
    for (const std::uint32_t n : programOrder(graph)) {
        if (n < names.size() && !names[n].empty()) {
            candidate.groupOf[n] = candidate.builder.groupOf(pathOf(names[n]));
        }
    }
    Propagation(graph, candidate.builder.tree(), candidate.groupOf).run();
    return candidate;
}

Candidate fromRepeats(const LayoutGraph& graph) {
    Candidate candidate;
    candidate.groupOf.assign(graph.nodes.size(), kNoIndex);
    std::vector<std::uint32_t> forward;
    for (const std::uint32_t n : programOrder(graph)) {
        if (columnOf(graph.nodes[n].role) == 0) forward.push_back(n);
    }
    std::vector<std::string_view> titles;
    for (const std::uint32_t n : forward)
        titles.push_back(graph.nodes[n].title);
    const std::vector<std::uint32_t> blocks = findRepeatedBlocks(titles);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i] == kNoIndex) continue;
        candidate.groupOf[forward[i]] =
            candidate.builder.childOf(kNoIndex, "#" + std::to_string(blocks[i] + 1));
    }
    Propagation(graph, candidate.builder.tree(), candidate.groupOf).run();
    return candidate;
}

/// Splits the nodes that stand directly in a group (or in none) into runs of at most kArtificialSize.
void splitLargeGroups(const LayoutGraph& graph, Candidate& candidate) {
    std::vector<std::uint32_t> direct(candidate.builder.tree().groups.size() + 1, 0);
    const auto slot = [](std::uint32_t g) { return g == kNoIndex ? 0 : g + 1; };
    for (const std::uint32_t g : candidate.groupOf)
        ++direct[slot(g)];
    std::vector<std::uint32_t> seen(direct.size(), 0);
    for (const std::uint32_t n : programOrder(graph)) {
        std::uint32_t& g = candidate.groupOf[n];
        const std::uint32_t s = slot(g);
        if (direct[s] <= kArtificialSize) continue;
        const std::uint32_t first = seen[s]++ / kArtificialSize * kArtificialSize;
        const std::uint32_t last = std::min(first + kArtificialSize, direct[s]);
        g = candidate.builder.childOf(g, "#" + std::to_string(first + 1) + "\u2013" + std::to_string(last));
    }
}

/// A group of one node says nothing that the node does not say: its node moves to the parent.
void dissolveSingles(Candidate& candidate) {
    Hierarchy& tree = candidate.builder.tree();
    countNodes(tree, candidate.groupOf);
    for (std::uint32_t& g : candidate.groupOf) {
        while (g != kNoIndex && tree.groups[g].nodeCount <= 1)
            g = tree.groups[g].parent;
    }
    // Number the groups that are left anew.
    std::vector<std::uint32_t> renamed(tree.groups.size(), kNoIndex);
    Hierarchy kept;
    for (std::uint32_t g = 0; g < tree.groups.size(); ++g) {
        if (tree.groups[g].nodeCount <= 1) continue;
        renamed[g] = static_cast<std::uint32_t>(kept.groups.size());
        Group group = tree.groups[g];
        group.children.clear();
        group.parent = group.parent == kNoIndex ? kNoIndex : renamed[group.parent];
        if (group.parent == kNoIndex) {
            kept.roots.push_back(renamed[g]);
        } else {
            kept.groups[group.parent].children.push_back(renamed[g]);
        }
        kept.groups.push_back(std::move(group));
    }
    for (std::uint32_t& g : candidate.groupOf)
        g = g == kNoIndex ? kNoIndex : renamed[g];
    tree = std::move(kept);
}

Hierarchy finish(LayoutGraph& graph, Candidate& candidate, HierarchySource source) {
    splitLargeGroups(graph, candidate);
    dissolveSingles(candidate);
    Hierarchy tree = std::move(candidate.builder.tree());
    countNodes(tree, candidate.groupOf);
    tree.source = tree.groups.empty() ? HierarchySource::none : source;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        graph.nodes[n].group = candidate.groupOf[n];
    return tree;
}

} // namespace

Hierarchy buildHierarchy(LayoutGraph& graph, const HierarchyHints& hints) {
    Candidate byName = fromPaths(graph, hints.nodeNames, pathOfNodeName);
    if (byName.isUseful(graph)) return finish(graph, byName, HierarchySource::nodeNames);
    Candidate byParameter = fromPaths(graph, hints.parameterNames, pathOfParameter);
    if (byParameter.isUseful(graph)) return finish(graph, byParameter, HierarchySource::parameterNames);
    Candidate byRepeats = fromRepeats(graph);
    if (byRepeats.isUseful(graph)) return finish(graph, byRepeats, HierarchySource::repeatedBlocks);
    Candidate artificial;
    artificial.groupOf.assign(graph.nodes.size(), kNoIndex);
    return finish(graph, artificial, HierarchySource::artificial);
}

ExpandState initialExpandState(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               std::uint32_t visibleLimit) {
    ExpandState state;
    state.open.assign(hierarchy.groups.size(), graph.nodes.size() <= visibleLimit);
    if (graph.nodes.size() <= visibleLimit) return state;
    std::uint32_t deepest = 0;
    for (const Group& group : hierarchy.groups)
        deepest = std::max(deepest, group.depth);
    const auto blobsAt = [&](std::uint32_t depth) {
        return static_cast<std::uint32_t>(
            std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(),
                          [&](const Group& group) { return group.depth == depth; }));
    };
    const auto visibleAt = [&](std::uint32_t depth) { // when all groups above `depth` are open
        std::size_t visible = blobsAt(depth);
        for (const LayoutNode& node : graph.nodes) {
            if (node.group == kNoIndex || hierarchy.groups[node.group].depth < depth) ++visible;
        }
        return visible;
    };
    for (std::uint32_t depth = 0; depth < deepest && blobsAt(depth) < kFewBlobs; ++depth) {
        if (visibleAt(depth + 1) > visibleLimit) break;
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
            if (hierarchy.groups[g].depth == depth) state.open[g] = true;
        }
    }
    return state;
}

} // namespace secateur
