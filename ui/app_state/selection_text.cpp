// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/selection_text.h"

#include "core/onnx/onnx_text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"

namespace secateur {

namespace {

/// Keys of the nodes in a group and in the groups inside it.
void addGroup(const UnionPicture& picture, std::uint32_t group, std::vector<std::uint32_t>& keys) {
    const LayoutGraph& graph = picture.unionGraph.graph;
    const auto isInside = [&](std::uint32_t at) {
        while (at != kNoIndex && at != group)
            at = picture.hierarchy.groups[at].parent;
        return at == group;
    };
    for (const LayoutNode& node : graph.nodes)
        if (isInside(node.group)) keys.push_back(node.key);
    for (const FoldedNode& folded : graph.folded)
        if (folded.row != kNoIndex && isInside(graph.nodes[folded.host].group)) keys.push_back(folded.key);
}

} // namespace

Result<std::string> selectionText(const Document& document) {
    std::string text;
    if (!document.original() || !document.picture()) return text;
    std::vector<std::uint32_t> keys;
    for (const std::uint32_t key : document.selection()) {
        if (isGroupKey(key))
            addGroup(*document.picture(), key & ~kGroupKeyBit, keys);
        else
            keys.push_back(key);
    }
    const Model& original = document.original()->file.model;
    const Model& now = document.history() ? document.history()->model() : original;
    std::vector<NodeId> there, gone;
    for (const std::uint32_t key : keys) {
        const NodeId node(key);
        if (!isNodeKey(key))
            text += nodeName(document, key).toStdString() + '\n';
        else if (now.isAlive(node))
            there.push_back(node);
        else if (original.isAlive(node))
            gone.push_back(node);
    }
    if (!there.empty()) text += TRY(nodesText(now, std::move(there)));
    if (!gone.empty()) text += TRY(nodesText(original, std::move(gone)));
    return text;
}

} // namespace secateur
