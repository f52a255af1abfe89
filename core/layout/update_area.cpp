// SPDX-License-Identifier: Apache-2.0
#include "core/layout/update_area.h"

#include "core/layout/attach_points.h"
#include "core/layout/node_metrics.h"
#include "core/layout/track_assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace secateur {

using namespace layout_plan;

namespace {

constexpr double kBesidePieces = 24; ///< between two pieces of one row
constexpr double kBelowPieces = 14;  ///< between two rows
constexpr double kRoomForRun = 10;   ///< above a row, and more for each track
constexpr double kSmallestHeight = 320;
constexpr std::size_t kMostColumns = 24;
constexpr std::uint32_t kMostTracks = 10;
constexpr double kChannelMargin = 12;
constexpr double kWidestChannel = 84;

} // namespace

UpdateArea::UpdateArea(Plan& plan, std::uint32_t container)
    : m_plan(plan), m_container(plan.containers[container]) {
    collectPieces();
}

void UpdateArea::collectPieces() {
    if (m_container.updates.empty()) return;
    for (const std::uint32_t c : m_container.updates) {
        Piece piece;
        piece.container = c;
        piece.unit = m_plan.containers[c].parts[2].unit;
        piece.sourceRank = kNoIndex;
        piece.order = kNoIndex;
        for (const std::uint32_t u : m_plan.containers[c].units)
            piece.order = std::min(piece.order, m_plan.visible.items[m_plan.units[u].item].order);
        m_pieces.push_back(piece);
    }
    std::unordered_map<std::uint32_t, std::uint32_t> pieceOf; // by unit
    for (std::uint32_t i = 0; i < m_pieces.size(); ++i)
        pieceOf.emplace(m_pieces[i].unit, i);
    for (const std::uint32_t s : m_container.sides) {
        const Side& side = m_plan.sides[s];
        bool isOurs = false;
        for (std::uint32_t t = 0; t < side.to.size(); ++t) {
            const auto at = pieceOf.find(side.to[t].unit);
            if (side.to[t].port == kNoIndex || at == pieceOf.end()) continue;
            Piece& piece = m_pieces[at->second];
            piece.entries.push_back({s, t});
            piece.sourceRank = std::min(piece.sourceRank, m_plan.units[side.from].rank);
            isOurs = true;
        }
        if (isOurs) m_sides.push_back(s);
    }
    std::stable_sort(m_pieces.begin(), m_pieces.end(), [](const Piece& a, const Piece& b) {
        return a.sourceRank != b.sourceRank ? a.sourceRank < b.sourceRank : a.order < b.order;
    });
}

void UpdateArea::makeRows(std::size_t columns) {
    m_rows.clear();
    for (std::size_t first = 0; first < m_pieces.size(); first += columns) {
        Row row;
        row.first = first;
        row.end = std::min(m_pieces.size(), first + columns);
        std::uint32_t tracks = 0;
        for (std::size_t i = row.first; i < row.end; ++i) {
            row.height = std::max(row.height, m_plan.units[m_pieces[i].unit].height);
            tracks += static_cast<std::uint32_t>(m_pieces[i].entries.size());
        }
        row.room = tracks > 0 ? kRoomForRun + kTrackPitch * std::min(tracks, kMostTracks) : 0;
        m_rows.push_back(row);
    }
}

double UpdateArea::heightOf(std::size_t columns) const {
    double height = 0;
    for (std::size_t first = 0; first < m_pieces.size(); first += columns) {
        double tallest = 0;
        for (std::size_t i = first; i < std::min(m_pieces.size(), first + columns); ++i)
            tallest = std::max(tallest, m_plan.units[m_pieces[i].unit].height);
        height += tallest + kBelowPieces + kRoomForRun;
    }
    return height;
}

/// About how tall the ranks will be: gaps are not known yet.
double UpdateArea::rowsHeight() const {
    std::vector<double> height(m_container.rankCount, 0);
    for (const std::uint32_t u : m_container.units) {
        double& h = height[m_plan.units[u].rank];
        h = std::max(h, m_plan.units[u].height);
    }
    double sum = 0;
    for (const double h : height)
        sum += h + m_plan.options.rankGap;
    return sum;
}

void UpdateArea::placeAcross(double left) {
    if (m_pieces.empty()) return;
    const double wanted = std::max(rowsHeight(), kSmallestHeight);
    std::size_t columns = 1;
    while (columns < kMostColumns && columns < m_pieces.size() && heightOf(columns) > wanted)
        ++columns;
    makeRows(columns);
    m_left = left;
    const bool hasWays = !m_sides.empty() && !std::isinf(left);
    m_channel = hasWays ? std::clamp(2 * kChannelMargin + kTrackPitch * static_cast<double>(m_sides.size()),
                                     m_plan.options.columnGap, kWidestChannel)
                        : m_plan.options.columnGap;
    for (const std::uint32_t s : m_sides)
        m_plan.sides[s].channelX = std::round(left + m_channel / 2);
    placeColumns(std::isinf(left) ? 0 : left + m_channel);
    for (const Row& row : m_rows)
        markDirect(m_pieces[row.first]);
}

void UpdateArea::placeColumns(double left) {
    for (std::size_t column = 0; column < kMostColumns; ++column) {
        double width = 0;
        for (const Row& row : m_rows) {
            if (row.first + column >= row.end) continue;
            Unit& unit = m_plan.units[m_pieces[row.first + column].unit];
            unit.x = left + unit.left;
            width = std::max(width, unit.left + unit.right);
        }
        if (width == 0) break;
        m_right = left + width;
        left = m_right + kBesidePieces;
    }
    for (const Piece& piece : m_pieces)
        for (const Entry& entry : piece.entries) {
            Side::Target& target = targetOf(entry);
            target.entersAbove = true;
            target.entry = portXAt(m_plan, {target.unit, target.port});
        }
}

