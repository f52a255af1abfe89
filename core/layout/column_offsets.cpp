// SPDX-License-Identifier: Apache-2.0
#include "core/layout/column_offsets.h"

#include "core/layout/track_assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kChannelMargin = 10; ///< of a channel between columns, beside its tracks
constexpr double kChannelPitch = 7;
constexpr double kLongLabelGap = 96; ///< between columns, for what an edge of unknown size keeps
constexpr std::uint32_t kMostChannelTracks = 14;
constexpr double kSameStretch = 240;  ///< widths that differ by less belong to one stretch of a stack
constexpr std::size_t kNearRanks = 3; ///< a narrow stretch of fewer ranks is no stretch

/// What stands in one rank of one column.
struct RankExtent {
    double left = kInfinite;
    double right = -kInfinite;
    std::uint32_t units = 0;
    std::uint32_t unit = kNoIndex; ///< the last one seen
    bool hasLane = false;
    double leftmost = kInfinite, rightmost = -kInfinite; ///< anchors of the outermost units
    double rightOfAllButEnds = -kInfinite; ///< the same as `right` without inputs and outputs of the graph
    bool isPassed = false;                 ///< an edge to another column runs beside it

    [[nodiscard]] bool isEmpty() const { return left > right; }
    void add(double from, double to) {
        left = std::min(left, from);
        right = std::max(right, to);
    }
};

class ColumnPlacer {
  public:
    ColumnPlacer(Plan& plan, std::uint32_t container)
        : m_plan(plan), m_container(plan.containers[container]) {}

    void run() {
        collectExtents();
        findBlockedSides();
        findPassedRanks();
        for (std::uint8_t k = 1; k < kColumnCount; ++k) {
            if (!hasColumn(k)) continue;
            const double channel = channelWidth(k);
            shift(k, offsetsOf(k, channel));
            placeChannel(k, channel);
        }
    }

  private:
    bool hasColumn(std::uint8_t k) const {
        return std::any_of(m_extents[k].begin(), m_extents[k].end(),
                           [](const RankExtent& e) { return !e.isEmpty(); });
    }

    void collectExtents() {
        for (auto& column : m_extents)
            column.assign(m_container.rankCount, {});
        for (const std::uint32_t u : m_container.units) {
            const Unit& unit = m_plan.units[u];
            RankExtent& extent = m_extents[unit.column][unit.rank];
            extent.add(unit.x - unit.left, unit.x + unit.right);
            if (!isEnd(unit))
                extent.rightOfAllButEnds = std::max(extent.rightOfAllButEnds, unit.x + unit.right);
            ++extent.units;
            extent.unit = u;
            extent.leftmost = std::min(extent.leftmost, unit.x);
            extent.rightmost = std::max(extent.rightmost, unit.x);
        }
        eachLane([&](const Trunk& trunk, std::uint32_t rank, double& x) {
            RankExtent& extent = m_extents[trunk.column][rank];
            extent.add(x - 4, x + 4);
            extent.rightOfAllButEnds = std::max(extent.rightOfAllButEnds, x + 4);
            extent.hasLane = true;
        });
    }

    /// Whether it is an input or an output of the graph.
    bool isEnd(const Unit& unit) const {
        if (unit.child != kNoIndex) return false;
        const std::uint32_t node = m_plan.visible.items[unit.item].node;
        if (node == kNoIndex) return false;
        const OperatorKind kind = m_plan.graph.nodes[node].kind;
        return kind == OperatorKind::input || kind == OperatorKind::output;
    }

