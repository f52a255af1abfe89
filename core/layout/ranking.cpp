// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ranking.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace secateur {
namespace {

constexpr std::uint8_t kUpdateColumn = 2;

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

/// Ranks items of the forward and backward columns. Items merged into one unit share a rank.
class FoldedRanker {
  public:
    FoldedRanker(const VisibleGraph& visible, Ranking& ranking)
        : m_visible(visible), m_ranking(ranking), m_unit(visible.items.size()) {
        collectConstraints();
        mergeTwins();
    }

    void run() {
        const Adjacency below(m_constraints, m_unit.size(), true);
        const Adjacency above(m_constraints, m_unit.size(), false);
        emitAll(below, above);
        tighten(below, above);
    }

  private:
    bool isRanked(std::uint32_t item) const {
        const VisibleItem& v = m_visible.items[item];
        return v.column != kUpdateColumn && v.row == kNoIndex && !m_visible.isReplacing(item);
    }

    void collectConstraints() {
        for (const VisibleEdge& e : m_visible.edges) {
            if (e.from == e.to || !isRanked(e.from) || !isRanked(e.to) || m_visible.isAgainstFlow(e))
                continue;
            const VisibleItem& from = m_visible.items[e.from];
            const VisibleItem& to = m_visible.items[e.to];
            const bool fromForward = from.column == 0;
            const bool toForward = to.column == 0;
            if (e.isPortal && !(fromForward && toForward)) continue;
            if (fromForward && toForward) {
                m_constraints.push_back({e.from, e.to, 1, true});
            } else if (!fromForward && !toForward) {
                const bool flowsUp = from.role == NodeRole::backward && to.role == NodeRole::backward;
                if (flowsUp) m_constraints.push_back({e.to, e.from, 1, false});
                if (from.role == NodeRole::recompute && to.role == NodeRole::recompute) {
                    m_constraints.push_back({e.from, e.to, 1, false});
                }
            } else if (fromForward && to.role == NodeRole::recompute) {
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
            const VisibleItem& item = m_visible.items[i];
            if (item.column != 1 || item.twin == kNoIndex || item.twin == i) continue;
            if (m_visible.items[item.twin].column != 0) continue;
            const bool clash = std::any_of(neighbours[i].begin(), neighbours[i].end(),
                                           [&](std::uint32_t n) { return m_unit[n] == item.twin; });
            if (clash) {
                ++m_ranking.unfolded;
                continue;
            }
            m_unit[i] = item.twin;
            m_members[item.twin].push_back(i);
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
            const Slack slack = slackOf(*it, below, above);
            if (slack.belowCount > 0 && slack.high > m_ranking.rank[*it]) moveUnit(*it, slack.high);
        }
        for (const std::uint32_t unit : m_sequence) {
            const Slack slack = slackOf(unit, below, above);
            if (slack.aboveCount > slack.belowCount && slack.low < m_ranking.rank[unit])
                moveUnit(unit, slack.low);
        }
    }

    const VisibleGraph& m_visible;
    Ranking& m_ranking;
    std::vector<Constraint> m_constraints;
    std::vector<std::uint32_t> m_unit;                 ///< by item: the forward item that it is ranked with
    std::vector<std::vector<std::uint32_t>> m_members; ///< by unit: the gradient items in it
    std::vector<std::uint32_t> m_pending;
    std::vector<std::uint32_t> m_forwardPending;
    std::vector<std::uint32_t> m_low;
    std::vector<bool> m_done;
    std::deque<std::uint32_t> m_ready;
    std::deque<std::uint32_t> m_blocked;
    std::vector<std::uint32_t> m_sequence;
};

/// Ranks the accumulators and the optimizer below or beside what they read.
void rankUpdates(const VisibleGraph& visible, Ranking& ranking) {
    const std::size_t n = visible.items.size();
    std::vector<Constraint> inside;
    std::vector<std::uint32_t> low(n, kNoIndex);
    std::vector<std::uint32_t> pending(n, 0);
    for (const VisibleEdge& e : visible.edges) {
        ++ranking.visits;
        if (visible.items[e.to].column != kUpdateColumn || e.from == e.to) continue;
        if (visible.isReplacing(e.to) || visible.isReplacing(e.from) || visible.isAgainstFlow(e)) continue;
        if (visible.items[e.from].column == kUpdateColumn) {
            inside.push_back({e.from, e.to, 1, false});
            ++pending[e.to];
        } else if (!e.isPortal) {
            const std::uint32_t rank = ranking.rank[e.from];
            low[e.to] = low[e.to] == kNoIndex ? rank : std::max(low[e.to], rank);
        }
    }
    const Adjacency below(inside, n, true);
    std::vector<std::uint32_t> sequence;
    std::vector<bool> done(n, false);
    std::uint32_t scan = 0;
    const auto emit = [&](std::uint32_t item) {
        done[item] = true;
        sequence.push_back(item);
        if (const std::uint32_t row = visible.items[item].row; row != kNoIndex) low[item] = ranking.rank[row];
        ranking.rank[item] = low[item] == kNoIndex ? 0 : low[item];
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        if (visible.items[i].column == kUpdateColumn && pending[i] == 0) emit(i);
    }
    for (std::size_t head = 0;; ++head) {
        if (head == sequence.size()) { // finished, or a cycle: the first one left goes ahead
            while (scan < n && (done[scan] || visible.items[scan].column != kUpdateColumn))
                ++scan;
            if (scan == n) break;
            emit(scan);
        }
        const std::uint32_t item = sequence[head];
        for (std::uint32_t k = below.start[item]; k < below.start[item + 1]; ++k) {
            const std::uint32_t other = inside[below.list[k]].below;
            ++ranking.visits;
            if (done[other]) continue;
            const std::uint32_t rank = low[item] == kNoIndex ? kNoIndex : ranking.rank[item] + 1;
            if (rank != kNoIndex) low[other] = low[other] == kNoIndex ? rank : std::max(low[other], rank);
            if (--pending[other] == 0) emit(other);
        }
    }
    for (auto it = sequence.rbegin(); it != sequence.rend();
         ++it) { // pull free sources down to their readers
        std::uint32_t high = kNoIndex;
        for (std::uint32_t k = below.start[*it]; k < below.start[*it + 1]; ++k) {
            const std::uint32_t rank = ranking.rank[inside[below.list[k]].below];
            ++ranking.visits;
            high = std::min(high, rank > 0 ? rank - 1 : 0);
        }
        const bool isFree = visible.items[*it].row == kNoIndex;
        if (isFree && high != kNoIndex && high > ranking.rank[*it]) ranking.rank[*it] = high;
    }
}

/// Items without any edge fill the ranks evenly instead of standing all in the first.
void spreadIsolated(const VisibleGraph& visible, Ranking& ranking) {
    std::vector<bool> isLinked(visible.items.size(), false);
    for (const VisibleEdge& e : visible.edges) {
        isLinked[e.from] = true;
        isLinked[e.to] = true;
    }
    std::vector<std::uint32_t> isolated;
    std::size_t ranks = 1;
    for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
        if (!isLinked[i] && !visible.isReplacing(i)) isolated.push_back(i);
        if (isLinked[i]) ranks = std::max<std::size_t>(ranks, ranking.rank[i] + std::size_t{1});
    }
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(isolated.size()))));
    ranks = std::max(ranks, side);
    const std::size_t inRank = (isolated.size() + ranks - 1) / std::max<std::size_t>(1, ranks);
    for (std::size_t k = 0; k < isolated.size(); ++k)
        ranking.rank[isolated[k]] = static_cast<std::uint32_t>(k / inRank);
}

void closeGaps(Ranking& ranking) {
    if (ranking.rank.empty()) return;
    std::vector<std::uint32_t> number(*std::max_element(ranking.rank.begin(), ranking.rank.end()) + 1, 0);
    for (const std::uint32_t r : ranking.rank)
        number[r] = 1;
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

Ranking rankItems(const VisibleGraph& visible) {
    Ranking ranking;
    ranking.rank.assign(visible.items.size(), 0);
    ranking.visits = visible.items.size();
    FoldedRanker(visible, ranking).run();
    for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
        const std::uint32_t row = visible.items[i].row;
        if (row != kNoIndex) ranking.rank[i] = ranking.rank[row];
    }
    rankUpdates(visible, ranking);
    spreadIsolated(visible, ranking);
    closeGaps(ranking);
    return ranking;
}

} // namespace secateur
