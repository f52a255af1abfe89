// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/thread_pool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace secateur {

struct ThreadPool::Shared {
    std::mutex mutex;
    std::condition_variable begins, ends;
    const std::function<void(std::int64_t, std::int64_t)>* work = nullptr;
    std::int64_t count = 0, piece = 0, next = 0;
    std::uint64_t loop = 0; ///< number of the loop that runs, so that nobody joins the same one twice
    unsigned working = 0;   ///< threads inside the loop, besides the caller
    bool isEnding = false;
    std::vector<std::thread> threads;

    /// Pieces until none is left.
    void workOn(std::unique_lock<std::mutex>& lock) {
        while (next < count) {
            const std::int64_t from = next, to = std::min(count, next + piece);
            next = to;
            lock.unlock();
            (*work)(from, to);
            lock.lock();
        }
    }

    void serve() {
        std::uint64_t done = 0;
        std::unique_lock lock(mutex);
        for (;;) {
            begins.wait(lock, [&] { return isEnding || (work != nullptr && loop != done); });
            if (isEnding) return;
            done = loop;
            ++working;
            workOn(lock);
            if (--working == 0) ends.notify_one();
        }
    }
};

ThreadPool::ThreadPool(unsigned threads) : m_shared(std::make_unique<Shared>()) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned wanted = threads == 0 ? cores : std::min(threads, cores * kMostPerCore);
    m_shared->threads.reserve(wanted);
    try {
        for (; m_threads < wanted; ++m_threads)
            m_shared->threads.emplace_back([shared = m_shared.get()] { shared->serve(); });
    } catch (const std::system_error&) {
        // The system has no more threads: the pool is as large as it got.
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->isEnding = true;
    }
    m_shared->begins.notify_all();
    for (std::thread& thread : m_shared->threads)
        thread.join();
}

void ThreadPool::forRange(std::int64_t count, std::int64_t grain,
                          const std::function<void(std::int64_t, std::int64_t)>& work) {
    if (count <= 0) return;
    const std::int64_t share = (count + m_threads - 1) / m_threads;
    const std::int64_t piece = std::max({grain, share, std::int64_t{1}});
    if (m_threads == 1 || piece >= count) {
        work(0, count);
        return;
    }
    std::unique_lock lock(m_shared->mutex);
    m_shared->work = &work;
    m_shared->count = count;
    m_shared->piece = piece;
    m_shared->next = 0;
    ++m_shared->loop;
    m_shared->begins.notify_all();
    m_shared->workOn(lock);
    m_shared->ends.wait(lock, [&] { return m_shared->working == 0; });
    m_shared->work = nullptr;
}

} // namespace secateur
