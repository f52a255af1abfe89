// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/hash.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace secateur {

/// From 64-bit keys to 32-bit numbers, in one block of memory: no allocation for each key. Keys that differ
/// only in their last three bits lie side by side, so a walk over neighbouring keys stays in the cache. No
/// order to iterate in, and nothing is taken out but all at once.
class NumberTable {
  public:
    /// 0xFFFFFFFF (kNoIndex) cannot be stored.
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

    void reserve(std::size_t keys) {
        while (m_slots.size() < 2 * keys)
            grow();
    }

    /// The number of a key, which is `value` if it had none; and whether it had none. The pointer is good
    /// until the next call.
    std::pair<std::uint32_t*, bool> tryEmplace(std::uint64_t key, std::uint32_t value) {
        if (2 * (m_used.size() + 1) > m_slots.size()) grow();
        const std::size_t at = slotOf(key);
        const bool isNew = m_slots[at].number == kNone;
        if (isNew) {
            m_slots[at] = {key, value};
            m_used.push_back(static_cast<std::uint32_t>(at));
        }
        return {&m_slots[at].number, isNew};
    }

    /// The number of a key; kNone for none.
    [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
        return m_slots.empty() ? kNone : m_slots[slotOf(key)].number;
    }

    /// Takes out all keys and keeps the memory. As long as there are keys, not as there is memory.
    void clear() {
        for (const std::uint32_t at : m_used)
            m_slots[at].number = kNone;
        m_used.clear();
    }
    [[nodiscard]] std::size_t size() const { return m_used.size(); }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = kNone;
    };
    static constexpr std::size_t kSmallest = 16;

    /// Where the key stands, or the free slot that it would take.
    [[nodiscard]] std::size_t slotOf(std::uint64_t key) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = static_cast<std::size_t>(mixBits(key >> 3U) << 3U | (key & 7U)) & mask;
        while (m_slots[at].number != kNone && m_slots[at].key != key)
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> before(m_slots.empty() ? kSmallest : 2 * m_slots.size());
        before.swap(m_slots);
        for (std::uint32_t& used : m_used) {
            const Slot& slot = before[used];
            const std::size_t at = slotOf(slot.key);
            m_slots[at] = slot;
            used = static_cast<std::uint32_t>(at);
        }
    }

    std::vector<Slot> m_slots;         ///< a power of two of them, at least half of them free
    std::vector<std::uint32_t> m_used; ///< slots
};

} // namespace secateur
