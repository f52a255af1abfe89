// SPDX-License-Identifier: Apache-2.0
#include "core/picture/picture_state.h"

namespace secateur {
namespace {

bool isRemoved(DiffState diff) {
    return diff == DiffState::removedBySelectedStep || diff == DiffState::removedEarlier;
}

void add(GroupTally& tally, DiffState diff, bool isReplaced) {
    if (diff == DiffState::absent) return;
    if (diff == DiffState::added) {
        ++tally.added;
        return;
    }
    ++tally.total;
    if (isRemoved(diff) || diff == DiffState::replaced) {
        ++tally.removed;
        tally.replaced += isReplaced || diff == DiffState::replaced ? 1U : 0U;
    }
    if (diff == DiffState::changed) ++tally.changed;
}

void add(GroupTally& tally, const NodeState& state, const LayoutNode& node) {
    // Inputs and outputs of the graph are drawn as nodes and are none: people compare these numbers with
    // counts.
    if ((node.key & (kInputKeyBit | kOutputKeyBit)) == 0)
        add(tally, state.diff, state.isReplaced);
    else
        tally.ends += state.diff == DiffState::absent || isRemoved(state.diff) ? 0U : 1U;
    tally.selected += state.isSelected ? 1U : 0U;
    tally.inSelectedStep += state.isInSelectedStep ? 1U : 0U;
    tally.problems += state.finding != Finding::none ? 1U : 0U;
    ++tally.roles[static_cast<std::size_t>(node.role)];
}

/// A node that is drawn as a row counts with its host.
DiffState foldedState(const PictureState& state, std::size_t folded, std::uint32_t host) {
    return folded < state.folded.size() ? state.folded[folded] : state.stateOf(host).diff;
}

bool isOfOriginal(DiffState diff) {
    return diff != DiffState::absent && diff != DiffState::added;
}

void addAll(GroupTally& sum, const GroupTally& part) {
    sum.total += part.total;
    sum.removed += part.removed;
    sum.replaced += part.replaced;
    sum.changed += part.changed;
    sum.added += part.added;
    sum.ends += part.ends;
    sum.selected += part.selected;
    sum.inSelectedStep += part.inSelectedStep;
    sum.problems += part.problems;
    for (std::size_t i = 0; i < sum.roles.size(); ++i)
        sum.roles[i] += part.roles[i];
}

} // namespace

GroupTally tallyAll(const LayoutGraph& graph, const PictureState& state) {
    GroupTally all;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        add(all, state.stateOf(n), graph.nodes[n]);
    for (std::size_t f = 0; f < graph.folded.size(); ++f)
        add(all, foldedState(state, f, graph.folded[f].host), false);
    return all;
}

std::vector<GroupTally> tallyGroups(const LayoutGraph& graph, const Hierarchy& hierarchy,
                                    const PictureState& state) {
    std::vector<GroupTally> groups(hierarchy.groups.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].group < groups.size())
            add(groups[graph.nodes[n].group], state.stateOf(n), graph.nodes[n]);
    for (std::size_t f = 0; f < graph.folded.size(); ++f) {
        const std::uint32_t host = graph.folded[f].host, group = graph.nodes[host].group;
        if (group < groups.size()) add(groups[group], foldedState(state, f, host), false);
    }
    for (std::size_t g = groups.size(); g-- > 0;) // parents come before their children
        if (const std::uint32_t around = hierarchy.groups[g].parent; around != kNoIndex)
            addAll(groups[around], groups[g]);
    return groups;
}

void PictureState::tally(const LayoutGraph& graph, const Layout& layout) {
    items.assign(layout.items.size(), {});
    frames.assign(layout.frames.size(), {});
    showRoles = false;
    if (layout.itemOfNode.size() != graph.nodes.size()) return; // a cancelled layout
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const LayoutNode& node = graph.nodes[n];
        if (node.role != NodeRole::forward) showRoles = true;
        const NodeState state = stateOf(n);
        add(items[layout.itemOfNode[n]], state, node);
        layout.eachFrameAround(layout.itemOfNode[n], [&](std::uint32_t frame, std::size_t column) {
            add(frames[frame][column], state, node);
        });
    }
    for (std::size_t f = 0; f < graph.folded.size(); ++f) {
        const std::uint32_t host = graph.folded[f].host;
        const DiffState diff = foldedState(*this, f, host);
        add(items[layout.itemOfNode[host]], diff, false);
        layout.eachFrameAround(layout.itemOfNode[host], [&](std::uint32_t frame, std::size_t column) {
            add(frames[frame][column], diff, false);
        });
    }
}

void PictureState::tallyWalk(const LayoutGraph& graph, const Layout& layout, const WalkWaves& waves,
                             std::uint32_t limit) {
    walk.items.assign(layout.items.size(), {});
    walk.frames.assign(layout.frames.size(), {});
    if (layout.itemOfNode.size() != graph.nodes.size()) return;
    const auto add = [](WalkTally& tally, bool isLit) {
        ++tally.total;
        tally.lit += isLit ? 1U : 0U;
    };
    const auto addTo = [&](std::uint32_t item, bool isLit) {
        add(walk.items[item], isLit);
        layout.eachFrameAround(
            item, [&](std::uint32_t frame, std::size_t column) { add(walk.frames[frame][column], isLit); });
    };
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if ((graph.nodes[n].key & (kInputKeyBit | kOutputKeyBit)) != 0) continue;
        if (isOfOriginal(stateOf(n).diff)) addTo(layout.itemOfNode[n], waves.isReached(n, limit));
    }
    for (std::size_t f = 0; f < graph.folded.size(); ++f) {
        const std::uint32_t host = graph.folded[f].host;
        if (isOfOriginal(foldedState(*this, f, host)))
            addTo(layout.itemOfNode[host], waves.isFoldedReached(f, limit));
    }
}

bool isPresent(DiffState state, Pane pane) {
    switch (state) {
    case DiffState::kept:
    case DiffState::willGo:
    case DiffState::changed: return true;
    case DiffState::removedBySelectedStep:
    case DiffState::removedEarlier:
    case DiffState::replaced: return pane != Pane::after;
    case DiffState::added: return pane != Pane::before;
    case DiffState::absent: return false;
    }
    return true;
}

bool isHole(DiffState state, Pane pane) {
    return pane == Pane::after && (state == DiffState::removedBySelectedStep ||
                                   state == DiffState::removedEarlier || state == DiffState::replaced);
}

Rect visibleBounds(const Layout& layout, const PictureState& state, Pane pane) {
    Rect bounds;
    for (std::uint32_t i = 0; i < layout.items.size(); ++i) {
        const PlacedItem& item = layout.items[i];
        bool isVisible = true;
        if (item.node != kNoIndex) {
            isVisible = isPresent(state.stateOf(item.node).diff, pane);
        } else if (i < state.items.size() && pane == Pane::after) {
            const GroupTally& tally = state.items[i];
            isVisible = tally.total == 0 || tally.now() > 0;
        }
        if (isVisible) bounds = bounds.united(item.rect);
    }
    return bounds;
}

} // namespace secateur
