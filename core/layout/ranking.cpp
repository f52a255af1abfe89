// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ranking.h"

#include "core/layout/rank_lengths.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace secateur {
namespace {

/// `above` must stand at least `length` ranks above `below`.
struct Constraint {
    std::uint32_t above = 0;
    std::uint32_t below = 0;
    std::uint32_t length = 1;
    bool isForward = true; ///< between items of the forward column
};

/// Constraints by either end, as offsets into one list.
struct Adjacency {
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> list;

    Adjacency(const std::vector<Constraint>& constraints, std::size_t itemCount, bool byAbove) {
        start.assign(itemCount + 1, 0);
        for (const Constraint& c : constraints)
            ++start[(byAbove ? c.above : c.below) + 1];
        for (std::size_t i = 1; i < start.size(); ++i)
            start[i] += start[i - 1];
        list.resize(constraints.size());
        std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
        for (std::uint32_t i = 0; i < constraints.size(); ++i) {
            list[next[byAbove ? constraints[i].above : constraints[i].below]++] = i;
        }
    }
};

/// Ranks units. Units merged into one unit share a rank.
class FoldedRanker {
  public:
    FoldedRanker(const RankInput& input, Ranking& ranking)
        : m_input(input), m_ranking(ranking), m_unit(input.units.size()),
          m_isSmall(gradientCount(input) <= kMostFreeUnits) {
        collectConstraints();
        collectWishes();
        mergeTwins();
    }

    void run() {
        const Adjacency below(m_constraints, m_unit.size(), true);
        const Adjacency above(m_constraints, m_unit.size(), false);
        emitAll(below, above);
        tighten(below, above);
    }

    /// By unit: whether it is a gradient that no other unit gave its rank.
    [[nodiscard]] std::vector<bool> freeUnits() const {
        std::vector<bool> isFree(m_unit.size(), false);
        for (std::uint32_t i = 0; i < m_unit.size(); ++i)
            isFree[i] = isRanked(i) && m_unit[i] == i && m_input.units[i].column == 1;
        return isFree;
    }

  private:
    static std::size_t gradientCount(const RankInput& input) {
        return static_cast<std::size_t>(std::count_if(
            input.units.begin(), input.units.end(), [](const RankInput::Unit& u) { return u.column == 1; }));
    }
    bool isRanked(std::uint32_t item) const {
        const RankInput::Unit& u = m_input.units[item];
        return u.row == kNoIndex && !u.isLeftOut;
    }

    /// A free gradient would stand between what it reads and what reads it, also where these have the ranks
    /// of others: the parts of groups. They do not wait for it.
    void collectWishes() {
        for (const RankInput::Edge& e : m_input.edges) {
            if (e.isAgainstFlow || e.isPortal || isRanked(e.from) == isRanked(e.to)) continue;
            const RankInput::Unit& from = m_input.units[e.from];
            const RankInput::Unit& to = m_input.units[e.to];
            if (from.column != 1 || to.column != 1 || from.isLeftOut || to.isLeftOut) continue;
            if (from.role != NodeRole::backward || to.role != NodeRole::backward) continue;
            if (isRanked(e.from))
                m_wishes.push_back({e.from, to.row, false});
            else
                m_wishes.push_back({e.to, from.row, true});
        }
        std::stable_sort(m_wishes.begin(), m_wishes.end(),
                         [](const Wish& a, const Wish& b) { return a.item < b.item; });
    }

    void collectConstraints() {
        for (const RankInput::Edge& e : m_input.edges) {
            if (e.from == e.to || !isRanked(e.from) || !isRanked(e.to) || e.isAgainstFlow) continue;
            const RankInput::Unit& from = m_input.units[e.from];
            const RankInput::Unit& to = m_input.units[e.to];
            const bool bothForward = from.column == 0 && to.column == 0;
            if (e.isPortal && !bothForward) continue;
            if (bothForward || (from.column == 2 && to.column == 2)) {
                m_constraints.push_back({e.from, e.to, 1, bothForward});
            } else if (from.column == 1 && to.column == 1) {
                const bool flowsUp = from.role == NodeRole::backward && to.role == NodeRole::backward;
                if (flowsUp) m_constraints.push_back({e.to, e.from, 1, false});
                if (from.role == NodeRole::recompute && (to.role == NodeRole::recompute || m_isSmall)) {
                    m_constraints.push_back({e.from, e.to, 1, false});
                }
            } else if (from.column == 0 && to.role == NodeRole::recompute) {
                m_constraints.push_back({e.from, e.to, 0, false});
            }
        }
    }

