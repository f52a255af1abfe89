// SPDX-License-Identifier: Apache-2.0
#include "core/layout/group_draft.h"

#include "core/layout/group_propagation.h"
#include "core/support/printable.h"

#include <algorithm>
#include <string_view>

namespace secateur {
namespace {

constexpr std::uint32_t kFewestNodes = 4; ///< in a group that is worth a box
constexpr std::uint32_t kMostLevels = 4;  ///< double-clicks to the innermost node
constexpr std::uint32_t kArtificialSize = 400;
constexpr std::size_t kMostFreeEnds = 32; ///< inputs, and outputs, that stand in no group
constexpr std::size_t kLongSeries = 64;   ///< groups side by side that are not put together
constexpr std::size_t kSeriesGroups = 24; ///< that a longer series is put into

/// A run of nodes that stand directly in one group: `leader` for each, and how many follow it.
class Splitter {
  public:
    Splitter(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes, GroupDraft& draft)
        : m_graph(graph), m_homes(homes), m_draft(draft) {}

    void run() {
        const std::size_t groups = m_draft.groups.size();
        std::vector<std::vector<std::uint32_t>> members(groups + 1); // the last: in no group
        for (const std::uint32_t n : programOrder(m_graph))
            members[std::min<std::size_t>(m_draft.groupOf[n], groups)].push_back(n);
        for (std::uint32_t g = 0; g < members.size(); ++g)
            if (members[g].size() > kArtificialSize) split(g < groups ? g : kNoIndex, members[g]);
    }

  private:
    void split(std::uint32_t group, const std::vector<std::uint32_t>& members) {
        const std::vector<std::uint32_t> leader = leadersOf(group, members);
        std::vector<std::uint32_t> followers(members.size(), 0);
        for (const std::uint32_t l : leader)
            ++followers[l];
        std::vector<std::uint32_t> runOf(members.size(), 0); // by leader: first member of its run
        std::uint32_t first = 0, size = 0;
        std::vector<std::uint32_t> starts, sizes;
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            if (followers[i] == 0) continue;
            if (starts.empty() || size + followers[i] > kArtificialSize) {
                first += size;
                starts.push_back(first);
                sizes.push_back(0);
                size = 0;
            }
            size += followers[i];
            sizes.back() = size;
            runOf[i] = static_cast<std::uint32_t>(starts.size() - 1);
        }
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            const std::uint32_t run = runOf[leader[i]];
            m_draft.groupOf[members[i]] =
                m_draft.childOf(group, "#" + std::to_string(starts[run] + 1) + "\u2013" +
                                           std::to_string(starts[run] + sizes[run]));
        }
    }

    /// For each member the position of the one that it stays with: itself for forward nodes, the home of the
    /// others, else the leader of the member before.
    std::vector<std::uint32_t> leadersOf(std::uint32_t group, const std::vector<std::uint32_t>& members) {
        m_position.resize(m_graph.nodes.size(), kNoIndex);
        for (std::uint32_t i = 0; i < members.size(); ++i)
            m_position[members[i]] = i;
        std::vector<std::uint32_t> leader(members.size());
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            leader[i] = i;
            if (columnOf(m_graph.nodes[members[i]].role) == 0) continue;
            const std::uint32_t home = homeOf(m_graph, m_homes, members[i]);
            const bool isHere = home < m_graph.nodes.size() && m_draft.groupOf[home] == group &&
                                columnOf(m_graph.nodes[home].role) == 0;
            if (isHere)
                leader[i] = m_position[home];
            else if (i > 0)
                leader[i] = leader[i - 1];
        }
        return leader;
    }

    const LayoutGraph& m_graph;
    const std::vector<std::uint32_t>& m_homes;
    GroupDraft& m_draft;
    std::vector<std::uint32_t> m_position;
};

/// A name without the number at its end; artificial names are all alike.
std::string stemOf(const std::string& name) {
    if (!name.empty() && name.front() == '#') return "#";
    const std::size_t end = name.find_last_not_of("0123456789");
    return end == std::string::npos ? std::string() : name.substr(0, end + 1);
}

