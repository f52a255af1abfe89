// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ways.h"

#include "core/layout/containers.h"
#include "core/support/hash.h"
#include "core/support/number_table.h"

#include <algorithm>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr std::uint32_t kMostSidewaysSpan = 12; ///< an edge between columns over more ranks becomes a portal

class WayChooser {
  public:
    explicit WayChooser(Plan& plan) : m_plan(plan) {}

    void run() {
        const std::size_t n = m_plan.visible.edges.size();
        m_plan.fates.assign(n, Fate::portal);
        m_course.resize(n);
        m_plan.legs.reserve(n);
        m_hasUpdateUnits.assign(m_plan.containers.size(), false);
        for (const Unit& u : m_plan.units)
            if (u.column == 2 && u.rank != kNoIndex) m_hasUpdateUnits[u.container] = true;
        for (std::uint32_t e = 0; e < n; ++e) {
            if (m_plan.isCancelledAt(e)) return;
            classify(e);
        }
        limitSpans();
        m_plan.legStart.assign(n + 1, 0);
        for (std::uint32_t e = 0; e < n; ++e) {
            if (m_plan.isCancelledAt(e)) return;
            // Only edges from one box share ways, and they follow each other.
            if (e > 0 && m_plan.visible.edges[e].from != m_plan.visible.edges[e - 1].from) forgetWays();
            if (m_plan.fates[e] == Fate::ways) build(e);
            m_plan.legStart[e + 1] = static_cast<std::uint32_t>(m_plan.legs.size());
        }
    }

  private:
    enum class Kind : std::uint8_t { none, vertical, hop, side, update };
    /// Where an edge changes from one unit to another.
    struct Course {
        Kind kind = Kind::none;
        bool isDown = true;
        std::uint32_t common = 0;
        std::uint32_t from = 0, to = 0; ///< units of it
        std::uint32_t span = 0;         ///< lanes that it needs
    };

    const Unit& unit(std::uint32_t index) const { return m_plan.units[index]; }

    void classify(std::uint32_t index) {
        const VisibleEdge& e = m_plan.visible.edges[index];
        Fate& fate = m_plan.fates[index];
        if (m_plan.visible.isReplacing(e.from) || m_plan.visible.isReplacing(e.to)) {
            fate = e.isPortal ? Fate::portal : Fate::free;
        } else if (e.from == e.to) {
            fate = Fate::loop;
        } else if (!e.isPortal && unit(e.from).container != kNoIndex && unit(e.to).container != kNoIndex) {
            m_course[index] = courseOf(e);
            if (m_course[index].kind != Kind::none) fate = Fate::ways;
        }
    }

    /// Whether a box stands in a piece of updates that is not `container` itself.
    bool isInPiece(std::uint32_t item, std::uint32_t container) const {
        const std::uint32_t own = unit(item).container;
        return own != container && m_plan.containers[own].kind == Container::Kind::update;
    }

    Course courseOf(const VisibleEdge& e) const {
        Course course;
        course.common = commonContainer(m_plan, unit(e.from).container, unit(e.to).container);
        course.from = unitAround(m_plan, course.common, e.from);
        course.to = unitAround(m_plan, course.common, e.to);
        const Unit& from = unit(course.from);
        const Unit& to = unit(course.to);
        if (isInPiece(e.from, course.common)) return course; // from a piece of updates to the rest
        if (isInPiece(e.to, course.common)) {
            if (to.rank != kNoIndex) return course; // of another block
            // Its area stands beside the ranks, and must be the next thing there.
            const bool isHere = from.item == e.from && !m_plan.containers[course.common].isStack &&
                                !m_hasUpdateUnits[course.common];
            if (isHere && from.column < 2) course.kind = Kind::update;
            return course;
        }
        course.isDown = from.rank < to.rank;
        const std::uint32_t distance = course.isDown ? to.rank - from.rank : from.rank - to.rank;
        if (from.column == to.column) {
            if (distance == 0) return course;
            course.kind = Kind::vertical;
            course.span = distance - 1 + spanInside(course, e.from, true) + spanInside(course, e.to, false);
        } else if (from.column < to.column) {
            course.kind = sidewaysKind(course, e, distance);
            course.span = distance;
            if (course.kind == Kind::hop)
                course.span = spanInside(course, e.from, true) + spanInside(course, e.to, false);
        }
        return course;
    }

