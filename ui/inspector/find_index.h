// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"
#include "core/session/history.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// One place that a search found.
struct FindHit {
    enum class Kind : std::uint8_t { node, value, weight, terminal };
    Kind kind = Kind::node;
    /// What to select: the node itself, the producer of the value, the graph input, the first reader of the
    /// weight.
    std::uint32_t key = 0;
    std::uint32_t reader = kNoIndex; ///< of a graph input: its first reader, which may draw it as a row
    std::string text;                ///< what matched, with the operator for a node

    /// The key, or the reader's where no box of its own is drawn for it.
    [[nodiscard]] std::uint32_t drawnKey(const LayoutGraph& graph) const {
        return graph.find(key) == kNoIndex && reader != kNoIndex ? reader : key;
    }
};

/// Nodes (name, operator), values and weights whose name contains the words of `query`, case ignored;
/// whole-name hits first, then program order. At most `limit`; `total` counts all.
[[nodiscard]] std::vector<FindHit> findInModel(const Model& model, std::string_view query, std::size_t limit,
                                               std::size_t& total);

/// The node of this name, or the one that makes a value of this name, or the graph input, or the first reader
/// of the weight; none when there is nothing of this name. Exact, case counts.
[[nodiscard]] std::optional<FindHit> findByName(const Model& model, std::string_view name);

} // namespace secateur
