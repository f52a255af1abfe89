// SPDX-License-Identifier: Apache-2.0
#include "core/layout/attach_points.h"

#include "core/layout/node_metrics.h"
#include "core/support/number_table.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kCorner = 10;   ///< no edge enters nearer to a corner
constexpr double kApart = 12;    ///< between two edges at one side of a box
constexpr double kBesideTag = 6; ///< between a tag and the first edge
constexpr double kAsideGradients = 16;
constexpr double kSlotPitch = 7; ///< between edges at the left or right side of a box

double within(double x, double low, double high) {
    return std::max(low, std::min(x, high));
}

/// An edge that wants to be attached to the top or the bottom of a box.
struct Request {
    std::uint32_t unit = 0;
    bool atTop = true;
    double wish = 0;
    double* answer = nullptr;
};

class AttachPlacer {
  public:
    AttachPlacer(Plan& plan, std::uint32_t container)
        : m_plan(plan), m_container(plan.containers[container]) {}

    void run() {
        collectExits();
        place(m_exits, true);
        collectEntries();
        place(m_entries, false);
        placeSideSlots();
    }

  private:
    /// Sets the answer where it is no choice (ports), else asks for one.
    void ask(std::vector<Request>& list, const End& end, bool atTop, double wish, double& answer) {
        if (end.port != kNoIndex)
            answer = end.unit == kNoIndex ? m_plan.ports[end.port].x : portXAt(m_plan, end);
        else
            list.push_back({end.unit, atTop, wish, &answer});
    }

    /// x of the next lane (or target) of a trunk, to put exits in the order of where they lead.
    double headingOf(const Trunk& trunk) const {
        if (trunk.laneCount > 0) return m_plan.laneX[trunk.firstLane];
        const End& to = trunk.to.front();
        return to.unit != kNoIndex ? m_plan.units[to.unit].x : m_plan.ports[to.port].x;
    }

    void collectExits() {
        for (const std::uint32_t t : m_container.trunks) {
            Trunk& trunk = m_plan.trunks[t];
            trunk.entryX.assign(trunk.to.size(), 0);
            ask(m_exits, trunk.from, !trunk.isDown, headingOf(trunk), trunk.exitX);
        }
        for (const std::uint32_t h : m_container.hops) {
            Hop& hop = m_plan.hops[h];
            ask(m_exits, hop.from, !hop.isDown, m_plan.units[hop.to.unit].x, hop.exitX);
        }
        for (const std::uint32_t s : m_container.sides) {
            Side& side = m_plan.sides[s];
            if (side.leavesBelow) ask(m_exits, {side.from, kNoIndex}, false, side.channelX, side.exit);
        }
    }

    void collectEntries() {
        for (const std::uint32_t t : m_container.trunks) {
            Trunk& trunk = m_plan.trunks[t];
            const std::uint32_t start = m_plan.layerOf(m_container, trunk.from);
            for (std::size_t k = 0; k < trunk.to.size(); ++k) {
                const std::uint32_t layer = m_plan.layerOf(m_container, trunk.to[k]);
                const std::uint32_t distance = trunk.isDown ? layer - start : start - layer;
                const double wish =
                    distance == 1 ? trunk.exitX : m_plan.laneX[trunk.firstLane + distance - 2];
                ask(m_entries, trunk.to[k], trunk.isDown, wish, trunk.entryX[k]);
            }
        }
        for (const std::uint32_t h : m_container.hops) {
            Hop& hop = m_plan.hops[h];
            ask(m_entries, hop.to, hop.isDown, hop.exitX, hop.entryX);
        }
        for (const std::uint32_t s : m_container.sides) {
            Side& side = m_plan.sides[s];
            for (Side::Target& target : side.to)
                if (target.entersAbove && target.port == kNoIndex)
                    ask(m_entries, {target.unit, kNoIndex}, true, side.channelX, target.entry);
        }
    }