    Kind sidewaysKind(const Course& course, const VisibleEdge& e, std::uint32_t distance) const {
        const Unit& from = unit(course.from);
        const Unit& to = unit(course.to);
        const bool areBoxes = from.item == e.from && to.item == e.to;
        const bool isStack = m_plan.containers[course.common].isStack;
        if (to.column - from.column > 1) return Kind::none; // another column lies between
        if (areBoxes && (distance == 0 || !isStack)) return Kind::side;
        return distance == 1 ? Kind::hop : Kind::none;
    }

    /// Ranks between a box and the border of the unit of `course` that holds it.
    std::uint32_t spanInside(const Course& course, std::uint32_t item, bool isSource) const {
        std::uint32_t span = 0;
        std::uint32_t at = item;
        for (std::uint32_t c = unit(item).container; c != course.common; c = m_plan.containers[c].parent) {
            const bool leavesBelow = isSource == course.isDown;
            span += leavesBelow ? m_plan.containers[c].rankCount - 1 - unit(at).rank : unit(at).rank;
            at = m_plan.containers[c].parts[unit(item).column].unit;
        }
        return span;
    }

    /// Edges over many ranks become portals; in a graph with few of them the limit is as large as is
    /// affordable.
    void limitSpans() {
        std::vector<std::uint32_t> spans;
        for (const Course& course : m_course) {
            if (course.kind != Kind::vertical) continue;
            if (course.span >= spans.size()) spans.resize(course.span + std::size_t{1}, 0);
            ++spans[course.span];
        }
        const std::uint64_t affordable = m_plan.visible.items.size() * 3 / 2 + 512;
        std::uint64_t lanes = 0;
        std::uint32_t limit = 0;
        for (std::uint32_t s = 0; s < spans.size(); ++s) {
            lanes += std::uint64_t{spans[s]} * s;
            if (s >= m_plan.options.maxSpan && lanes > affordable) break;
            limit = s;
        }
        for (std::size_t e = 0; e < m_course.size(); ++e) {
            const Course& course = m_course[e];
            if (course.kind == Kind::none) continue;
            const std::uint32_t most = course.kind == Kind::vertical ? limit : kMostSidewaysSpan;
            if (course.span > most) m_plan.fates[e] = Fate::portal;
        }
    }

    // --- the way itself ---

    void forgetWays() {
        for (NumberTable* table : {&m_portOf, &m_trunkOf, &m_hopOf, &m_sideOf, &m_targetOf})
            table->clear();
    }

    void build(std::uint32_t index) {
        const VisibleEdge& e = m_plan.visible.edges[index];
        const Course& course = m_course[index];
        switch (course.kind) {
        case Kind::vertical:
        case Kind::hop: buildThrough(e, course); break;
        case Kind::side: addSide(course.common, e, {course.to, kNoIndex}); break;
        case Kind::update: {
            const std::uint32_t piece = unit(course.to).child;
            const std::uint32_t port = portOf(piece, 2, true, e);
            addSide(course.common, e, {course.to, port});
            addTrunk(piece, 2, true, e, {kNoIndex, port}, {e.to, kNoIndex});
            break;
        }
        case Kind::none: break;
        }
    }

    /// Out of the containers around the source, over to the unit that holds the target, into it.
    void buildThrough(const VisibleEdge& e, const Course& course) {
        const std::uint8_t out = unit(e.from).column, in = unit(e.to).column;
        End at{e.from, kNoIndex};
        for (std::uint32_t c = unit(e.from).container; c != course.common; c = m_plan.containers[c].parent) {
            const std::uint32_t port = portOf(c, out, !course.isDown, e);
            addTrunk(c, out, course.isDown, e, at, {kNoIndex, port});
            at = {m_plan.containers[c].parts[out].unit, port};
        }
        std::vector<std::pair<std::uint32_t, std::uint32_t>> inner; // containers around the target, and ports
        for (std::uint32_t c = unit(e.to).container; c != course.common; c = m_plan.containers[c].parent)
            inner.push_back({c, portOf(c, in, course.isDown, e)});
        End target{course.to, inner.empty() ? kNoIndex : inner.back().second};
        if (course.kind == Kind::hop)
            addHop(course, e, at, target);
        else
            addTrunk(course.common, out, course.isDown, e, at, target);
        for (std::size_t k = inner.size(); k-- > 0;) {
            const auto [container, port] = inner[k];
            const End next =
                k == 0 ? End{e.to, kNoIndex}
                       : End{m_plan.containers[inner[k - 1].first].parts[in].unit, inner[k - 1].second};
            addTrunk(container, in, course.isDown, e, {kNoIndex, port}, next);
        }
    }

