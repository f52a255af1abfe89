// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layer_improver.h"
#include "core/support/cancel.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

/// Orders that were computed before, by the structure of their blocks: 200 equal blocks are one run of `dot`.
/// Any thread may use it; keep one as long as a window or longer.
class LayerOrderCache {
  public:
    /// Layer by layer the positions, in the given order, of the places from left to right; none when unknown.
    /// An empty list says that there is no answer.
    using Order = std::vector<std::vector<std::uint32_t>>;
    [[nodiscard]] std::optional<Order> find(std::uint64_t hash) const;
    void put(std::uint64_t hash, Order order);
    [[nodiscard]] std::size_t size() const;

  private:
    mutable std::mutex m_mutex;
    std::unordered_map<std::uint64_t, Order> m_orders;
};

/// Asks Graphviz's `dot`, in a process of its own with a deadline for each block and for all of them. Where
/// it is not installed, takes too long or fails, there is no answer and our own order stays.
class DotImprover : public LayerImprover {
  public:
    struct Options {
        std::string program = "dot";
        std::chrono::milliseconds perBlock{2000};
        std::chrono::milliseconds inAll{10000};
        std::size_t mostBoxes = 400;
        std::uint64_t memoryLimit = std::uint64_t{2} << 30U;
        CancelToken cancel;
    };
    struct Counters {
        std::uint32_t asked = 0;
        std::uint32_t fromCache = 0;
        std::uint32_t runs = 0;
        std::uint32_t failures = 0; ///< of these runs: ended at the deadline, or without a usable answer
        std::chrono::milliseconds spent{0};
    };

    DotImprover(std::shared_ptr<LayerOrderCache> cache, Options options);

    std::vector<std::vector<std::uint32_t>> orderOf(const LayerGraph& graph) override;
    [[nodiscard]] const Counters& counters() const { return m_counters; }
    /// Is the program there at all?
    [[nodiscard]] bool isAvailable() const { return !m_program.empty(); }

  private:
    [[nodiscard]] LayerOrderCache::Order run(const LayerGraph& graph);

    std::shared_ptr<LayerOrderCache> m_cache;
    Options m_options;
    std::string m_program; ///< full path; empty when there is none
    Counters m_counters;
};

/// The layers as a graph in DOT, ranks fixed by `rank=same` and a chain beside them.
[[nodiscard]] std::string layersToDot(const LayerGraph& graph);
/// The order that `dot -Tplain` gives: by layer the positions, in the order of `graph.layers`, from left to
/// right. Empty when the text is not a drawing of that graph.
[[nodiscard]] LayerOrderCache::Order orderFromPlain(const LayerGraph& graph, std::string_view plain);

} // namespace secateur
