// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace secateur {

/// A wire that crosses a channel: it comes in at `from`, runs along the channel on a track, and leaves it at
/// places between `low` and `high`.
struct ChannelWire {
    double from = 0;
    double low = 0;
    double high = 0;
    bool goesUp = false;     ///< towards higher coordinates
    std::uint32_t track = 0; ///< the answer: 0 is nearest to where wires come in
};

/// Gives wires tracks so that two on one track do not touch, and wires of one direction do not cross where
/// they need not. Returns how many tracks there are, at most `mostTracks`; beyond that wires share them.
std::uint32_t assignTracks(std::vector<ChannelWire>& wires, std::uint32_t mostTracks);

} // namespace secateur
