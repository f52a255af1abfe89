// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::uint64_t> g_allocations{0}; // of the whole process; NOLINT: that is what a counter of new is
}

// Not inlined, or the compiler takes the pair malloc and free for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
// That, too, or what std::stable_sort gets this way comes from elsewhere than it is given back to.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace secateur::testing {

std::uint64_t allocationCount() {
    return g_allocations.load(std::memory_order_relaxed);
}

} // namespace secateur::testing
