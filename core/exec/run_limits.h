// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory_pool.h"
#include "core/support/result.h"

#include <chrono>
#include <cstdint>

namespace secateur {

/// What a run must not go beyond.
struct RunLimits {
    std::uint64_t memoryBytes = MemoryPool::kDefaultLimit;
    std::uint64_t iterations = 10'000'000; ///< of all loops of a run together
    /// Seconds that the loops of a run may take together, with all that runs in them; 0: no limit.
    double loopSeconds = 60;
};

/// What is left to the loops of one run: whether one ever ends cannot be told beforehand.
class LoopBudget {
  public:
    LoopBudget() = default;
    explicit LoopBudget(const RunLimits& limits)
        : m_limit(limits.iterations), m_left(limits.iterations), m_seconds(limits.loopSeconds) {}

    /// Its time counts as that of loops while it lives; within another one it adds nothing.
    class Running {
      public:
        explicit Running(LoopBudget& budget);
        ~Running();
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

      private:
        LoopBudget& m_budget;
    };

    /// One more iteration. Fails with `missing`, naming the limit and how to raise it.
    Result<void> take();
    [[nodiscard]] std::uint64_t left() const { return m_left; }
    /// As many as were left before an attempt that is made again.
    void restore(std::uint64_t left) { m_left = left; }

  private:
    using Clock = std::chrono::steady_clock;

    std::uint64_t m_limit = 0, m_left = 0;
    double m_seconds = 0, m_spent = 0; ///< allowed; of loops that have ended
    std::size_t m_depth = 0;           ///< of loops inside each other that run now
    Clock::time_point m_start;         ///< of the outermost of these
};

} // namespace secateur
