// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace secateur {

/// What the inputs of nodes are called beside their rows. Remembers what the schemas say.
class InputLabels {
  public:
    /// The usual short name (inputLabel()); for an operator that has none and more than two inputs the name
    /// in its schema, as an LSTM's `W`, `R`, `B`. "" where neither says anything, and for inputs that are
    /// all alike (Concat). Stable as long as this.
    [[nodiscard]] std::string_view of(const Model& model, NodeId node, std::size_t slot);

  private:
    std::unordered_map<std::string, std::vector<std::string>> m_names; ///< by domain and operator
};

} // namespace secateur
