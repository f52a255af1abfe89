// SPDX-License-Identifier: Apache-2.0
#include "core/memory/placement_check.h"

#include "core/messages/sentences.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace secateur {
namespace {

/// A range enters at its first step and leaves behind its last.
struct Event {
    std::int64_t step = 0;
    bool enters = false;
    std::size_t range = 0;
};

std::vector<Event> eventsOf(std::span<const LiveRange> ranges) {
    std::vector<Event> events;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (ranges[i].size == 0) continue;
        events.push_back({ranges[i].first, true, i});
        events.push_back({ranges[i].last, false, i});
    }
    // Within a step all enter before any leaves: both ends are included.
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        if (a.step != b.step) return a.step < b.step;
        if (a.enters != b.enters) return a.enters;
        return a.range < b.range;
    });
    return events;
}

Error overlap(std::size_t a, std::size_t b, std::int64_t step) {
    return invalidInput(
        formatMessage("memory.overlap", {std::to_string(std::min(a, b)), std::to_string(std::max(a, b)),
                                         std::to_string(step)}));
}

/// Does each range lie by itself within the arena?
Result<void> checkPlaces(std::span<const LiveRange> ranges, const Placement& placement,
                         std::int64_t alignment) {
    if (placement.offsets.size() != ranges.size())
        return invalidInput(formatMessage(
            "memory.count", {std::to_string(placement.offsets.size()), std::to_string(ranges.size())}));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (ranges[i].size == 0) continue;
        const std::int64_t offset = placement.offsets[i];
        std::int64_t end = 0;
        if (offset < 0 || offset % alignment != 0)
            return invalidInput(formatMessage(
                "memory.misaligned", {std::to_string(i), std::to_string(offset), std::to_string(alignment)}));
        if (__builtin_add_overflow(offset, ranges[i].size, &end) || end > placement.arena)
            return invalidInput(formatMessage("memory.outside", {std::to_string(i), std::to_string(offset),
                                                                 std::to_string(placement.arena)}));
    }
    return {};
}

} // namespace

Result<void> checkPlacement(std::span<const LiveRange> ranges, const Placement& placement,
                            std::int64_t alignment) {
    const std::int64_t least = TRY(mostLiveBytes(ranges, alignment));
    TRY(checkPlaces(ranges, placement, alignment));
    if (least != placement.lowerBound || placement.arena < least)
        return invalidInput(formatMessage(
            "memory.below-bound",
            {std::to_string(placement.arena), std::to_string(placement.lowerBound), std::to_string(least)}));
    // By offset: what lives now is free of overlaps, so a newcomer needs to be compared with two only.
    std::map<std::int64_t, std::size_t> live;
    for (const Event& event : eventsOf(ranges)) {
        const std::int64_t offset = placement.offsets[event.range];
        if (!event.enters) {
            live.erase(offset);
            continue;
        }
        const auto [at, isNew] = live.emplace(offset, event.range);
        if (!isNew) return overlap(at->second, event.range, event.step);
        if (const auto next = std::next(at);
            next != live.end() && offset + ranges[event.range].size > next->first)
            return overlap(next->second, event.range, event.step);
        if (at == live.begin()) continue;
        const auto before = std::prev(at);
        if (before->first + ranges[before->second].size > offset)
            return overlap(before->second, event.range, event.step);
    }
    return {};
}

} // namespace secateur