/// The number that tells a group from the others of its series.
std::uint64_t numberOf(const std::string& name) {
    const std::size_t at = stemOf(name).size();
    std::uint64_t number = 0;
    for (std::size_t i = at; i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i)
        number = number * 10 + static_cast<std::uint64_t>(name[i] - '0');
    return number;
}

/// `b.0` and `b.8`: `b.0–b.8`; `#1–400` and `#3201–3600`: `#1–3600`.
std::string seriesName(const std::string& first, const std::string& last) {
    constexpr std::string_view kDash = "\u2013";
    if (first.empty() || first.front() != '#') return first + std::string(kDash) + last;
    const auto numberAt = [](const std::string& name, std::size_t at) {
        return name.substr(at, name.find_first_not_of("0123456789", at) - at);
    };
    const std::size_t dash = last.rfind(kDash);
    const std::size_t end = dash == std::string::npos ? 1 : dash + kDash.size();
    return "#" + numberAt(first, 1) + std::string(kDash) + numberAt(last, end);
}

/// Levels from each group down to its innermost one.
std::vector<std::uint32_t> levelsOf(const GroupDraft& draft) {
    std::vector<std::uint32_t> levels(draft.groups.size(), 1);
    for (std::size_t g = draft.groups.size(); g-- > 0;) // parents come before children
        if (const std::uint32_t parent = draft.groups[g].parent; parent != kNoIndex)
            levels[parent] = std::max(levels[parent], levels[g] + 1);
    return levels;
}

} // namespace

std::uint32_t GroupDraft::childOf(std::uint32_t parent, const std::string& name) {
    const auto [it, isNew] = m_children.try_emplace({parent, name}, 0);
    if (!isNew) return it->second;
    it->second = static_cast<std::uint32_t>(groups.size());
    groups.push_back({name, parent});
    return it->second;
}

std::vector<std::uint32_t> GroupDraft::countNodes() const {
    std::vector<std::uint32_t> count(groups.size(), 0);
    for (const std::uint32_t g : groupOf)
        if (g != kNoIndex) ++count[g];
    for (std::size_t g = groups.size(); g-- > 0;) // parents come before children
        if (groups[g].parent != kNoIndex) count[groups[g].parent] += count[g];
    return count;
}

GroupDraft simplified(const GroupDraft& draft) {
    const std::vector<std::uint32_t> count = draft.countNodes();
    const auto all = static_cast<std::uint32_t>(draft.groupOf.size());
    GroupDraft result(draft.groupOf.size());
    std::vector<std::uint32_t> renamed(draft.groups.size(), kNoIndex);
    std::vector<std::uint32_t> level;                   // of the groups that stay
    std::vector<std::string> path(draft.groups.size()); // of groups left out, in front of what is below
    for (std::uint32_t g = 0; g < draft.groups.size(); ++g) {
        const std::uint32_t old = draft.groups[g].parent;
        const std::uint32_t parent = old == kNoIndex ? kNoIndex : renamed[old];
        const std::string name =
            (old == kNoIndex || path[old].empty() ? "" : path[old] + "/") + draft.groups[g].name;
        const std::uint32_t around = old == kNoIndex ? all : count[old];
        const bool isNearlyAll = count[g] * 10ULL >= around * 9ULL;
        const std::uint32_t depth = parent == kNoIndex ? 0 : level[parent] + 1;
        if (count[g] < kFewestNodes || isNearlyAll || depth >= kMostLevels) {
            renamed[g] = parent;
            path[g] = isNearlyAll && old == kNoIndex ? "" : name; // what holds all needs no mention
            continue;
        }
        renamed[g] = result.childOf(parent, name);
        if (renamed[g] == level.size()) level.push_back(depth);
    }
    for (std::size_t n = 0; n < draft.groupOf.size(); ++n)
        result.groupOf[n] = draft.groupOf[n] == kNoIndex ? kNoIndex : renamed[draft.groupOf[n]];
    return result;
}

void splitLargeGroups(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes, GroupDraft& draft) {
    Splitter(graph, homes, draft).run();
}

