// SPDX-License-Identifier: Apache-2.0
#include "core/layout/hierarchy.h"

#include "core/layout/group_draft.h"
#include "core/layout/group_paths.h"
#include "core/layout/group_propagation.h"
#include "core/layout/repeated_blocks.h"

#include <algorithm>
#include <string_view>

namespace secateur {
namespace {

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
    freeEnds(graph, draft);
    answer = finishHierarchy(graph, foldLongSeries(draft), source);
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
    freeEnds(graph, runs);
    return finishHierarchy(graph, foldLongSeries(runs), HierarchySource::artificial);
}

} // namespace secateur
