// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

struct OperatorCount {
    std::string op;
    std::uint64_t nodes = 0;
};

/// The operators of the opened model that run in training mode, most frequent first, then by name.
[[nodiscard]] std::vector<OperatorCount> countTrainingMode(const Original& original);

/// "4 BatchNormalization and 3 Dropout"; empty for none.
[[nodiscard]] std::string joinCounts(const std::vector<OperatorCount>& counts);

} // namespace secateur
