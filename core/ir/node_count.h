// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace secateur {

/// Counts nodes as countNodes does, for parts of one model that does not change meanwhile: bodies count with
/// the node that holds them, functions once for each call, up to kMostCounted; a call of a function by itself
/// is one node.
class NodeCounter {
  public:
    /// With a question, only the nodes that it says yes to are counted; no call of a function is asked about.
    explicit NodeCounter(const Model& model, std::function<bool(NodeId)> isCounted = {});
    ~NodeCounter();
    NodeCounter(const NodeCounter&) = delete;
    NodeCounter& operator=(const NodeCounter&) = delete;

    /// Nodes of one graph; what stands in their bodies is counted with them, and not to be given itself.
    [[nodiscard]] std::uint64_t of(std::span<const NodeId> nodes);

  private:
    class InlinedCount;
    std::unique_ptr<InlinedCount> m_count;
    const Model& m_model;
};

} // namespace secateur