GroupDraft foldLongSeries(const GroupDraft& draft) {
    const std::vector<std::uint32_t> levels = levelsOf(draft);
    std::map<std::pair<std::uint32_t, std::string>, std::vector<std::uint32_t>> series; // by parent and stem
    std::vector<std::uint32_t> depth(draft.groups.size(), 0);
    for (std::uint32_t g = 0; g < draft.groups.size(); ++g) {
        const std::uint32_t parent = draft.groups[g].parent;
        if (parent != kNoIndex) depth[g] = depth[parent] + 1;
        series[{parent, stemOf(draft.groups[g].name)}].push_back(g);
    }
    std::vector<std::string> around(draft.groups.size()); // the group that a group is put in
    for (auto& [key, members] : series) {
        const auto isDeep = [&](std::uint32_t g) { return depth[g] + levels[g] >= kMostLevels; };
        if (members.size() <= kLongSeries || std::any_of(members.begin(), members.end(), isDeep)) continue;
        // By their numbers: gradients may come first, from the last block to the first.
        std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
            return numberOf(draft.groups[a].name) < numberOf(draft.groups[b].name);
        });
        const std::size_t size = (members.size() + kSeriesGroups - 1) / kSeriesGroups;
        for (std::size_t k = 0; k < members.size(); ++k) {
            const std::size_t first = k / size * size, last = std::min(first + size, members.size()) - 1;
            if (first == last) continue; // a last one alone
            around[members[k]] =
                seriesName(draft.groups[members[first]].name, draft.groups[members[last]].name);
        }
    }
    GroupDraft result(draft.groupOf.size());
    std::vector<std::uint32_t> renamed(draft.groups.size());
    for (std::uint32_t g = 0; g < draft.groups.size(); ++g) {
        std::uint32_t parent = draft.groups[g].parent;
        if (parent != kNoIndex) parent = renamed[parent];
        if (!around[g].empty()) {
            parent = result.childOf(parent, around[g]);
            result.groups[parent].isSeries = true;
        }
        renamed[g] = result.childOf(parent, draft.groups[g].name);
    }
    for (std::size_t n = 0; n < draft.groupOf.size(); ++n)
        if (draft.groupOf[n] != kNoIndex) result.groupOf[n] = renamed[draft.groupOf[n]];
    return result;
}

void freeEnds(const LayoutGraph& graph, GroupDraft& draft) {
    std::vector<std::uint32_t> count = draft.countNodes();
    const auto isAlone = [&](std::uint32_t group) {
        for (; group != kNoIndex; group = draft.groups[group].parent)
            if (count[group] < 2) return true;
        return false;
    };
    std::size_t inputs = 0, outputs = 0;
    for (const std::uint32_t n : programOrder(graph)) {
        const LayoutNode& node = graph.nodes[n];
        const bool isInput = (node.key & kInputKeyBit) != 0, isOutput = (node.key & kOutputKeyBit) != 0;
        if ((!isInput && !isOutput) || columnOf(node.role) != 0) continue;
        if ((isInput ? inputs : outputs)++ >= kMostFreeEnds || isAlone(draft.groupOf[n])) continue;
        for (std::uint32_t g = draft.groupOf[n]; g != kNoIndex; g = draft.groups[g].parent)
            --count[g];
        draft.groupOf[n] = kNoIndex;
    }
}

Hierarchy finishHierarchy(LayoutGraph& graph, const GroupDraft& draft, HierarchySource source) {
    Hierarchy tree;
    tree.source = draft.groups.empty() ? HierarchySource::none : source;
    const std::vector<std::uint32_t> count = draft.countNodes();
    for (std::uint32_t g = 0; g < draft.groups.size(); ++g) {
        Group group;
        group.name = draft.groups[g].name;
        group.title = printable(group.name);
        group.parent = draft.groups[g].parent;
        group.isSeries = draft.groups[g].isSeries;
        group.nodeCount = count[g];
        if (group.parent == kNoIndex) {
            tree.roots.push_back(g);
        } else {
            Group& parent = tree.groups[group.parent];
            const Group* named = &parent;
            while (named != nullptr && named->isSeries)
                named = named->parent == kNoIndex ? nullptr : &tree.groups[named->parent];
            if (named != nullptr) group.title = named->title + "/" + group.title;
            group.depth = parent.depth + 1;
            parent.children.push_back(g);
        }
        tree.groups.push_back(std::move(group));
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        graph.nodes[n].group = draft.groupOf[n];
    return tree;
}

} // namespace secateur
