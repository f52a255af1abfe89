// SPDX-License-Identifier: Apache-2.0
#include "core/exec/memory_pool.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace secateur {

struct MemoryPool::Counters {
    /// What pools with one limit share.
    struct Budget {
        std::uint64_t limit = 0, live = 0;
    };
    std::shared_ptr<Budget> budget = std::make_shared<Budget>();
    std::uint64_t live = 0, highWater = 0, allocations = 0;
    std::vector<std::pair<std::byte*, std::uint64_t>> offers;
};

MemoryPool::MemoryPool(std::uint64_t limitBytes) : m_counters(std::make_shared<Counters>()) {
    m_counters->budget->limit = limitBytes;
}

MemoryPool MemoryPool::sibling() const {
    MemoryPool other;
    other.m_counters->budget = m_counters->budget;
    return other;
}

Result<std::shared_ptr<std::byte>> MemoryPool::allocate(std::uint64_t bytes) {
    Counters& counters = *m_counters;
    const auto offered = std::find_if(counters.offers.begin(), counters.offers.end(),
                                      [&](const auto& offer) { return offer.second == bytes; });
    if (offered != counters.offers.end()) {
        std::byte* place = offered->first;
        counters.offers.erase(offered);
        std::memset(place, 0, static_cast<std::size_t>(bytes));
        return std::shared_ptr<std::byte>(std::shared_ptr<void>(), place);
    }
    auto charged = TRY(charge(bytes));
    const std::uint64_t rounded =
        std::max<std::uint64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    void* memory = std::aligned_alloc(kAlignment, static_cast<std::size_t>(rounded));
    if (memory == nullptr) return exhausted();
    std::memset(memory, 0, static_cast<std::size_t>(rounded));
    ++counters.allocations;
    return std::shared_ptr<std::byte>(static_cast<std::byte*>(memory),
                                      [held = std::move(charged)](std::byte* p) { std::free(p); });
}

Result<std::shared_ptr<void>> MemoryPool::charge(std::uint64_t bytes) {
    Counters& counters = *m_counters;
    Counters::Budget& budget = *counters.budget;
    if (bytes > budget.limit || budget.live > budget.limit - bytes)
        return missingHere(formatMessage(
            "exec.memory-limit", {formatBytes(bytes), formatBytes(budget.live), formatBytes(budget.limit)}));
    budget.live += bytes;
    counters.live += bytes;
    counters.highWater = std::max(counters.highWater, counters.live);
    return std::shared_ptr<void>(nullptr, [shared = m_counters, bytes](void*) {
        shared->budget->live -= bytes;
        shared->live -= bytes;
    });
}

Error MemoryPool::exhausted() const {
    rlimit limit{};
    const bool isLimited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (!isLimited) return missingHere(std::string(message("exec.no-memory-left")));
    const std::uint64_t tensors = m_counters->budget->limit;
    return missingHere(formatMessage("exec.no-memory-within-limit", {formatBytes(tensors)}));
}

void MemoryPool::offer(std::byte* place, std::uint64_t bytes) {
    m_counters->offers.emplace_back(place, bytes);
}
void MemoryPool::withdrawOffers() {
    m_counters->offers.clear();
}

std::uint64_t MemoryPool::limitBytes() const {
    return m_counters->budget->limit;
}
std::uint64_t MemoryPool::liveBytes() const {
    return m_counters->live;
}
std::uint64_t MemoryPool::highWaterBytes() const {
    return m_counters->highWater;
}
std::uint64_t MemoryPool::allocations() const {
    return m_counters->allocations;
}

} // namespace secateur
