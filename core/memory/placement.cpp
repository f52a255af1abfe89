// SPDX-License-Identifier: Apache-2.0
#include "core/memory/placement.h"

#include "core/messages/sentences.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace secateur {
namespace {

/// Pairs of ranges that live together, beyond which the list of them would take too much memory.
constexpr std::size_t kMostPairs = 5'000'000;
/// Bytes placed by all rounds of improvement together, measured in ranges looked at.
constexpr std::size_t kMostImprovementWork = 20'000'000;
constexpr std::size_t kMostRounds = 400;

Result<std::vector<std::int64_t>> alignedSizes(std::span<const LiveRange> ranges, std::int64_t alignment) {
    std::vector<std::int64_t> sizes;
    sizes.reserve(ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const LiveRange& range = ranges[i];
        std::int64_t padded = 0;
        if (range.size < 0 || range.last < range.first)
            return invalidInput(
                formatMessage("memory.bad-range", {std::to_string(i), std::to_string(range.size),
                                                   std::to_string(range.first), std::to_string(range.last)}));
        if (__builtin_add_overflow(range.size, alignment - 1, &padded))
            return invalidInput(formatMessage("memory.too-large", {std::to_string(range.size)}));
        sizes.push_back(padded / alignment * alignment);
    }
    return sizes;
}

Result<std::int64_t> mostLive(std::span<const LiveRange> ranges, const std::vector<std::int64_t>& sizes) {
    // What enters at a step is there together with what leaves at it.
    std::vector<std::tuple<std::int64_t, bool, std::int64_t>> events;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (sizes[i] == 0) continue;
        events.emplace_back(ranges[i].first, false, sizes[i]);
        events.emplace_back(ranges[i].last, true, sizes[i]);
    }
    std::sort(events.begin(), events.end());
    std::int64_t live = 0, most = 0;
    for (const auto& [step, leaves, size] : events) {
        if (leaves) {
            live -= size;
            continue;
        }
        if (__builtin_add_overflow(live, size, &live))
            return invalidInput(formatMessage("memory.too-large", {std::to_string(size)}));
        most = std::max(most, live);
    }
    return most;
}

enum class Order : std::uint8_t { size, area, duration, start, sizeAndDuration, breadth, end };
enum class Fit : std::uint8_t { first, best };

class Placer {
  public:
    Placer(std::span<const LiveRange> ranges, std::vector<std::int64_t> sizes)
        : m_ranges(ranges), m_sizes(std::move(sizes)) {}

    void findOverlaps();
    [[nodiscard]] bool hasOverlaps() const { return m_hasOverlaps; }
    [[nodiscard]] std::vector<std::size_t> sorted(Order order) const;
    /// None where the arena would not fit 63 bits, or is not below `limit`.
    bool place(const std::vector<std::size_t>& order, Fit fit, std::int64_t limit, Placement& result) const;
    bool placeByStart(Placement& result) const;
    void improve(std::vector<std::size_t> order, Fit fit, Placement& best) const;

  private:
    [[nodiscard]] std::vector<std::int64_t> breadths() const;
    /// The lowest (or tightest) gap of `size` between the busy intervals, which get sorted.
    static std::int64_t gapFor(std::vector<std::pair<std::int64_t, std::int64_t>>& busy, std::int64_t size,
                               Fit fit);

    std::span<const LiveRange> m_ranges;
    std::vector<std::int64_t> m_sizes;
    std::vector<std::size_t> m_begin;        ///< of each range's neighbours
    std::vector<std::uint32_t> m_neighbours; ///< ranges that live together with it
    bool m_hasOverlaps = false;
};

/// The pairs that live together, found in one sweep over the starts.
void Placer::findOverlaps() {
    const std::vector<std::size_t> order = sorted(Order::start);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::size_t> active, counts(m_ranges.size() + 1, 0);
    for (const std::size_t i : order) {
        if (m_sizes[i] == 0) continue;
        std::erase_if(active, [&](std::size_t j) { return m_ranges[j].last < m_ranges[i].first; });
        if (pairs.size() + active.size() > kMostPairs) return;
        for (const std::size_t j : active) {
            pairs.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
            ++counts[i + 1];
            ++counts[j + 1];
        }
        active.push_back(i);
    }
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    m_begin = counts;
    m_neighbours.resize(2 * pairs.size());
    for (const auto& [a, b] : pairs) {
        m_neighbours[counts[a]++] = b;
        m_neighbours[counts[b]++] = a;
    }
    m_hasOverlaps = true;
}

/// For each range, the most bytes that live at a step of it.
std::vector<std::int64_t> Placer::breadths() const {
    std::vector<std::int64_t> breadth = m_sizes;
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        std::int64_t live = 0;
        // Those alive at its first step: exact for the step itself, and cheap.
        for (std::size_t k = m_begin[i]; k < m_begin[i + 1]; ++k) {
            const LiveRange& other = m_ranges[m_neighbours[k]];
            if (other.first <= m_ranges[i].first) live += m_sizes[m_neighbours[k]];
        }
        breadth[i] += live;
    }
    // A range is as broad as the broadest start within it.
    std::vector<std::int64_t> widest = breadth;
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        for (std::size_t k = m_begin[i]; k < m_begin[i + 1]; ++k)
            widest[i] = std::max(widest[i], breadth[m_neighbours[k]]);
    }
    return widest;
}