    void place(std::vector<Request>& requests, bool areExits) {
        std::stable_sort(requests.begin(), requests.end(), [](const Request& a, const Request& b) {
            if (a.unit != b.unit) return a.unit < b.unit;
            if (a.atTop != b.atTop) return a.atTop;
            return a.wish < b.wish;
        });
        std::size_t first = 0;
        for (std::size_t k = 1; k <= requests.size(); ++k) {
            const bool isSameSide = k < requests.size() && requests[k].unit == requests[first].unit &&
                                    requests[k].atTop == requests[first].atTop;
            if (isSameSide) continue;
            areExits ? placeExits(requests, first, k) : placeEntries(requests, first, k);
            first = k;
        }
    }

    struct Range {
        double low = 0, high = 0;
    };
    /// The part of a box's top or bottom that edges may use: not the corners, not below a portal's tag.
    Range rangeOf(const Request& request) const {
        const Unit& unit = m_plan.units[request.unit];
        Range range{unit.x - unit.left + kCorner, unit.x + unit.right - kCorner};
        const auto& tags = request.atTop ? m_plan.tagRoomTop : m_plan.tagRoomBottom;
        const std::uint32_t tag = unit.item < tags.size() ? tags[unit.item] : 0;
        if (tag > 0) range.low = std::max(range.low, unit.x - unit.left + tag + kBesideTag);
        return range;
    }

    void placeExits(std::vector<Request>& list, std::size_t first, std::size_t end) {
        const Range range = rangeOf(list[first]);
        const auto count = static_cast<double>(end - first);
        // Gradients run up the middle of the backward column; what runs down it keeps beside them.
        const Unit& unit = m_plan.units[list[first].unit];
        const double aside = unit.column > 0 && !list[first].atTop ? kAsideGradients : 0;
        const double middle = within(unit.x + aside, range.low, range.high);
        const double apart = count > 1 ? std::min(kApart, (range.high - range.low) / (count - 1)) : 0;
        double x = within(middle - apart * (count - 1) / 2, range.low, range.high - apart * (count - 1));
        for (std::size_t k = first; k < end; ++k, x += apart)
            *list[k].answer = std::round(x);
        m_taken.push_back({list[first].unit, list[first].atTop, first, end});
    }

    void placeEntries(std::vector<Request>& list, std::size_t first, std::size_t end) {
        const Unit& unit = m_plan.units[list[first].unit];
        const Range range = rangeOf(list[first]);
        if (end - first > kMostEntries) {
            for (std::size_t k = first; k < end; ++k)
                *list[k].answer = within(std::round(unit.x), range.low, range.high);
            return;
        }
        const double quarter = (range.high - range.low) / 4;
        std::vector<double> x;
        for (std::size_t k = first; k < end; ++k) {
            double at = list[k].wish;
            if (at < range.low) at = end - first == 1 ? std::max(unit.x, range.low) : range.low + quarter;
            if (at > range.high) at = end - first == 1 ? std::max(unit.x, range.low) : range.high - quarter;
            x.push_back(within(awayFromExits(list[k], at), range.low, range.high));
        }
        const double apart =
            x.size() > 1 ? std::min(kApart, (range.high - range.low) / static_cast<double>(x.size() - 1)) : 0;
        for (std::size_t k = 1; k < x.size(); ++k)
            x[k] = std::max(x[k], x[k - 1] + apart);
        double limit = range.high;
        for (std::size_t k = x.size(); k-- > 0; limit -= apart)
            x[k] = std::min(x[k], limit);
        for (std::size_t k = 0; k < x.size(); ++k)
            *list[first + k].answer = std::round(x[k]);
    }

