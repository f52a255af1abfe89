// SPDX-License-Identifier: Apache-2.0
#include "core/layout/track_assignment.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kApart = 6;               ///< between the ends of two wires on one track
constexpr double kEnds = 10;               ///< wires that share no more do not run beside each other
constexpr std::size_t kMostCompared = 400; ///< wires of a channel that are compared with each other

/// Whether two wires run beside each other, and do not only meet with their ends.
bool overlap(const ChannelWire& a, const ChannelWire& b) {
    return std::min(a.high, b.high) - std::max(a.low, b.low) > kEnds;
}

bool touch(const ChannelWire& a, const ChannelWire& b) {
    return a.low < b.high + kApart && b.low < a.high + kApart;
}

} // namespace

std::uint32_t assignTracks(std::vector<ChannelWire>& wires, std::uint32_t mostTracks) {
    if (wires.empty()) return 0;
    std::vector<std::uint32_t> order(wires.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    // Of two wires to the same side the one that comes in further ahead turns first: then they do not cross.
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (wires[a].goesUp != wires[b].goesUp) return wires[a].goesUp;
        if (wires[a].from != wires[b].from)
            return wires[a].goesUp ? wires[a].from > wires[b].from : wires[a].from < wires[b].from;
        return wires[a].goesUp ? wires[a].high > wires[b].high : wires[a].low < wires[b].low;
    });
    std::uint32_t used = 0;
    std::vector<std::vector<std::uint32_t>> onTrack; // by track, as many as are used
    for (std::size_t k = 0; k < order.size(); ++k) {
        ChannelWire& wire = wires[order[k]];
        std::uint32_t track = 0;
        const std::size_t first = k > kMostCompared ? k - kMostCompared : 0;
        for (std::size_t j = first; j < k; ++j) {
            const ChannelWire& before = wires[order[j]];
            if (before.goesUp == wire.goesUp && overlap(before, wire))
                track = std::max(track, before.track + 1);
        }
        const auto isFree = [&](std::uint32_t t) {
            if (t >= onTrack.size()) return true;
            const std::vector<std::uint32_t>& there = onTrack[t];
            const std::size_t begin = there.size() > kMostCompared ? there.size() - kMostCompared : 0;
            return std::none_of(there.begin() + static_cast<std::ptrdiff_t>(begin), there.end(),
                                [&](std::uint32_t i) { return touch(wires[i], wire); });
        };
        while (track < mostTracks && !isFree(track))
            ++track;
        wire.track = track < mostTracks ? track : static_cast<std::uint32_t>(k % mostTracks);
        if (wire.track >= onTrack.size()) onTrack.resize(wire.track + std::size_t{1});
        onTrack[wire.track].push_back(order[k]);
        used = std::max(used, wire.track + 1);
    }
    return used;
}

} // namespace secateur
