// SPDX-License-Identifier: Apache-2.0
#include "core/exec/memory_pool.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace secateur {

struct MemoryPool::Counters {
    std::uint64_t limit = 0, live = 0, highWater = 0, allocations = 0;
    std::vector<std::pair<std::byte*, std::uint64_t>> offers;
};

MemoryPool::MemoryPool(std::uint64_t limitBytes) : m_counters(std::make_shared<Counters>()) {
    m_counters->limit = limitBytes;
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
    if (bytes > counters.limit || counters.live > counters.limit - bytes)
        return missingHere(formatMessage("exec.memory-limit", {formatBytes(bytes), formatBytes(counters.live),
                                                               formatBytes(counters.limit)}));
    const std::uint64_t rounded =
        std::max<std::uint64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    void* memory = std::aligned_alloc(kAlignment, static_cast<std::size_t>(rounded));
    if (memory == nullptr) return missingHere(formatMessage("exec.no-memory", {formatBytes(bytes)}));
    std::memset(memory, 0, static_cast<std::size_t>(rounded));
    counters.live += bytes;
    counters.highWater = std::max(counters.highWater, counters.live);
    ++counters.allocations;
    return std::shared_ptr<std::byte>(static_cast<std::byte*>(memory),
                                      [shared = m_counters, bytes](std::byte* p) {
                                          shared->live -= bytes;
                                          std::free(p);
                                      });
}

void MemoryPool::offer(std::byte* place, std::uint64_t bytes) {
    m_counters->offers.emplace_back(place, bytes);
}
void MemoryPool::withdrawOffers() {
    m_counters->offers.clear();
}

std::uint64_t MemoryPool::limitBytes() const {
    return m_counters->limit;
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
