// SPDX-License-Identifier: Apache-2.0
#include "core/ir/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace secateur {

StringPool::StringPool() {
    m_slots.assign(1024, 0);
    intern("");
}

std::size_t StringPool::slotOf(std::string_view text) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = std::hash<std::string_view>{}(text) & mask;
    while (m_slots[slot] != 0 && view(Symbol(m_slots[slot] - 1)) != text) slot = (slot + 1) & mask;
    return slot;
}

Symbol StringPool::intern(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    const std::size_t slot = slotOf(text);
    if (m_slots[slot] != 0) return Symbol(m_slots[slot] - 1);
    if (m_size % kBlock == 0) {
        m_blocks.push_back(std::make_unique<Block>());
        m_directory[m_size / kBlock].store(m_blocks.back().get(), std::memory_order_release);
    }
    (*m_blocks.back())[m_size % kBlock] = store(text);
    m_slots[slot] = ++m_size;
    const Symbol symbol(m_size - 1);
    if (std::size_t{m_size} * 2 > m_slots.size()) rehash(m_slots.size() * 2);
    return symbol;
}

Symbol StringPool::find(std::string_view text) const {
    const std::lock_guard lock(m_mutex);
    const std::uint32_t found = m_slots[slotOf(text)];
    return found == 0 ? Symbol() : Symbol(found - 1);
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

void StringPool::rehash(std::size_t slots) {
    m_slots.assign(slots, 0);
    for (std::uint32_t i = 0; i < m_size; ++i) m_slots[slotOf(view(Symbol(i)))] = i + 1;
}

} // namespace secateur