    static std::uint64_t hashOf(std::initializer_list<std::uint64_t> parts) {
        std::uint64_t hash = 0;
        for (const std::uint64_t part : parts)
            hash = hashCombine(hash, part);
        return hash;
    }
    static std::uint64_t valueOf(const VisibleEdge& e) { return std::uint64_t{e.from} << 16U | e.fromSlot; }

    std::uint32_t portOf(std::uint32_t container, std::uint8_t column, bool isTop, const VisibleEdge& e) {
        const std::uint64_t key = hashOf({container, column, isTop ? 1U : 0U, valueOf(e)});
        const auto [at, isNew] = m_portOf.tryEmplace(key, static_cast<std::uint32_t>(m_plan.ports.size()));
        if (isNew) {
            m_plan.ports.push_back({container, column, isTop, e.from, 0});
            m_plan.containers[container].ports.push_back(*at);
        }
        return *at;
    }

    void addTrunk(std::uint32_t container, std::uint8_t column, bool isDown, const VisibleEdge& e, End from,
                  End to) {
        const std::uint64_t key =
            hashOf({container, column, isDown ? 1U : 0U, from.unit, from.port, valueOf(e)});
        const auto [at, isNew] = m_trunkOf.tryEmplace(key, static_cast<std::uint32_t>(m_plan.trunks.size()));
        if (isNew) {
            Trunk trunk;
            trunk.container = container;
            trunk.column = column;
            trunk.isDown = isDown;
            trunk.from = from;
            m_plan.trunks.push_back(std::move(trunk));
            m_plan.containers[container].trunks.push_back(*at);
        }
        addLeg(Leg::Kind::trunk, *at, targetIn(m_plan.trunks[*at].to, to, *at, 0));
    }

    void addHop(const Course& course, const VisibleEdge& e, End from, End to) {
        const std::uint64_t key = hashOf({course.from, from.port, course.to, to.port, valueOf(e)});
        const auto [at, isNew] = m_hopOf.tryEmplace(key, static_cast<std::uint32_t>(m_plan.hops.size()));
        if (isNew) {
            Hop hop;
            hop.container = course.common;
            hop.isDown = course.isDown;
            hop.gap = std::max(unit(course.from).rank, unit(course.to).rank);
            hop.from = from;
            hop.to = to;
            m_plan.hops.push_back(hop);
            m_plan.containers[course.common].hops.push_back(*at);
        }
        addLeg(Leg::Kind::hop, *at, 0);
    }

    void addSide(std::uint32_t container, const VisibleEdge& e, End to) {
        const std::uint64_t key = hashOf({container, unit(to.unit).column, valueOf(e)});
        const auto [at, isNew] = m_sideOf.tryEmplace(key, static_cast<std::uint32_t>(m_plan.sides.size()));
        if (isNew) {
            Side side;
            side.container = container;
            side.from = e.from;
            m_plan.sides.push_back(std::move(side));
            m_plan.containers[container].sides.push_back(*at);
        }
        Side& side = m_plan.sides[*at];
        const LayoutEdge& first = m_plan.graph.edges[m_plan.visible.edgeList[e.firstEdge]];
        side.hasLongLabel = side.hasLongLabel || (e.edgeClass == EdgeClass::stash && first.bytes < 0);
        const std::uint64_t target = hashOf({1, *at, to.unit, to.port});
        const auto [known, isFirst] =
            m_targetOf.tryEmplace(target, static_cast<std::uint32_t>(side.to.size()));
        if (isFirst) {
            Side::Target t;
            t.unit = to.unit;
            t.port = to.port;
            side.to.push_back(t);
        }
        addLeg(Leg::Kind::side, *at, *known);
    }

    std::uint32_t targetIn(std::vector<End>& list, End to, std::uint32_t trunk, std::uint64_t kind) {
        const std::uint64_t key = hashOf({kind, trunk, to.unit, to.port});
        const auto [at, isNew] = m_targetOf.tryEmplace(key, static_cast<std::uint32_t>(list.size()));
        if (isNew) list.push_back(to);
        return *at;
    }

    void addLeg(Leg::Kind kind, std::uint32_t index, std::uint32_t target) {
        m_plan.legs.push_back({kind, index, target});
    }

    Plan& m_plan;
    std::vector<Course> m_course;       ///< by visible edge
    std::vector<bool> m_hasUpdateUnits; ///< by container: a closed group stands in its third column
    NumberTable m_portOf, m_trunkOf, m_hopOf, m_sideOf, m_targetOf;
};

} // namespace

void chooseWays(Plan& plan) {
    WayChooser(plan).run();
}

} // namespace secateur
