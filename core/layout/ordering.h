// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace secateur {

/// One column of the picture as proper layers: every link joins neighbouring layers. Places are items and,
/// for links over several ranks, virtual places. Places are numbered layer by layer only in `layers`.
struct LayerGraph {
    struct Place {
        std::uint32_t item = 0xFFFFFFFFU; ///< kNoIndex: virtual
        std::uint32_t layer = 0;
        double left = 0; ///< from its middle (or anchor) to its left edge
        double right = 0;
        std::uint32_t weight = 0; ///< in the length of a chain: 1 for an item of the original, else 0
    };
    std::vector<Place> places;
    std::vector<std::vector<std::uint32_t>> layers; ///< places from left to right

    struct Link {
        std::uint32_t upper = 0;
        std::uint32_t lower = 0;
    };
    std::vector<Link> links;
    /// The order of the first (last) layer is given: it is what stands around a block.
    bool holdsFirst = false, holdsLast = false;

    // Filled by connect(): neighbours by place, in the order of `links`, and the items on the longest chain
    // of links that starts at a place, upward and downward (places stand in layers by then).
    std::vector<std::uint32_t> upStart, up;
    std::vector<std::uint32_t> downStart, down;
    std::vector<std::uint32_t> reachUp, reachDown;
    /// Beside `up` and `down`: the edges that a link stands for. A link of a lane that several edges share
    /// counts once for each that goes on behind it.
    std::vector<std::uint32_t> upWeight, downWeight;

    void connect();
    bool isVirtual(std::uint32_t place) const { return places[place].item == 0xFFFFFFFFU; }
    /// Whether the order of a layer is given.
    bool isHeld(std::size_t layer) const {
        return (holdsFirst && layer == 0) || (holdsLast && layer + 1 == layers.size());
    }

  private:
    void weighLinks();
};

struct OrderingResult {
    std::uint64_t crossings = 0;
    std::uint64_t visits = 0;
    std::uint32_t sweeps = 0; ///< over all layers
};

/// Orders every layer that is not held. From each start (depth-first from the top; in a small graph also as
/// it comes and depth-first from below; where a layer is held, as it comes is the first) up to `sweeps` pairs
/// of median sweeps with exchanges of neighbours, then paths are put where they cross least
/// (path_insertion.h); the best is kept. In a small graph, bands of layers that still have crossings are then
/// ordered anew, also from shuffled orders (always the same). Where every edge still crosses many others
/// after the first sweeps the rest is cut short. Stable. Linear in places and links.
/// `isCancelled` (may be empty) is asked often; when it says yes, the best order so far is the result.
OrderingResult orderLayers(LayerGraph& graph, std::uint32_t sweeps,
                           const std::function<bool()>& isCancelled = {});

/// Pairwise inversions of edges between neighbouring layers in the present order.
std::uint64_t countCrossings(const LayerGraph& graph);

} // namespace secateur
