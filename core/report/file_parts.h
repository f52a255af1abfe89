// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>

namespace secateur {

/// Bytes of the tensors that stand in attributes, as those of Constant nodes: some exporters write all
/// weights so, and no initializer.
[[nodiscard]] std::uint64_t attributeTensorBytes(const Model& model);
/// Bytes of the doc strings and metadata on nodes and values: what exporters leave for their own debugging,
/// for the most part.
[[nodiscard]] std::uint64_t textBytes(const Model& model);

} // namespace secateur
