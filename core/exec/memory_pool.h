// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace secateur {

/// A limit that was met in the middle of work that returns nothing; caught where kernels are run.
class MemoryRefused : public std::bad_alloc {
  public:
    explicit MemoryRefused(Error error) : m_error(std::move(error)) {}
    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }

  private:
    Error m_error;
};

/// Memory of tensors while a model runs: counts what lives, remembers the most that ever lived at once, and
/// refuses what would go beyond the limit, so that a model that asks for 2^40 elements is an error and not
/// the end of the process. Buffers may outlive the pool. Not for use by several threads at once.
class MemoryPool {
  public:
    static constexpr std::size_t kAlignment = 64;
    static constexpr std::uint64_t kDefaultLimit = std::uint64_t{8} << 30;

    explicit MemoryPool(std::uint64_t limitBytes = kDefaultLimit);
    /// A pool that counts for itself, with one limit for it and this one together.
    [[nodiscard]] MemoryPool sibling() const;

    /// A zeroed buffer of `bytes`, aligned to kAlignment; freed with its last copy. Never null, also for 0
    /// bytes. Fails with `missing` beyond the limit, or where the machine has no more.
    Result<std::shared_ptr<std::byte>> allocate(std::uint64_t bytes);

    /// Counts `bytes` that are taken elsewhere (tables, scratch) for as long as a copy of the result lives.
    /// Fails as `allocate` does: to be asked before they are taken.
    Result<std::shared_ptr<void>> charge(std::uint64_t bytes);

    /// What to say where the system gave no memory to a run of this pool: the limit of the process, which
    /// follows that of the pool, or there is nothing left.
    [[nodiscard]] Error exhausted() const;

    /// A place of the caller's for the next buffer of exactly `bytes` (zeroed, as all are): it is not
    /// counted, and stays the caller's. Taken once, until `withdrawOffers`.
    void offer(std::byte* place, std::uint64_t bytes);
    void withdrawOffers();

    [[nodiscard]] std::uint64_t limitBytes() const;
    [[nodiscard]] std::uint64_t liveBytes() const;
    [[nodiscard]] std::uint64_t highWaterBytes() const;
    [[nodiscard]] std::uint64_t allocations() const;

  private:
    struct Counters;
    std::shared_ptr<Counters> m_counters;
};

} // namespace secateur
