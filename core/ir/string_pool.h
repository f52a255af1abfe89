// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/ids.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace secateur {

/// Interned strings of a model: operator types, domains, names. Append only: a symbol keeps its meaning and a
/// view stays valid as long as the pool lives. A model and its clones share one pool, so edits made on a
/// clone by a worker thread can be replayed on the original; `intern` and `find` lock, `view` does not.
/// Symbol 0 is the empty string.
class StringPool {
  public:
    StringPool();
    ~StringPool() = default;
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;

    /// The symbol of `text`, made when it is new.
    Symbol intern(std::string_view text);
    /// The symbol of `text`, or none when nothing interned equals it.
    [[nodiscard]] Symbol find(std::string_view text) const;
    [[nodiscard]] std::string_view view(Symbol symbol) const {
        const Block* block = m_directory[symbol.index / kBlock].load(std::memory_order_acquire);
        return (*block)[symbol.index % kBlock];
    }

  private:
    static constexpr std::size_t kBlock = 8192;      // views in a block; 8,192 blocks hold 67 million strings
    static constexpr std::size_t kChunk = 64 * 1024; // characters in a chunk
    using Block = std::array<std::string_view, kBlock>;

    std::string_view store(std::string_view text);
    void grow();
    [[nodiscard]] std::size_t slotOf(std::string_view text, std::uint32_t hash) const;

    mutable std::mutex m_mutex;
    std::array<std::atomic<const Block*>, 8192> m_directory{};
    std::vector<std::unique_ptr<Block>> m_blocks;
    std::vector<std::unique_ptr<char[]>> m_chunks;
    std::size_t m_used = kChunk; // characters of the last chunk that are taken
    std::uint32_t m_size = 0;
    // Open addressing, a power of two of slots: hash in the high half, symbol index + 1 in the low half; 0 is
    // free. The hash is kept so that strings are touched neither by a near miss nor when the table grows.
    std::vector<std::uint64_t> m_slots;
};

} // namespace secateur
