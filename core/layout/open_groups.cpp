// SPDX-License-Identifier: Apache-2.0
#include "core/layout/open_groups.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace secateur {
namespace {

/// The level of `all` or of a number; none for a name.
std::optional<std::uint32_t> levelOf(const std::string& word) {
    if (word == "all") return std::numeric_limits<std::uint32_t>::max();
    std::uint32_t level = 0;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, level);
    return read.ec == std::errc() && read.ptr == end ? std::optional(level) : std::nullopt;
}

void openAround(const Hierarchy& hierarchy, std::uint32_t group, ExpandState& state) {
    for (std::uint32_t g = group; g != kNoIndex; g = hierarchy.groups[g].parent)
        state.open[g] = true;
}

Error noSuchGroup(const Hierarchy& hierarchy, const std::string& word) {
    std::vector<std::string> titles;
    for (const Group& group : hierarchy.groups)
        titles.push_back(group.title);
    std::string near;
    for (const std::string& title : nearestNames(word, titles))
        near += (near.empty() ? "`" : ", `") + title + '`';
    if (hierarchy.groups.empty()) return usageError(formatMessage("picture.no-groups", {word}));
    return usageError(near.empty() ? formatMessage("picture.no-group", {word})
                                   : formatMessage("picture.no-group-near", {word, near}));
}

} // namespace

std::size_t countBoxes(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded) {
    const std::size_t count = hierarchy.groups.size();
    std::vector<std::uint32_t> closed(count, kNoIndex); // by group: the outermost closed one around it
    for (std::uint32_t g = 0; g < count; ++g) {         // parents come before children
        const std::uint32_t parent = hierarchy.groups[g].parent;
        if (parent != kNoIndex) closed[g] = closed[parent];
        if (closed[g] == kNoIndex && !expanded.isOpen(g)) closed[g] = g;
    }
    std::vector<std::array<bool, 3>> hasPart(count, {false, false, false});
    std::size_t boxes = 0;
    for (const LayoutNode& node : graph.nodes) {
        const std::uint32_t group = node.group < count ? closed[node.group] : kNoIndex;
        if (group == kNoIndex) {
            ++boxes;
            continue;
        }
        bool& isKnown = hasPart[group][static_cast<std::size_t>(columnOf(node.role))];
        boxes += isKnown ? 0 : 1;
        isKnown = true;
    }
    return boxes;
}

Result<ExpandState> openGroups(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& first,
                               const std::vector<std::string>& words, std::size_t most) {
    ExpandState state = first;
    state.open.resize(hierarchy.groups.size(), false);
    std::optional<std::uint32_t> level; // the deepest that is asked for
    for (const std::string& word : words)
        if (const auto asked = levelOf(word)) level = std::max(level.value_or(0), *asked);
    if (level)
        for (std::size_t g = 0; g < state.open.size(); ++g)
            state.open[g] = hierarchy.groups[g].depth < *level;
    for (const std::string& word : words) {
        if (levelOf(word)) continue;
        bool isFound = false;
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
            if (hierarchy.groups[g].title != word && hierarchy.groups[g].name != word) continue;
            openAround(hierarchy, g, state);
            isFound = true;
        }
        if (!isFound) return noSuchGroup(hierarchy, word);
    }
    if (const std::size_t boxes = countBoxes(graph, hierarchy, state); boxes > most)
        return usageError(formatMessage("picture.too-many-boxes", {formatCount(boxes), formatCount(most)}));
    return state;
}

} // namespace secateur