    /// Each gradient item joins its twin's unit unless a neighbour that must stand above or below is in it
    /// already.
    void mergeTwins() {
        for (std::uint32_t i = 0; i < m_unit.size(); ++i)
            m_unit[i] = i;
        m_members.resize(m_unit.size());
        std::vector<std::vector<std::uint32_t>> neighbours(m_unit.size());
        for (const Constraint& c : m_constraints) {
            if (c.isForward) continue;
            neighbours[c.above].push_back(c.below);
            neighbours[c.below].push_back(c.above);
        }
        for (std::uint32_t i = 0; i < m_unit.size(); ++i) {
            const RankInput::Unit& unit = m_input.units[i];
            if (unit.column != 1 || unit.twin == kNoIndex || unit.twin == i) continue;
            if (m_isSmall && unit.role == NodeRole::recompute) continue; // it stands near those that read it
            if (m_input.units[unit.twin].column != 0 || !isRanked(i) || !isRanked(unit.twin)) continue;
            const bool clash = std::any_of(neighbours[i].begin(), neighbours[i].end(),
                                           [&](std::uint32_t n) { return m_unit[n] == unit.twin; });
            if (clash) {
                ++m_ranking.unfolded;
                continue;
            }
            m_unit[i] = unit.twin;
            m_members[unit.twin].push_back(i);
        }
    }

    /// Kahn's order with longest-path ranks. When units wait for each other, the gradients leave the first
    /// unit whose forward part is ready; when items wait for each other, the model has a cycle and the first
    /// goes ahead.
    void emitAll(const Adjacency& below, const Adjacency& above) {
        const std::size_t n = m_unit.size();
        m_pending.assign(n, 0);        // constraints not yet met, by unit
        m_forwardPending.assign(n, 0); // of these between forward items
        m_low.assign(n, 0);
        m_done.assign(n, false);
        for (const Constraint& c : m_constraints) {
            ++m_pending[m_unit[c.below]];
            if (c.isForward) ++m_forwardPending[m_unit[c.below]];
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            if (m_unit[i] == i && isRanked(i)) offer(i);
        }
        std::uint32_t scan = 0;
        for (;;) {
            if (!m_ready.empty()) {
                const std::uint32_t unit = m_ready.front();
                m_ready.pop_front();
                emitUnit(unit, below);
            } else if (!splitBlocked(above)) {
                while (scan < n && (m_done[m_unit[scan]] || !isRanked(scan)))
                    ++scan;
                if (scan == n) break;
                emitUnit(m_unit[scan], below);
            }
        }
    }

    void offer(std::uint32_t unit) {
        if (m_done[unit]) return;
        if (m_pending[unit] == 0) {
            m_ready.push_back(unit);
        } else if (m_forwardPending[unit] == 0 && !m_members[unit].empty()) {
            m_blocked.push_back(unit);
        }
    }

    void emitUnit(std::uint32_t unit, const Adjacency& below) {
        if (m_done[unit]) return;
        m_done[unit] = true;
        m_sequence.push_back(unit);
        emitMember(unit, unit, below);
        for (const std::uint32_t member : m_members[unit])
            emitMember(member, unit, below);
    }

    void emitMember(std::uint32_t item, std::uint32_t unit, const Adjacency& below) {
        m_ranking.rank[item] = m_low[unit];
        for (std::uint32_t k = below.start[item]; k < below.start[item + 1]; ++k) {
            const Constraint& c = m_constraints[below.list[k]];
            const std::uint32_t other = m_unit[c.below];
            ++m_ranking.visits;
            if (other == unit || m_done[other]) continue;
            m_low[other] = std::max(m_low[other], m_low[unit] + c.length);
            --m_pending[other];
            const bool wasForward = c.isForward;
            if (wasForward) --m_forwardPending[other];
            if (m_pending[other] == 0 || (wasForward && m_forwardPending[other] == 0)) offer(other);
        }
    }

