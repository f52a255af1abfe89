// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Which values the steps of a history put in the place of others. What a bypassed node handed on is no
/// change of its readers; another weight is one.
class EqualValues {
  public:
    EqualValues() = default;
    /// `history` stands at its end, where all values can be read.
    explicit EqualValues(const History& history);

    /// The same id for all values that stand for one another.
    [[nodiscard]] ValueId of(ValueId value) const {
        while (value.index < m_parent.size() && m_parent[value.index] != value.index)
            value = ValueId(m_parent[value.index]);
        return value;
    }

  private:
    std::vector<std::uint32_t> m_parent; ///< by ValueId index
};

} // namespace secateur
