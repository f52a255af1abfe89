// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"
#include "core/picture/picture_state.h"
#include "core/session/history.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace secateur {

class Document;
struct UnionPicture;

/// Keys of groups in a selection: group index with this bit set.
constexpr std::uint32_t kGroupKeyBit = 0x20000000U;
[[nodiscard]] inline bool isGroupKey(std::uint32_t key) {
    return (key & kGroupKeyBit) != 0 && (key & (kInputKeyBit | kOutputKeyBit)) == 0;
}
[[nodiscard]] inline bool isNodeKey(std::uint32_t key) {
    return (key & (kGroupKeyBit | kInputKeyBit | kOutputKeyBit)) == 0;
}

/// "Forward", "Loss" ...
[[nodiscard]] QString roleWords(NodeRole role);
/// "Layer", "Activation" ...: operator families.
[[nodiscard]] QString kindWords(OperatorKind kind);
/// The picture that has a key: of the graph that is drawn, else of the main graph; null without a model.
[[nodiscard]] const UnionPicture* pictureWith(const Document& document, std::uint32_t key);
/// Is the node in a function, which the model may call many times?
[[nodiscard]] bool isInFunction(const Document& document, NodeId node);
/// The model that a node is to be read from: the one at the cursor, or the original where a step took it
/// away.
[[nodiscard]] const Model& modelOf(const Document& document, NodeId node);
/// What is known of a value's type after the last step, or of one that is gone, in the file as it was opened.
[[nodiscard]] Type typeOf(const Document& document, ValueId value);
/// The role of a node under the targets that the recipe chose.
[[nodiscard]] Role roleOfNode(const Document& document, NodeId node);
/// What is shown as the role of a key: of a node its own, also where it is drawn as a row of another; of a
/// graph input what it is there for ("Labels", "Weight"). Empty for a key that is nowhere.
[[nodiscard]] QString keyRoleWords(const Document& document, std::uint32_t key);
/// Of a graph input, what it is there for as a sentence: "labels, which the prediction is compared with";
/// empty for other keys.
[[nodiscard]] QString inputKindWords(const Document& document, std::uint32_t key);
/// "MatMul `node_MatMul_46`", the title of an input, output or group.
[[nodiscard]] QString nodeName(const Document& document, std::uint32_t key);
/// All that the signs of a node say, in words: "Dropout `drop1`, forward, removed by step 4: Bypass dropout".
[[nodiscard]] QString nodeWords(const Document& document, std::uint32_t key);
/// What happened to the nodes of a group of the graph that is drawn: "412 of 655 removed", as its box says.
[[nodiscard]] QString groupFateWords(const Document& document, std::uint32_t group);
/// State in words: "kept", "goes in step 2: Prune backward" while that lies ahead of the cursor, "removed by
/// step 2: ..." behind it, "made by step 4: ..."; empty when nothing was run.
[[nodiscard]] QString stateWords(const Document& document, std::uint32_t key);
/// Why a node goes or went (the reason of its rewrite), why a new one was made, or which target a kept node,
/// input or output is for and how far away that is; empty when nothing was run. Constant time with one
/// target, else as long as the path to the nearest.
[[nodiscard]] QString reasonWords(const Document& document, std::uint32_t key);
/// Rich text of a tooltip.
[[nodiscard]] QString nodeTip(const Document& document, std::uint32_t key);
[[nodiscard]] QString edgeTip(const Document& document, const LayoutEdge& edge);
/// "Prune backward": what a step is called.
[[nodiscard]] QString stepTitle(const std::string& pass);

} // namespace secateur