std::vector<std::size_t> Placer::sorted(Order order) const {
    std::vector<std::size_t> indices(m_ranges.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    const std::vector<std::int64_t> breadth =
        order == Order::breadth ? breadths() : std::vector<std::int64_t>();
    using Key = std::array<double, 2>;
    const auto keyOf = [&](std::size_t i) -> Key {
        const auto size = static_cast<double>(m_sizes[i]);
        const auto duration =
            static_cast<double>(m_ranges[i].last) - static_cast<double>(m_ranges[i].first) + 1;
        switch (order) {
        case Order::size: return {-size, -duration};
        case Order::area: return {-size * duration, -size};
        case Order::duration: return {-duration, -size};
        case Order::start: return {static_cast<double>(m_ranges[i].first), -size};
        case Order::sizeAndDuration: return {-size - duration, -size};
        case Order::breadth: return {-static_cast<double>(breadth[i]), -size};
        case Order::end: return {-static_cast<double>(m_ranges[i].last), -size};
        }
        return {};
    };
    std::vector<Key> keys;
    for (std::size_t i = 0; i < indices.size(); ++i)
        keys.push_back(keyOf(i));
    std::sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(keys[a], m_ranges[a].first, a) < std::tie(keys[b], m_ranges[b].first, b);
    });
    return indices;
}

std::int64_t Placer::gapFor(std::vector<std::pair<std::int64_t, std::int64_t>>& busy, std::int64_t size,
                            Fit fit) {
    std::sort(busy.begin(), busy.end());
    std::int64_t end = 0, best = -1, tightest = std::numeric_limits<std::int64_t>::max();
    for (const auto& [from, to] : busy) {
        const std::int64_t gap = from - end;
        if (gap >= size && gap < tightest) {
            if (fit == Fit::first) return end;
            tightest = gap;
            best = end;
        }
        end = std::max(end, to);
    }
    return best < 0 ? end : best;
}

bool Placer::place(const std::vector<std::size_t>& order, Fit fit, std::int64_t limit,
                   Placement& result) const {
    result.offsets.assign(m_ranges.size(), -1);
    result.arena = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> busy;
    for (const std::size_t i : order) {
        if (m_sizes[i] == 0) {
            result.offsets[i] = 0;
            continue;
        }
        busy.clear();
        for (std::size_t k = m_begin[i]; k < m_begin[i + 1]; ++k) {
            const std::size_t other = m_neighbours[k];
            if (result.offsets[other] >= 0)
                busy.emplace_back(result.offsets[other], result.offsets[other] + m_sizes[other]);
        }
        const std::int64_t offset = gapFor(busy, m_sizes[i], fit);
        std::int64_t end = 0;
        if (__builtin_add_overflow(offset, m_sizes[i], &end) || end >= limit) return false;
        result.offsets[i] = offset;
        result.arena = std::max(result.arena, end);
    }
    return true;
}

/// Memory that is given out and taken back, by offset. Everything above `end` is free as well.
class FreeList {
  public:
    /// The tightest gap of `size`, else the place on top; none beyond 63 bits.
    std::optional<std::int64_t> take(std::int64_t size) {
        if (const auto gap = m_bySize.lower_bound({size, 0}); gap != m_bySize.end()) {
            const auto [length, offset] = *gap;
            remove(offset, length);
            if (length > size) add(offset + size, length - size);
            return offset;
        }
        // A gap below the top grows into it.
        const auto last = m_byOffset.empty() ? m_byOffset.end() : std::prev(m_byOffset.end());
        const bool isBelowTop = last != m_byOffset.end() && last->first + last->second == m_end;
        const std::int64_t offset = isBelowTop ? last->first : m_end;
        std::int64_t end = 0;
        if (__builtin_add_overflow(offset, size, &end)) return std::nullopt;
        if (isBelowTop) remove(last->first, last->second);
        m_end = end;
        return offset;
    }

    void giveBack(std::int64_t offset, std::int64_t size) {
        const auto next = m_byOffset.lower_bound(offset);
        if (next != m_byOffset.begin()) {
            const auto [before, length] = *std::prev(next);
            if (before + length == offset) {
                remove(before, length);
                offset = before;
                size += length;
            }
        }
        if (const auto after = m_byOffset.find(offset + size); after != m_byOffset.end()) {
            const std::int64_t length = after->second;
            remove(offset + size, length);
            size += length;
        }
        add(offset, size);
    }

    [[nodiscard]] std::int64_t end() const { return m_end; }