    bool splitBlocked(const Adjacency& above) {
        while (!m_blocked.empty()) {
            const std::uint32_t unit = m_blocked.front();
            m_blocked.pop_front();
            if (m_done[unit] || m_members[unit].empty()) continue;
            std::vector<std::uint32_t> members;
            members.swap(m_members[unit]);
            m_ranking.unfolded += static_cast<std::uint32_t>(members.size());
            for (const std::uint32_t item : members)
                m_unit[item] = item;
            recount(unit, above);
            for (const std::uint32_t item : members)
                recount(item, above);
            return true;
        }
        return false;
    }

    /// Counts what a unit of one item still waits for, and how deep it lies already.
    void recount(std::uint32_t item, const Adjacency& above) {
        m_pending[item] = 0;
        m_forwardPending[item] = 0;
        m_low[item] = 0;
        for (std::uint32_t k = above.start[item]; k < above.start[item + 1]; ++k) {
            const Constraint& c = m_constraints[above.list[k]];
            ++m_ranking.visits;
            if (m_done[m_unit[c.above]]) {
                m_low[item] = std::max(m_low[item], m_ranking.rank[c.above] + c.length);
            } else {
                ++m_pending[item];
                if (c.isForward) ++m_forwardPending[item];
            }
        }
        offer(item);
    }

    struct Slack {
        std::uint32_t low = 0;
        std::uint32_t high = kNoIndex;
        std::uint32_t aboveCount = 0;
        std::uint32_t belowCount = 0;
    };

    Slack slackOf(std::uint32_t unit, const Adjacency& below, const Adjacency& above) {
        Slack slack;
        const auto look = [&](std::uint32_t item) {
            for (std::uint32_t k = below.start[item]; k < below.start[item + 1]; ++k) {
                const Constraint& c = m_constraints[below.list[k]];
                const std::uint32_t rank = m_ranking.rank[c.below];
                ++m_ranking.visits;
                if (m_unit[c.below] == unit) continue;
                ++slack.belowCount;
                slack.high = std::min(slack.high, rank >= c.length ? rank - c.length : 0);
            }
            for (std::uint32_t k = above.start[item]; k < above.start[item + 1]; ++k) {
                const Constraint& c = m_constraints[above.list[k]];
                ++m_ranking.visits;
                if (m_unit[c.above] == unit) continue;
                ++slack.aboveCount;
                slack.low = std::max(slack.low, m_ranking.rank[c.above] + c.length);
            }
        };
        look(unit);
        for (const std::uint32_t member : m_members[unit])
            look(member);
        return slack;
    }

    void moveUnit(std::uint32_t unit, std::uint32_t rank) {
        m_ranking.rank[unit] = rank;
        for (const std::uint32_t member : m_members[unit])
            m_ranking.rank[member] = rank;
    }

    void tighten(const Adjacency& below, const Adjacency& above) {
        for (auto it = m_sequence.rbegin(); it != m_sequence.rend(); ++it) {
            const std::uint32_t lower = lowerRank(*it, slackOf(*it, below, above));
            if (lower > m_ranking.rank[*it]) moveUnit(*it, lower);
        }
        for (const std::uint32_t unit : m_sequence) {
            const Slack slack = slackOf(unit, below, above);
            if (slack.aboveCount > slack.belowCount && slack.low < m_ranking.rank[unit])
                moveUnit(unit, slack.low);
        }
    }