    /// Entries keep clear of the exits at the same side of the box.
    double awayFromExits(const Request& request, double x) const {
        const auto at =
            std::lower_bound(m_taken.begin(), m_taken.end(), request, [](const Taken& t, const Request& r) {
                return t.unit != r.unit ? t.unit < r.unit : t.atTop && !r.atTop;
            });
        if (at == m_taken.end() || at->unit != request.unit || at->atTop != request.atTop) return x;
        for (std::size_t k = at->first; k < at->end; ++k) {
            const double exit = *m_exits[k].answer;
            if (std::abs(x - exit) < kApart) x = exit + (x < exit ? -kApart : kApart);
        }
        return x;
    }

    // --- left and right sides ---

    /// What goes straight over to the same rank is placed first; the rest takes the slots that are left.
    void placeSideSlots() {
        for (const std::uint32_t s : m_container.sides)
            placeStraight(m_plan.sides[s]);
        for (const std::uint32_t s : m_container.sides)
            placeBent(m_plan.sides[s]);
    }

    bool isStraight(const Side& side, const Side::Target& target) const {
        return !side.leavesBelow && !target.entersAbove && target.port == kNoIndex &&
               m_plan.units[side.from].rank == m_plan.units[target.unit].rank;
    }

    void placeStraight(Side& side) {
        std::uint32_t slot = nextSlot(m_slotRight, side.from);
        bool hasAny = false;
        for (const Side::Target& target : side.to) {
            if (!isStraight(side, target)) continue;
            slot = std::max(slot, nextSlot(m_slotLeft, target.unit));
            hasAny = true;
        }
        if (!hasAny) return;
        double y = slotY(slot, side.from);
        for (const Side::Target& target : side.to)
            if (isStraight(side, target)) y = std::min(y, slotY(slot, target.unit));
        side.exit = y;
        side.hasExit = true;
        take(m_slotRight, side.from, slot);
        for (Side::Target& target : side.to) {
            if (!isStraight(side, target)) continue;
            target.entry = y;
            take(m_slotLeft, target.unit, slot);
        }
    }

    void placeBent(Side& side) {
        if (!side.leavesBelow && !side.hasExit) {
            const std::uint32_t slot = nextSlot(m_slotRight, side.from);
            side.exit = slotY(slot, side.from);
            take(m_slotRight, side.from, slot);
        }
        for (Side::Target& target : side.to) {
            if (target.entersAbove || target.port != kNoIndex || isStraight(side, target)) continue;
            const std::uint32_t slot = nextSlot(m_slotLeft, target.unit);
            target.entry = slotY(slot, target.unit);
            take(m_slotLeft, target.unit, slot);
        }
    }

    using Slots = NumberTable; ///< slots taken by unit
    static std::uint32_t nextSlot(const Slots& slots, std::uint32_t unit) {
        const std::uint32_t next = slots.find(unit);
        return next == NumberTable::kNone ? 0 : next;
    }
    static void take(Slots& slots, std::uint32_t unit, std::uint32_t slot) {
        *slots.tryEmplace(unit, 0).first = slot + 1;
    }
    double slotY(std::uint32_t slot, std::uint32_t unit) const {
        const double y = node_metrics::kTitleHeight / 2 + kSlotPitch * slot;
        return y <= m_plan.units[unit].height - 4 ? y : node_metrics::kTitleHeight / 2;
    }

    /// Exits of one side of a box, as a range of m_exits; sorted like them.
    struct Taken {
        std::uint32_t unit = 0;
        bool atTop = true;
        std::size_t first = 0, end = 0;
    };

    Plan& m_plan;
    Container& m_container;
    std::vector<Request> m_exits, m_entries;
    std::vector<Taken> m_taken;
    Slots m_slotRight, m_slotLeft;
};

} // namespace

double portXAt(const Plan& plan, const End& end) {
    const Unit& unit = plan.units[end.unit];
    const Part& part = plan.containers[unit.child].parts[unit.column];
    return unit.x - part.anchor + plan.ports[end.port].x;
}

void placeAttachPoints(Plan& plan, std::uint32_t container) {
    AttachPlacer(plan, container).run();
}

} // namespace secateur
