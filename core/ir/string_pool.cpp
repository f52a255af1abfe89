// SPDX-License-Identifier: Apache-2.0
#include "core/ir/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace secateur {
namespace {

std::uint32_t hashOf(std::string_view text) {
    const std::uint64_t hash = std::hash<std::string_view>{}(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

Symbol indexIn(std::uint64_t slot) {
    return Symbol(static_cast<std::uint32_t>(slot) - 1);
}

} // namespace

StringPool::StringPool() {
    m_slots.assign(1024, 0);
    intern("");
}

std::size_t StringPool::slotOf(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = hash & mask;
    while (m_slots[slot] != 0) {
        if (m_slots[slot] >> 32 == hash && view(indexIn(m_slots[slot])) == text) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

Symbol StringPool::intern(std::string_view text) {
    const std::uint32_t hash = hashOf(text);
    const std::lock_guard lock(m_mutex);
    const std::size_t slot = slotOf(text, hash);
    if (m_slots[slot] != 0) return indexIn(m_slots[slot]);
    if (m_size % kBlock == 0) {
        m_blocks.push_back(std::make_unique<Block>());
        m_directory[m_size / kBlock].store(m_blocks.back().get(), std::memory_order_release);
    }
    (*m_blocks.back())[m_size % kBlock] = store(text);
    m_slots[slot] = (std::uint64_t{hash} << 32) | ++m_size;
    const Symbol symbol(m_size - 1);
    if (std::size_t{m_size} * 2 > m_slots.size()) grow();
    return symbol;
}

Symbol StringPool::find(std::string_view text) const {
    const std::uint32_t hash = hashOf(text);
    const std::lock_guard lock(m_mutex);
    const std::uint64_t found = m_slots[slotOf(text, hash)];
    return found == 0 ? Symbol() : indexIn(found);
}

std::string_view StringPool::store(std::string_view text) {
    if (text.empty()) return {};
    if (m_used + text.size() > kChunk) {
        m_chunks.emplace_back(new char[std::max(kChunk, text.size())]);
        m_used = 0;
    }
    char* at = m_chunks.back().get() + m_used;
    std::memcpy(at, text.data(), text.size());
    m_used = std::min(kChunk, m_used + text.size());
    return {at, text.size()};
}

void StringPool::grow() {
    std::vector<std::uint64_t> old(m_slots.size() * 2, 0);
    old.swap(m_slots);
    const std::size_t mask = m_slots.size() - 1;
    for (const std::uint64_t entry : old) {
        if (entry == 0) continue;
        std::size_t slot = (entry >> 32) & mask;
        while (m_slots[slot] != 0)
            slot = (slot + 1) & mask;
        m_slots[slot] = entry;
    }
}

} // namespace secateur
