// SPDX-License-Identifier: Apache-2.0
#include "core/layout/gap_tracks.h"

#include "core/layout/attach_points.h"
#include "core/layout/track_assignment.h"
#include "core/support/number_table.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kArrowZone = 10; ///< above a rank, so that an arrow stands on a straight piece
constexpr double kPlainZone = 8;  ///< under a rank without labels

class GapAssigner {
  public:
    GapAssigner(Plan& plan, std::uint32_t container)
        : m_plan(plan), m_container(plan.containers[container]),
          m_wires(m_container.rankCount + std::size_t{1}) {}

    void run() {
        m_container.gaps.assign(m_wires.size(), {});
        collectTrunks();
        collectHops();
        collectSides();
        for (std::uint32_t g = 0; g < m_wires.size(); ++g)
            assign(g);
        reserveRoom();
        for (std::uint32_t g = 1; g + 1 < m_wires.size(); ++g) {
            Gap& gap = m_container.gaps[g];
            const double missing = m_plan.options.rankGap - gap.height();
            if (missing > 0) gap.above += missing;
        }
    }

  private:
    /// A wire of one gap and who wants to know its track.
    struct Wire {
        ChannelWire channel;
        std::uint32_t* answer = nullptr;
        std::uint64_t shared = 0; ///< wires with the same number, not 0, share a track
    };

    void add(std::uint32_t gap, double top, double low, double high, double bottom, std::uint32_t* answer,
             std::uint64_t shared = 0) {
        Wire wire;
        wire.channel.from = top;
        wire.channel.low = low;
        wire.channel.high = high;
        wire.channel.goesUp = bottom >= top;
        wire.answer = answer;
        wire.shared = shared;
        m_wires[gap].push_back(wire);
    }

    void collectTrunks() {
        for (const std::uint32_t t : m_container.trunks) {
            Trunk& trunk = m_plan.trunks[t];
            trunk.tracks.assign(trunk.laneCount + std::size_t{1}, kNoIndex);
            const std::uint32_t start = m_plan.layerOf(m_container, trunk.from);
            std::vector<std::uint32_t> distance(trunk.to.size());
            for (std::size_t k = 0; k < trunk.to.size(); ++k) {
                const std::uint32_t layer = m_plan.layerOf(m_container, trunk.to[k]);
                distance[k] = trunk.isDown ? layer - start : start - layer;
            }
            for (std::uint32_t d = 0; d <= trunk.laneCount; ++d)
                addPiece(trunk, start, d, distance);
        }
    }

    double laneX(const Trunk& trunk, std::uint32_t k) const { return m_plan.laneX[trunk.firstLane + k]; }

    /// The piece of a trunk in its d-th gap.
    void addPiece(Trunk& trunk, std::uint32_t start, std::uint32_t d,
                  const std::vector<std::uint32_t>& distance) {
        const double near = d == 0 ? trunk.exitX : laneX(trunk, d - 1);
        double low = near, high = near, far = near;
        std::uint64_t shared = 0;
        const auto reach = [&](double x) {
            low = std::min(low, x);
            high = std::max(high, x);
            if (std::abs(x - near) > std::abs(far - near)) far = x;
        };
        if (d < trunk.laneCount) reach(laneX(trunk, d));
        for (std::size_t k = 0; k < distance.size(); ++k) {
            if (distance[k] != d + 1) continue;
            reach(trunk.entryX[k]);
            if (trunk.to[k].unit != kNoIndex) shared = crowd(trunk.to[k].unit, trunk.isDown);
        }
        if (high - low < 1) return;
        const std::uint32_t gap = trunk.isDown ? start + d : start - d - 1;
        // Seen from above: what comes up from below is a wire from where it ends.
        add(gap, trunk.isDown ? near : far, low, high, trunk.isDown ? far : near, &trunk.tracks[d],
            d < trunk.laneCount ? 0 : shared);
    }

    /// A number for boxes at which very many edges meet in one point; 0 for all others.
    std::uint64_t crowd(std::uint32_t unit, bool atTop) {
        if (!m_hasCounted) countEntries();
        const std::uint64_t key = std::uint64_t{unit} * 2 + (atTop ? 1 : 0);
        const std::uint32_t entries = m_entries.find(key);
        return entries != NumberTable::kNone && entries > kMostEntries ? key + 1 : 0;
    }
    void countEntries() {
        m_hasCounted = true; // there may be none
        for (const std::uint32_t t : m_container.trunks) {
            const Trunk& trunk = m_plan.trunks[t];
            m_plan.counters.placementVisits += trunk.to.size();
            for (const End& end : trunk.to)
                if (end.unit != kNoIndex && end.port == kNoIndex)
                    ++*m_entries.tryEmplace(std::uint64_t{end.unit} * 2 + (trunk.isDown ? 1 : 0), 0).first;
        }
    }

