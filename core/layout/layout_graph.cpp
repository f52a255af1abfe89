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

CardSize measureCard(const std::string& title, const std::vector<LayoutRow>& rows, OperatorKind kind) {
    namespace nm = node_metrics;
    // Text stops shrinking at the smallest readable size while the card goes on.
    constexpr double kTitlePx = std::max(nm::kTitlePx, nm::kSmallestPx / nm::kWholeTextZoom);
    constexpr double kRowPx = std::max(nm::kRowPx, nm::kSmallestPx / nm::kWholeTextZoom);
    // Room for the rail, the title and the letter chip.
    double width =
        textWidth(title, FontFace::SansBold, kTitlePx) + nm::kTextLeft + nm::kTextRight + nm::kChipRoom;
    for (const LayoutRow& row : rows) {
        double rowWidth =
            nm::kTextLeft + nm::kTextRight + textWidth(row.value, FontFace::MonoRegular, kRowPx);
        if (!row.label.empty())
            rowWidth += textWidth(row.label, FontFace::SansRegular, kRowPx) + nm::kLabelGap;
        width = std::max(width, rowWidth);
    }
    // Multiples of four keep every centre and gap on whole units.
    const bool isTerminal = kind == OperatorKind::input || kind == OperatorKind::output;
    const double smallest = isTerminal ? nm::kMinTerminalWidth : nm::kMinWidth;
    const double count = static_cast<double>(rows.size());
    return {std::clamp(std::ceil(width / 4) * 4, smallest, nm::kMaxWidth),
            nm::kTitleHeight + (count > 0 ? count * nm::kRowHeight + nm::kBodyPadding : 0)};
}

void measureNodes(LayoutGraph& graph) {
    for (LayoutNode& node : graph.nodes) {
        const CardSize size = measureCard(node.title, node.rows, node.kind);
        node.width = std::max(size.width, node.least.width);
        node.height = std::max(size.height, node.least.height);
    }
}

} // namespace secateur
