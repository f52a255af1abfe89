// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace secateur {

/// A flag that one thread raises and workers look at. Copies share the flag; any thread may use any copy.
class CancelToken {
  public:
    CancelToken() : m_flag(std::make_shared<std::atomic<bool>>(false)) {}

    void cancel() const { m_flag->store(true, std::memory_order_relaxed); }
    bool isCancelled() const { return m_flag->load(std::memory_order_relaxed); }

  private:
    std::shared_ptr<std::atomic<bool>> m_flag;
};

/// How far a long piece of work is. `phase` is a message id, `total` 0 while unknown.
struct Progress {
    std::string_view phase;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

/// Called on the worker's thread, at most a few hundred times per phase; empty = nobody listens.
using ProgressCallback = std::function<void(const Progress&)>;

/// What a long function takes: where to report, and when to stop.
struct WorkContext {
    CancelToken cancel;
    ProgressCallback onProgress;

    bool isCancelled() const { return cancel.isCancelled(); }
    void report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
        if (onProgress) onProgress({phase, done, total});
    }
};

} // namespace secateur
