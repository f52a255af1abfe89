// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout_graph.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"

#include <algorithm>
#include <cmath>

namespace secateur {

void LayoutGraph::indexKeys() {
    indexOfKey.clear();
    indexOfKey.reserve(nodes.size() + folded.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        indexOfKey.emplace(nodes[i].key, i);
    for (const FoldedNode& f : folded)
        indexOfKey.emplace(f.key, f.host);
}

std::uint32_t LayoutGraph::foldedAt(std::uint32_t key) const {
    const auto at = std::lower_bound(folded.begin(), folded.end(), key,
                                     [](const FoldedNode& f, std::uint32_t k) { return f.key < k; });
    return at != folded.end() && at->key == key ? static_cast<std::uint32_t>(at - folded.begin()) : kNoIndex;
}

int columnOf(NodeRole role) {
    switch (role) {
    case NodeRole::forward:
    case NodeRole::loss:
    case NodeRole::metric: return 0;
    case NodeRole::backward:
    case NodeRole::recompute: return 1;
    case NodeRole::accumulator:
    case NodeRole::optimizer: return 2;
    }
    return 0;
}

void measureNodes(LayoutGraph& graph) {
    namespace nm = node_metrics;
    for (LayoutNode& node : graph.nodes) {
        const bool isTerminal = node.kind == OperatorKind::input || node.kind == OperatorKind::output;
        // Room for the rail, the title and the letter chip.
        double width = textWidth(node.title, FontFace::SansBold, nm::kTitlePx) + nm::kTextLeft +
                       nm::kTextRight + nm::kChipRoom;
        for (const LayoutRow& row : node.rows) {
            double rowWidth =
                nm::kTextLeft + nm::kTextRight + textWidth(row.value, FontFace::MonoRegular, nm::kRowPx);
            if (!row.label.empty()) {
                rowWidth += textWidth(row.label, FontFace::SansRegular, nm::kRowPx) + nm::kLabelGap;
            }
            width = std::max(width, rowWidth);
        }
        // Multiples of four keep every centre and gap on whole units.
        const double smallest = isTerminal ? nm::kMinTerminalWidth : nm::kMinWidth;
        node.width = std::clamp(std::ceil(width / 4) * 4, smallest, nm::kMaxWidth);
        const double rows = static_cast<double>(node.rows.size());
        node.height = nm::kTitleHeight + (rows > 0 ? rows * nm::kRowHeight + nm::kBodyPadding : 0);
    }
}

} // namespace secateur
