// SPDX-License-Identifier: Apache-2.0
#include "core/layout/portals.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kTagHeight = 13;
constexpr double kTagInset = 2;
constexpr double kTagPadding = 5;
constexpr double kTagArrow = 8;
constexpr double kMinTagWidth = 22;

std::string titleOf(const Plan& plan, std::uint32_t item) {
    const VisibleItem& v = plan.visible.items[item];
    return v.node != kNoIndex ? plan.graph.nodes[v.node].title : plan.hierarchy.groups[v.group].title;
}

/// What a tag leads to when that is one box; kNoIndex when there are several.
struct OtherEnd {
    std::uint32_t item = kNoIndex;
    bool isOnlyOne = true;

    void add(std::uint32_t other) {
        if (item != kNoIndex && item != other) isOnlyOne = false;
        item = other;
    }
};

/// The text as far as its beginning fits: of a short tag that says more than both ends of a name.
std::string cutAtEnd(const std::string& text, double room) {
    constexpr FontFace kFace = FontFace::SansRegular;
    if (textWidth(text, kFace, node_metrics::kLabelPx) <= room) return text;
    constexpr std::size_t kMostBytes = 256; // more never fits
    std::size_t end = std::min(text.size(), kMostBytes);
    while (end > 0) {
        do // whole letters: not between the bytes of one
            --end;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U);
        const std::string cut = text.substr(0, end) + "…";
        if (textWidth(cut, kFace, node_metrics::kLabelPx) <= room) return end > 0 ? cut : std::string();
    }
    return {};
}

/// By item: whether edges are drawn whole to it, and from it.
struct DrawnEnds {
    std::vector<bool> to, from;
};

DrawnEnds drawnEndsOf(const Plan& plan) {
    const std::size_t n = plan.visible.items.size();
    DrawnEnds ends{std::vector<bool>(n, false), std::vector<bool>(n, false)};
    for (std::uint32_t e = 0; e < plan.visible.edges.size(); ++e) {
        if (plan.fates[e] == Fate::portal) continue;
        ends.from[plan.visible.edges[e].from] = true;
        ends.to[plan.visible.edges[e].to] = true;
    }
    return ends;
}

} // namespace

void collectPortals(Plan& plan, Layout& layout) {
    const std::size_t n = plan.visible.items.size();
    std::vector<std::uint32_t> sinkOf(n, kNoIndex), sourceOf(n, kNoIndex);
    std::vector<OtherEnd> others;
    const auto meet = [&](std::vector<std::uint32_t>& table, std::uint32_t item, std::uint32_t edge,
                          bool isSource) {
        const VisibleEdge& e = plan.visible.edges[edge];
        if (table[item] == kNoIndex) {
            table[item] = static_cast<std::uint32_t>(layout.portals.size());
            layout.portals.push_back({item, edge, isSource, 0, e.edgeClass, {}, {}});
            others.emplace_back();
        }
        layout.portals[table[item]].count += e.count;
        others[table[item]].add(isSource ? e.to : e.from);
    };
    for (std::uint32_t e = 0; e < plan.visible.edges.size(); ++e) {
        if (plan.fates[e] != Fate::portal) continue;
        meet(sourceOf, plan.visible.edges[e].from, e, true);
        meet(sinkOf, plan.visible.edges[e].to, e, false);
    }
    const DrawnEnds ends = drawnEndsOf(plan);
    plan.tagRoomTop.assign(n, 0);
    plan.tagRoomBottom.assign(n, 0);
    for (std::size_t p = 0; p < layout.portals.size(); ++p) {
        Portal& portal = layout.portals[p];
        // Edges leave in the middle of a box and reach it there: of the forward half below and above it, of
        // the other columns at either side.
        const bool isDownward = plan.visible.items[portal.item].column == 0;
        const bool isBeside = (ends.from[portal.item] && (portal.isSource || !isDownward)) ||
                              (ends.to[portal.item] && (!portal.isSource || !isDownward));
        const double width = plan.visible.items[portal.item].width;
        const double room = isBeside ? width / 2 - 6 : width - 2 * kTagInset;
        const double used = kTagArrow + 2 * kTagPadding;
        portal.text = others[p].isOnlyOne ? titleOf(plan, others[p].item) : std::to_string(portal.count);
        portal.text = cutAtEnd(portal.text, room - used);
        const double text = textWidth(portal.text, FontFace::SansRegular, node_metrics::kLabelPx);
        const double wide = std::clamp(std::ceil(text + used), kMinTagWidth, std::max(kMinTagWidth, room));
        portal.rect = {0, 0, wide, kTagHeight};
        auto& taken = portal.isSource ? plan.tagRoomBottom : plan.tagRoomTop;
        taken[portal.item] = static_cast<std::uint32_t>(std::ceil(wide + kTagInset));
    }
    plan.counters.portals = layout.portals.size();
}

void placePortals(Layout& layout) {
    for (Portal& portal : layout.portals) {
        const Rect& box = layout.items[portal.item].rect;
        if (box.isEmpty()) {
            portal.rect = {};
            continue;
        }
        portal.rect.x = box.x + kTagInset;
        portal.rect.y = portal.isSource ? box.bottom() + 1 : box.y - 1 - kTagHeight;
    }
}

} // namespace secateur