  private:
    void add(std::int64_t offset, std::int64_t size) {
        m_byOffset.emplace(offset, size);
        m_bySize.emplace(size, offset);
    }
    void remove(std::int64_t offset, std::int64_t size) {
        m_byOffset.erase(offset);
        m_bySize.erase({size, offset});
    }

    std::map<std::int64_t, std::int64_t> m_byOffset;          ///< gaps: offset to size
    std::set<std::pair<std::int64_t, std::int64_t>> m_bySize; ///< the same: size and offset
    std::int64_t m_end = 0;
};

/// By the order of steps, as an allocator would: O(n log n), however many live at once.
bool Placer::placeByStart(Placement& result) const {
    result.offsets.assign(m_ranges.size(), 0);
    FreeList memory;
    using Leaving = std::pair<std::int64_t, std::size_t>; // last step, range
    std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving;
    for (const std::size_t i : sorted(Order::start)) {
        if (m_sizes[i] == 0) continue;
        for (; !leaving.empty() && leaving.top().first < m_ranges[i].first; leaving.pop()) {
            const std::size_t gone = leaving.top().second;
            memory.giveBack(result.offsets[gone], m_sizes[gone]);
        }
        const auto offset = memory.take(m_sizes[i]);
        if (!offset) return false;
        result.offsets[i] = *offset;
        leaving.emplace(m_ranges[i].last, i);
    }
    result.arena = memory.end();
    return true;
}

/// What lies on top came too late: it goes to the front of the order, and all are placed again.
void Placer::improve(std::vector<std::size_t> order, Fit fit, Placement& best) const {
    Placement current;
    if (!place(order, fit, std::numeric_limits<std::int64_t>::max(), current)) return;
    const std::size_t perRound = m_ranges.size() + m_neighbours.size();
    const std::size_t rounds =
        std::min(kMostRounds, kMostImprovementWork / std::max<std::size_t>(perRound, 1));
    for (std::size_t round = 0; round < rounds && best.arena > best.lowerBound; ++round) {
        const auto top = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
            return m_sizes[i] != 0 && current.offsets[i] + m_sizes[i] == current.arena;
        });
        if (top == order.end()) return;
        // Half way to the front: those at the very front already lie well.
        std::rotate(order.begin() + (top - order.begin()) / 2, top, top + 1);
        if (!place(order, fit, std::numeric_limits<std::int64_t>::max(), current)) return;
        if (current.arena < best.arena) {
            best.arena = current.arena;
            best.offsets = current.offsets;
        }
    }
}

struct Strategy {
    Order order;
    Fit fit;
    const char* name;
};

constexpr Strategy kStrategies[] = {
    {Order::size, Fit::best, "size, best fit"},
    {Order::size, Fit::first, "size, first fit"},
    {Order::start, Fit::best, "start, best fit"},
    {Order::start, Fit::first, "start, first fit"},
    {Order::area, Fit::best, "size times duration, best fit"},
    {Order::area, Fit::first, "size times duration, first fit"},
    {Order::duration, Fit::best, "duration, best fit"},
    {Order::duration, Fit::first, "duration, first fit"},
    {Order::sizeAndDuration, Fit::best, "size plus duration, best fit"},
    {Order::sizeAndDuration, Fit::first, "size plus duration, first fit"},
    {Order::breadth, Fit::best, "breadth, best fit"},
    {Order::breadth, Fit::first, "breadth, first fit"},
    {Order::end, Fit::best, "end, best fit"},
    {Order::end, Fit::first, "end, first fit"},
};

} // namespace

Result<std::int64_t> mostLiveBytes(std::span<const LiveRange> ranges, std::int64_t alignment) {
    return mostLive(ranges, TRY(alignedSizes(ranges, alignment)));
}

Result<Placement> placeRanges(std::span<const LiveRange> ranges, std::int64_t alignment) {
    std::vector<std::int64_t> sizes = TRY(alignedSizes(ranges, alignment));
    const std::int64_t least = TRY(mostLive(ranges, sizes));
    Placer placer(ranges, std::move(sizes));
    const Error tooLarge = invalidInput(formatMessage("memory.too-large", {std::to_string(least)}));
    Placement best, next;
    placer.findOverlaps();
    if (!placer.hasOverlaps()) {
        if (!placer.placeByStart(best)) return tooLarge;
        best.lowerBound = least;
        best.strategy = "start, best fit";
        return best;
    }
    best.arena = std::numeric_limits<std::int64_t>::max();
    const Strategy* found = nullptr;
    for (const Strategy& strategy : kStrategies) {
        if (!placer.place(placer.sorted(strategy.order), strategy.fit, best.arena, next)) continue;
        std::swap(best, next);
        found = &strategy;
        if (best.arena == least) break;
    }
    if (found == nullptr) return tooLarge;
    best.lowerBound = least;
    best.strategy = found->name;
    if (best.arena > least) placer.improve(placer.sorted(found->order), found->fit, best);
    return best;
}

} // namespace secateur