    template <typename Visit> void eachLane(Visit visit) {
        for (const std::uint32_t t : m_container.trunks) {
            const Trunk& trunk = m_plan.trunks[t];
            const std::uint32_t start = m_plan.layerOf(m_container, trunk.from);
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k) {
                const std::uint32_t layer = trunk.isDown ? start + k + 1 : start - k - 1;
                visit(trunk, layer - 1, m_plan.laneX[trunk.firstLane + k]);
            }
        }
    }

    /// Edges leave at the side of the outermost box of a rank; all others through the gap below or above.
    void findBlockedSides() {
        for (const std::uint32_t s : m_container.sides) {
            Side& side = m_plan.sides[s];
            const Unit& from = m_plan.units[side.from];
            side.leavesBelow = from.x < m_extents[from.column][from.rank].rightmost;
            for (Side::Target& target : side.to) {
                const Unit& to = m_plan.units[target.unit];
                if (to.rank == kNoIndex) { // a piece of updates: its area decides the rest
                    side.isStraight = false;
                    side.leavesBelow = side.leavesBelow || isColumnBetween(from, to);
                    continue;
                }
                target.entersAbove = to.x > m_extents[to.column][to.rank].leftmost;
                if (to.rank != from.rank || target.entersAbove || side.leavesBelow) side.isStraight = false;
            }
        }
    }

    bool isColumnBetween(const Unit& from, const Unit& to) const {
        for (std::uint8_t k = from.column + 1U; k < to.column; ++k)
            if (!m_extents[k][from.rank].isEmpty()) return true;
        return false;
    }

    std::uint8_t columnOf(const Side& side) const { return m_plan.units[side.to.front().unit].column; }

    /// The way of a side along the channel, in ranks (half of one for a gap).
    ChannelWire ranksOf(const Side& side) const {
        const Unit& from = m_plan.units[side.from];
        ChannelWire wire;
        wire.from = from.rank + (side.leavesBelow ? 0.5 : 0.0);
        wire.low = wire.high = wire.from;
        for (const Side::Target& target : side.to) {
            const std::uint32_t rank = m_plan.units[target.unit].rank;
            const double at = (rank == kNoIndex ? from.rank : rank) - (target.entersAbove ? 0.5 : 0.0);
            wire.low = std::min(wire.low, at);
            wire.high = std::max(wire.high, at);
        }
        return wire;
    }

    void findPassedRanks() {
        for (std::uint8_t k = 0; k < kColumnCount; ++k) {
            std::vector<std::int32_t> change(m_container.rankCount + std::size_t{1}, 0);
            for (const std::uint32_t s : m_container.sides) {
                const Side& side = m_plan.sides[s];
                const ChannelWire wire = ranksOf(side);
                const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(wire.low)));
                const auto last = static_cast<std::size_t>(std::max(0.0, std::floor(wire.high)));
                if (columnOf(side) <= k || first > last || last >= m_container.rankCount) continue;
                ++change[first];
                --change[last + 1];
            }
            std::int32_t passing = 0;
            for (std::uint32_t r = 0; r < m_container.rankCount; ++r) {
                passing += change[r];
                m_extents[k][r].isPassed = passing > 0;
            }
        }
    }

    ChannelWire wireOf(const Side& side) const {
        ChannelWire wire = ranksOf(side);
        wire.goesUp = wire.high - wire.from >= wire.from - wire.low;
        // A track of a channel is shared only by wires that are ranks apart.
        wire.low = wire.low * 20 - 4;
        wire.high = wire.high * 20 + 4;
        wire.from *= 20;
        return wire;
    }

    double channelWidth(std::uint8_t column) {
        m_bent.clear();
        std::vector<ChannelWire> wires;
        bool hasLongLabel = false;
        for (const std::uint32_t s : m_container.sides) {
            const Side& side = m_plan.sides[s];
            if (columnOf(side) != column) continue;
            hasLongLabel = hasLongLabel || side.hasLongLabel;
            if (side.isStraight) continue;
            m_bent.push_back(s);
            wires.push_back(wireOf(side));
        }
        m_tracks = assignTracks(wires, kMostChannelTracks);
        m_track.clear();
        for (const ChannelWire& wire : wires)
            m_track.push_back(wire.track);
        const double least =
            hasLongLabel ? std::max(kLongLabelGap, m_plan.options.columnGap) : m_plan.options.columnGap;
        return std::max(least, 2 * kChannelMargin + kChannelPitch * m_tracks);
    }

    /// How far column k must be moved so that one rank is clear of the columns before it.
    double needOf(std::uint8_t k, std::uint32_t rank, double channel) const {
        const RankExtent& own = m_extents[k][rank];
        if (own.isEmpty()) return -kInfinite;
        double right = -kInfinite;
        for (std::uint8_t before = 0; before < k; ++before)
            right = std::max(right, m_extents[before][rank].right);
        if (std::isinf(right)) return -kInfinite;
        const double need = right + channel - own.left;
        const RankExtent& beside = m_extents[k - 1U][rank];
        if (own.units != 1 || beside.units != 1 || own.hasLane || beside.hasLane) return need;
        // One block that has parts in both columns keeps them as it has placed them.
        const Unit& a = m_plan.units[beside.unit];
        const Unit& b = m_plan.units[own.unit];
        if (a.child == kNoIndex || a.child != b.child) return need;
        const Container& child = m_plan.containers[a.child];
        return (a.x - child.parts[k - 1U].anchor) - (b.x - child.parts[k].anchor);
    }

    /// By rank. The stretches of a stack are those of its first column that needs any.
    std::vector<double> offsetsOf(std::uint8_t k, double channel) {
        std::vector<double> need(m_container.rankCount);
        for (std::uint32_t r = 0; r < need.size(); ++r)
            need[r] = needOf(k, r, channel);
        const double common = widest(k, need, channel);
        if (!m_container.isStack) return std::vector<double>(need.size(), common);
        if (m_stretches.empty()) findStretches(need);
        std::vector<double> offsets(need.size());
        for (std::size_t s = 0; s < m_stretches.size(); ++s) {
            const std::size_t end = s + 1 < m_stretches.size() ? m_stretches[s + 1] : need.size();
            double most = -kInfinite;
            for (std::size_t r = m_stretches[s]; r < end; ++r)
                most = std::max(most, need[r]);
            for (std::size_t r = m_stretches[s]; r < end; ++r)
                offsets[r] = std::isinf(most) ? common : most;
        }
        return offsets;
    }

    /// Cuts the ranks where what they need changes for good.
    void findStretches(const std::vector<double>& need) {
        std::vector<double> wide(need.size(), -kInfinite); // the most that is needed nearby
        for (std::size_t r = 0; r < need.size(); ++r) {
            const std::size_t end = std::min(need.size(), r + kNearRanks + 1);
            for (std::size_t s = r > kNearRanks ? r - kNearRanks : 0; s < end; ++s)
                wide[r] = std::max(wide[r], need[s]);
        }
        m_stretches.push_back(0);
        double low = kInfinite, high = -kInfinite;
        for (std::size_t r = 0; r < wide.size(); ++r) {
            if (std::isinf(wide[r])) continue;
            if (wide[r] > low + kSameStretch || wide[r] < high - kSameStretch) {
                m_stretches.push_back(r);
                low = kInfinite;
                high = -kInfinite;
            }
            low = std::min(low, wide[r]);
            high = std::max(high, wide[r]);
        }
    }

    /// One offset for a whole column; where no rank asks for any, it stands beside the widest.
    double widest(std::uint8_t k, const std::vector<double>& need, double channel) const {
        double most = -kInfinite;
        for (const double n : need)
            most = std::max(most, n);
        double right = -kInfinite, left = kInfinite;
        for (std::uint32_t r = 0; r < m_container.rankCount; ++r) {
            for (std::uint8_t before = 0; before < k; ++before) {
                const RankExtent& extent = m_extents[before][r];
                const bool mayReachOver = m_extents[k][r].isEmpty() && !extent.isPassed;
                right = std::max(right, mayReachOver ? extent.rightOfAllButEnds : extent.right);
            }
            left = std::min(left, m_extents[k][r].left);
        }
        // In one piece a column is straight: no rank of it reaches below the columns before it,
        // but for an input or output that nothing runs beside.
        if (!m_container.isStack && !std::isinf(right)) return right + channel - left;
        if (!std::isinf(most)) return most;
        return std::isinf(right) ? 0 : right + channel - left;
    }

    void shift(std::uint8_t k, const std::vector<double>& offsets) {
        for (const std::uint32_t u : m_container.units)
            if (m_plan.units[u].column == k) m_plan.units[u].x += offsets[m_plan.units[u].rank];
        for (const std::uint32_t p : m_container.ports) {
            Port& port = m_plan.ports[p];
            if (port.column == k) port.x += port.isTop ? offsets.front() : offsets.back();
        }
        eachLane([&](const Trunk& trunk, std::uint32_t rank, double& x) {
            if (trunk.column == k) x += offsets[rank];
        });
        for (std::uint32_t r = 0; r < offsets.size(); ++r) {
            RankExtent& extent = m_extents[k][r];
            if (extent.isEmpty()) continue;
            extent.left += offsets[r];
            extent.right += offsets[r];
            extent.leftmost += offsets[r];
            extent.rightmost += offsets[r];
        }
    }

    /// Tracks of the channel in front of column k.
    void placeChannel(std::uint8_t k, double channel) {
        double left = kInfinite;
        for (const RankExtent& extent : m_extents[k])
            left = std::min(left, extent.left);
        const double free = channel - 2 * kChannelMargin;
        const double pitch = m_tracks > 1 ? std::min(kChannelPitch * 2, free / (m_tracks - 1)) : 0;
        const double used = m_tracks > 1 ? pitch * (m_tracks - 1) : 0;
        const double first = left - channel / 2 - used / 2;
        for (std::size_t i = 0; i < m_bent.size(); ++i) {
            Side& side = m_plan.sides[m_bent[i]];
            side.channelX = std::round(first + pitch * m_track[i]);
            // Where the column stands farther right, so may what is before it.
            const RankExtent room = channelRoom(side, k);
            if (side.channelX < room.left && !std::isinf(room.right))
                side.channelX += std::round(room.right - left);
        }
    }

    /// From what stands before column k to the column, in all ranks that a side passes.
    RankExtent channelRoom(const Side& side, std::uint8_t k) const {
        const std::uint32_t from = m_plan.units[side.from].rank;
        std::uint32_t low = from, high = from;
        for (const Side::Target& target : side.to) {
            const std::uint32_t rank = m_plan.units[target.unit].rank;
            if (rank == kNoIndex) continue;
            low = std::min(low, rank);
            high = std::max(high, rank);
        }
        RankExtent room;
        room.left = -kInfinite;
        room.right = kInfinite;
        for (std::uint32_t r = low; r <= high; ++r) {
            for (std::uint8_t before = 0; before < k; ++before)
                room.left = std::max(room.left, m_extents[before][r].right);
            room.right = std::min(room.right, m_extents[k][r].left);
        }
        return room;
    }

    Plan& m_plan;
    Container& m_container;
    std::array<std::vector<RankExtent>, kColumnCount> m_extents; ///< by column and rank
    std::vector<std::uint32_t> m_bent; ///< sides with a track in the present channel
    std::vector<std::uint32_t> m_track;
    std::uint32_t m_tracks = 0;
    std::vector<std::size_t> m_stretches; ///< first ranks
};

} // namespace

void placeColumns(Plan& plan, std::uint32_t container) {
    ColumnPlacer(plan, container).run();
}

} // namespace secateur
