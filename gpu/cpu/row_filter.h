// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <optional>

namespace secateur {

/// A kernel for a Conv that filters the rows of one channel with long filters, as the front of audio models
/// does (a transform of a signal): oneDNN fills a block of channels for the one, and adds up the products of
/// a filter one by one, which loses digits. None for other convolutions.
[[nodiscard]] std::optional<PreparedStep> rowFilter(const NodeFacts& facts);

} // namespace secateur