/// A piece that takes one value into its first box is entered from the left, like any other box.
void UpdateArea::markDirect(const Piece& piece) {
    Container& inner = m_plan.containers[piece.container];
    if (inner.ports.size() != 1) return;
    for (const std::uint32_t t : inner.trunks) {
        Trunk& trunk = m_plan.trunks[t];
        if (trunk.from.port == kNoIndex) continue;
        if (trunk.to.size() != 1) return;
        const Unit& target = m_plan.units[trunk.to.front().unit];
        for (const std::uint32_t u : inner.units)
            if (m_plan.units[u].rank == 0 && m_plan.units[u].x < target.x) return;
        if (target.rank != 0) return;
        trunk.isDirect = true;
    }
    const double saved = inner.gaps.front().height();
    inner.gaps.front() = {};
    for (std::size_t g = 1; g < inner.gaps.size(); ++g)
        inner.gaps[g].top -= saved;
    for (std::uint32_t r = 0; r < inner.rankCount; ++r) {
        inner.rowTop[r] -= saved;
        inner.rowBottom[r] -= saved;
    }
    for (const std::uint32_t u : inner.units)
        m_plan.units[u].y -= saved;
    inner.height -= saved;
    m_plan.units[piece.unit].height = inner.height;
    for (const Entry& entry : piece.entries) {
        targetOf(entry).entersAbove = false;
        targetOf(entry).entry = node_metrics::kTitleHeight / 2;
    }
}

/// Where edges run above the rows to their pieces.
void UpdateArea::runAbove() {
    for (Row& row : m_rows) {
        std::vector<ChannelWire> wires;
        std::vector<Side::Target*> targets;
        for (std::size_t i = row.first; i < row.end; ++i) {
            for (const Entry& entry : m_pieces[i].entries) {
                Side::Target& target = targetOf(entry);
                if (!target.entersAbove) continue;
                const double x = m_plan.sides[entry.side].channelX;
                wires.push_back({x, x, target.entry, true, 0});
                targets.push_back(&target);
            }
        }
        const std::uint32_t tracks = assignTracks(wires, kMostTracks);
        for (std::size_t k = 0; k < wires.size(); ++k)
            targets[k]->rise = kRoomForRun / 2 + kTrackPitch * (tracks - wires[k].track - 0.5);
        row.room = tracks > 0 ? kRoomForRun + kTrackPitch * tracks : 0;
    }
}

double UpdateArea::placeDown() {
    if (m_pieces.empty()) return 0;
    runAbove();
    // Each row beside the first gradient that it takes, else below the row before.
    const double top = m_container.gaps.empty() ? 0 : m_container.gaps.front().top;
    std::vector<double> y(m_rows.size());
    double free = top;
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        const std::uint32_t rank = m_pieces[m_rows[r].first].sourceRank;
        const double wish = rank < m_container.rowTop.size() ? m_container.rowTop[rank] : free;
        y[r] = std::max(free + m_rows[r].room, wish);
        free = y[r] + m_rows[r].height + kBelowPieces;
    }
    // What reaches below the ranks is moved up again as far as there is room.
    const double end = m_container.rowBottom.empty() ? top : m_container.rowBottom.back();
    double limit = std::max(end, top);
    for (const Row& row : m_rows)
        limit -= row.height + row.room + kBelowPieces;
    limit = std::max(end, end - std::min(0.0, limit - top)); // all rows together may be taller
    for (std::size_t r = m_rows.size(); r-- > 0;) {
        y[r] = std::min(y[r], limit - m_rows[r].height);
        limit = y[r] - m_rows[r].room - kBelowPieces;
    }
    double bottom = top;
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        y[r] = std::round(y[r]);
        for (std::size_t i = m_rows[r].first; i < m_rows[r].end; ++i)
            m_plan.units[m_pieces[i].unit].y = y[r];
        bottom = std::max(bottom, y[r] + m_rows[r].height);
    }
    placeChannel();
    return bottom;
}

/// Tracks of the channel in front of the area, now that heights are known.
void UpdateArea::placeChannel() {
    std::vector<ChannelWire> wires;
    std::vector<Side*> bent;
    for (const std::uint32_t s : m_sides) {
        Side& side = m_plan.sides[s];
        const Unit& from = m_plan.units[side.from];
        const Gap& below = m_container.gaps[from.rank + 1];
        ChannelWire wire;
        wire.from = side.leavesBelow ? below.trackY(side.exitTrack) : from.y + side.exit;
        wire.low = wire.high = wire.from;
        for (const Side::Target& target : side.to) {
            const double top = m_plan.units[target.unit].y;
            const double at = target.entersAbove ? top - target.rise : top + target.entry;
            wire.low = std::min(wire.low, at);
            wire.high = std::max(wire.high, at);
        }
        side.isStraight = wire.high - wire.low < 1;
        if (side.isStraight) continue;
        wire.goesUp = wire.high - wire.from >= wire.from - wire.low;
        wires.push_back(wire);
        bent.push_back(&side);
    }
    const double free = m_channel - 2 * kChannelMargin;
    const std::uint32_t tracks = assignTracks(wires, static_cast<std::uint32_t>(free / 4) + 1);
    const double pitch = tracks > 1 ? std::min(kTrackPitch, free / (tracks - 1)) : 0;
    const double first = m_left + m_channel / 2 - pitch * (tracks > 1 ? tracks - 1 : 0) / 2;
    for (std::size_t k = 0; k < bent.size(); ++k)
        bent[k]->channelX = std::round(first + pitch * wires[k].track);
}

} // namespace secateur