    void collectHops() {
        for (const std::uint32_t h : m_container.hops) {
            Hop& hop = m_plan.hops[h];
            hop.track = kNoIndex;
            const double top = hop.isDown ? hop.exitX : hop.entryX,
                         bottom = hop.isDown ? hop.entryX : hop.exitX;
            if (std::abs(top - bottom) < 1) continue;
            add(hop.gap, top, std::min(top, bottom), std::max(top, bottom), bottom, &hop.track);
        }
    }

    void collectSides() {
        for (const std::uint32_t s : m_container.sides) {
            Side& side = m_plan.sides[s];
            const double channel = side.channelX;
            if (side.leavesBelow) {
                const std::uint32_t gap = m_plan.units[side.from].rank + 1;
                add(gap, side.exit, std::min(side.exit, channel), std::max(side.exit, channel), channel,
                    &side.exitTrack);
            }
            for (Side::Target& target : side.to) {
                if (!target.entersAbove || target.port != kNoIndex) continue;
                add(m_plan.units[target.unit].rank, channel, std::min(channel, target.entry),
                    std::max(channel, target.entry), target.entry, &target.track);
            }
        }
    }

    void assign(std::uint32_t g) {
        if (m_wires[g].empty()) return;
        std::vector<ChannelWire> channel;
        std::unordered_map<std::uint64_t, std::size_t> sharedAt;
        std::vector<std::size_t> indexOf;
        for (const Wire& wire : m_wires[g]) {
            if (wire.shared != 0) {
                const auto [at, isNew] = sharedAt.try_emplace(wire.shared, channel.size());
                indexOf.push_back(at->second);
                if (!isNew) {
                    channel[at->second].low = std::min(channel[at->second].low, wire.channel.low);
                    channel[at->second].high = std::max(channel[at->second].high, wire.channel.high);
                    continue;
                }
            } else {
                indexOf.push_back(channel.size());
            }
            channel.push_back(wire.channel);
        }
        m_container.gaps[g].tracks = assignTracks(channel, kMostGapTracks);
        for (std::size_t k = 0; k < indexOf.size(); ++k)
            *m_wires[g][k].answer = channel[indexOf[k]].track;
    }

    bool hasLabel(const End& end) const { return end.unit != kNoIndex && end.port == kNoIndex; }

    /// Free room in the gaps for what is written in them, and for arrows.
    void reserveRoom() {
        const auto grow = [](double& room, double to) { room = std::max(room, to); };
        for (const std::uint32_t t : m_container.trunks) {
            const Trunk& trunk = m_plan.trunks[t];
            const std::uint32_t layer = m_plan.layerOf(m_container, trunk.from);
            Gap& first = m_container.gaps[trunk.isDown ? layer : layer - 1];
            grow(trunk.isDown ? first.above : first.below, hasLabel(trunk.from) ? kLabelZone : kPlainZone);
            for (const End& end : trunk.to) {
                const std::uint32_t at = m_plan.layerOf(m_container, end);
                Gap& last = m_container.gaps[trunk.isDown ? at - 1 : at];
                grow(trunk.isDown ? last.below : last.above, kArrowZone);
            }
        }
        for (const std::uint32_t u : m_container.units) {
            const Unit& unit = m_plan.units[u];
            if (unit.item == kNoIndex) continue;
            if (m_plan.tagRoomTop[unit.item] > 0) grow(m_container.gaps[unit.rank].below, kTagZone);
            if (m_plan.tagRoomBottom[unit.item] > 0) grow(m_container.gaps[unit.rank + 1].above, kTagZone);
        }
        for (Gap& gap : m_container.gaps) {
            if (gap.tracks == 0) continue;
            grow(gap.above, kPlainZone);
            grow(gap.below, kArrowZone);
        }
    }

    Plan& m_plan;
    Container& m_container;
    std::vector<std::vector<Wire>> m_wires; ///< by gap
    NumberTable m_entries;                  ///< edges that enter a box, by box and side
    bool m_hasCounted = false;
};

} // namespace

void assignGaps(Plan& plan, std::uint32_t container) {
    GapAssigner(plan, container).run();
}

} // namespace secateur