    /// How far down a unit goes: right above what must stand below it.
    std::uint32_t lowerRank(std::uint32_t unit, const Slack& slack) {
        std::uint32_t rank = slack.belowCount > 0 ? slack.high : kNoIndex;
        const auto first = std::lower_bound(m_wishes.begin(), m_wishes.end(), unit,
                                            [](const Wish& w, std::uint32_t item) { return w.item < item; });
        auto end = first;
        for (; end != m_wishes.end() && end->item == unit; ++end) {
            ++m_ranking.visits;
            if (end->isAbove) rank = std::min(rank, std::max(m_ranking.rank[end->row], 1U) - 1);
        }
        if (rank == kNoIndex) return m_ranking.rank[unit];
        // Not beside one of them: such an edge could not be drawn.
        const auto isBeside = [&](const Wish& w) { return m_ranking.rank[w.row] == rank; };
        while (rank > m_ranking.rank[unit] && std::any_of(first, end, isBeside))
            --rank;
        return rank;
    }

    struct Wish {
        std::uint32_t item = 0;
        std::uint32_t row = 0; ///< the unit whose rank its neighbour has
        bool isAbove = false;  ///< it would stand above it
    };

    const RankInput& m_input;
    Ranking& m_ranking;
    std::vector<Constraint> m_constraints;
    std::vector<Wish> m_wishes;                        ///< by item
    std::vector<std::uint32_t> m_unit;                 ///< by item: the forward item that it is ranked with
    bool m_isSmall;                                    ///< shortenEdges() comes afterwards
    std::vector<std::vector<std::uint32_t>> m_members; ///< by unit: the gradient items in it
    std::vector<std::uint32_t> m_pending;
    std::vector<std::uint32_t> m_forwardPending;
    std::vector<std::uint32_t> m_low;
    std::vector<bool> m_done;
    std::deque<std::uint32_t> m_ready;
    std::deque<std::uint32_t> m_blocked;
    std::vector<std::uint32_t> m_sequence;
};

/// Units without any edge fill the ranks evenly instead of standing all in the first.
void spreadIsolated(const RankInput& input, Ranking& ranking) {
    std::vector<bool> isLinked(input.units.size(), false);
    for (const RankInput::Edge& e : input.edges) {
        isLinked[e.from] = true;
        isLinked[e.to] = true;
    }
    std::vector<std::uint32_t> isolated;
    std::size_t ranks = 1;
    for (std::uint32_t i = 0; i < input.units.size(); ++i) {
        const RankInput::Unit& unit = input.units[i];
        const bool isFree = !isLinked[i] && unit.row == kNoIndex;
        if (isFree && !unit.isLeftOut) isolated.push_back(i);
        if (!isFree) ranks = std::max<std::size_t>(ranks, ranking.rank[i] + std::size_t{1});
    }
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(isolated.size()))));
    ranks = std::max(ranks, side);
    const std::size_t inRank = (isolated.size() + ranks - 1) / std::max<std::size_t>(1, ranks);
    for (std::size_t k = 0; k < isolated.size(); ++k)
        ranking.rank[isolated[k]] = static_cast<std::uint32_t>(k / inRank);
}

/// Numbers the ranks that are used anew.
void closeGaps(const RankInput& input, Ranking& ranking) {
    std::uint32_t highest = 0;
    for (const std::uint32_t r : ranking.rank)
        highest = std::max(highest, r);
    std::vector<std::uint32_t> number(highest + std::size_t{1}, 0);
    for (std::uint32_t i = 0; i < input.units.size(); ++i)
        if (!input.units[i].isLeftOut) number[ranking.rank[i]] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& used : number) {
        const std::uint32_t mine = next;
        next += used;
        used = mine;
    }
    for (std::uint32_t& r : ranking.rank)
        r = number[r];
    ranking.rankCount = next;
}

} // namespace

Ranking rankUnits(const RankInput& input) {
    Ranking ranking;
    ranking.rank.assign(input.units.size(), 0);
    ranking.visits = input.units.size();
    if (input.units.empty()) return ranking;
    FoldedRanker ranker(input, ranking);
    ranker.run();
    const auto takeRows = [&] {
        for (std::uint32_t i = 0; i < input.units.size(); ++i)
            if (input.units[i].row != kNoIndex) ranking.rank[i] = ranking.rank[input.units[i].row];
    };
    takeRows();
    shortenEdges(input, ranker.freeUnits(), ranking);
    spreadIsolated(input, ranking);
    takeRows(); // what was spread takes its parts along
    closeGaps(input, ranking);
    return ranking;
}

} // namespace secateur
