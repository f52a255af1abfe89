// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace secateur {

/// Threads for loops over elements. One loop at a time; the caller works as well. With one thread everything
/// runs in the caller.
class ThreadPool {
  public:
    /// 0 threads: as many as the machine has cores. No more than kMostPerCore for each of them, which only
    /// get into each other's way, and fewer where the system gives no more; `threads()` says how many.
    explicit ThreadPool(unsigned threads);
    static constexpr unsigned kMostPerCore = 4;
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] unsigned threads() const { return m_threads; }

    /// Calls `work(from, to)` for pieces of [0, count) that do not overlap, none smaller than `grain` but the
    /// last, and returns when all are done. Which thread does which piece changes nothing about the pieces.
    void forRange(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t)>& work);

  private:
    struct Shared;
    unsigned m_threads = 1;
    std::unique_ptr<Shared> m_shared;
};

} // namespace secateur
