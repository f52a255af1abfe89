// SPDX-License-Identifier: Apache-2.0
#include "core/layout/hierarchy.h"

#include "core/layout/group_draft.h"
#include "core/layout/group_paths.h"
#include "core/layout/group_propagation.h"
#include "core/layout/repeated_blocks.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <utility>

namespace secateur {
namespace {

constexpr std::uint32_t kFewGroups = 20; ///< a large graph is opened until it shows more than so many

/// A source works when its groups are not mostly single nodes and hold most of the graph. A module of one
/// node inside another module (a Conv of a block) says nothing against its source.
bool isUseful(const GroupDraft& draft) {
    if (draft.groups.size() < 2) return false;
    const std::vector<std::uint32_t> count = draft.countNodes();
    std::size_t single = 0, judged = 0;
    for (std::size_t g = 0; g < count.size(); ++g) {
        const std::uint32_t parent = draft.groups[g].parent;
        const bool isSingle = count[g] <= 1;
        if (isSingle && parent != kNoIndex && count[parent] > 1) continue;
        ++judged;
        single += isSingle ? 1 : 0;
    }
    const auto covered = static_cast<std::size_t>(std::count_if(
        draft.groupOf.begin(), draft.groupOf.end(), [](std::uint32_t g) { return g != kNoIndex; }));
    return single * 3 <= judged && covered * 2 >= draft.groupOf.size();
}

GroupDraft fromPaths(const LayoutGraph& graph, const HierarchyHints& hints,
                     const std::vector<std::string>& texts, GroupPath (*pathOf)(std::string_view)) {
    GroupDraft draft(graph.nodes.size());
    for (const std::uint32_t n : programOrder(graph)) {
        if (n >= texts.size() || texts[n].empty()) continue;
        for (const std::string& part : pathOf(texts[n]))
            draft.groupOf[n] = draft.childOf(draft.groupOf[n], part);
    }
    if (!draft.groups.empty()) propagateGroups(graph, hints.homes, draft);
    return draft;
}

GroupDraft fromRepeats(const LayoutGraph& graph, const HierarchyHints& hints) {
    GroupDraft draft(graph.nodes.size());
    std::vector<std::uint32_t> forward;
    for (const std::uint32_t n : programOrder(graph)) {
        const OperatorKind kind = graph.nodes[n].kind;
        const bool isTerminal = kind == OperatorKind::input || kind == OperatorKind::output;
        if (columnOf(graph.nodes[n].role) == 0 && !isTerminal) forward.push_back(n);
    }
    std::vector<std::string_view> titles;
    for (const std::uint32_t n : forward)
        titles.push_back(graph.nodes[n].title);
    const std::vector<std::uint32_t> blocks = findRepeatedBlocks(titles);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i] == kNoIndex) continue;
        if (blocks[i] >= names.size()) names.resize(blocks[i] + 1);
        std::string& name = names[blocks[i]];
        if (name.empty()) name = "#" + std::to_string(blocks[i] + 1) + " " + graph.nodes[forward[i]].title;
        draft.groupOf[forward[i]] = draft.childOf(kNoIndex, name);
    }
    if (!draft.groups.empty()) propagateGroups(graph, hints.homes, draft);
    return draft;
}

/// Whether `draft` is useful; then it is the answer.
bool accept(LayoutGraph& graph, const HierarchyHints& hints, const GroupDraft& tried, HierarchySource source,
            Hierarchy& answer) {
    if (!isUseful(tried)) return false;
    GroupDraft draft = simplified(tried);
    if (draft.groups.size() < 2) return false;
    splitLargeGroups(graph, hints.homes, draft);
    answer = finishHierarchy(graph, draft, source);
    return true;
}

} // namespace

Hierarchy buildHierarchy(LayoutGraph& graph, const HierarchyHints& hints) {
    Hierarchy answer;
    const auto tryPaths = [&](const std::vector<std::string>& texts, GroupPath (*pathOf)(std::string_view),
                              HierarchySource source) {
        return accept(graph, hints, fromPaths(graph, hints, texts, pathOf), source, answer);
    };
    if (tryPaths(hints.scopes, pathOfScopes, HierarchySource::scopes)) return answer;
    if (tryPaths(hints.nodeNames, pathOfNodeName, HierarchySource::nodeNames)) return answer;
    if (tryPaths(hints.parameterNames, pathOfParameter, HierarchySource::parameterNames)) return answer;
    if (accept(graph, hints, fromRepeats(graph, hints), HierarchySource::repeatedBlocks, answer))
        return answer;
    GroupDraft runs(graph.nodes.size());
    splitLargeGroups(graph, hints.homes, runs);
    return finishHierarchy(graph, runs, HierarchySource::artificial);
}

ExpandState initialExpandState(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               std::uint32_t visibleLimit) {
    ExpandState state;
    state.open.assign(hierarchy.groups.size(), graph.nodes.size() <= visibleLimit);
    if (graph.nodes.size() <= visibleLimit) return state;
    std::vector<std::uint32_t> direct(hierarchy.groups.size(), 0);
    std::size_t visible = hierarchy.roots.size();
    for (const LayoutNode& node : graph.nodes) {
        if (node.group < direct.size())
            ++direct[node.group];
        else
            ++visible;
    }
    // The largest closed group is opened as long as few names show and the picture stays small.
    using Closed = std::pair<std::uint32_t, std::uint32_t>; // nodes, and the complement of the index
    std::priority_queue<Closed> closed;
    const auto close = [&](std::uint32_t g) { closed.push({hierarchy.groups[g].nodeCount, ~g}); };
    for (const std::uint32_t g : hierarchy.roots)
        close(g);
    while (!closed.empty() && closed.size() < kFewGroups) {
        const std::uint32_t g = ~closed.top().second;
        closed.pop();
        const std::size_t more = direct[g] + hierarchy.groups[g].children.size();
        if (hierarchy.groups[g].children.empty() || visible + more > visibleLimit) continue;
        visible += more;
        state.open[g] = true;
        for (const std::uint32_t child : hierarchy.groups[g].children)
            close(child);
    }
    return state;
}

} // namespace secateur
