// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <vector>

namespace secateur {

/// The reason that a run of the recipe gives for each node and value that it removed or made, found in
/// constant time: a record of a large step lists tens of thousands. Points into the history it was made from,
/// which outlives it.
class ReasonTable {
  public:
    ReasonTable() = default;
    /// Linear in what the records list.
    explicit ReasonTable(const History& history);

    /// Why the node went, or was made; null where no rewrite touched it.
    [[nodiscard]] const Reason* of(NodeId node) const { return at(m_ofNode, node.index); }
    /// Why an input, initializer or output went; null where none did it.
    [[nodiscard]] const Reason* of(ValueId value) const { return at(m_ofValue, value.index); }

  private:
    using Reasons = std::vector<const Reason*>;
    static const Reason* at(const Reasons& reasons, std::uint32_t index) {
        return index < reasons.size() ? reasons[index] : nullptr;
    }
    static void put(Reasons& reasons, std::uint32_t index, const Reason& reason);

    Reasons m_ofNode, m_ofValue;
};

} // namespace secateur
