// SPDX-License-Identifier: Apache-2.0
//
// Operators that map each channel of a tensor by a factor and a summand known ahead of time.
#pragma once

#include "core/rewrite/rule_view.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace secateur {

/// Where the channels of a tensor are.
struct Channels {
    std::size_t count = 0;
    std::size_t fromEnd = 0;   ///< dimensions behind that of the channels
    std::size_t leastRank = 0; ///< the tensor has at least as many dimensions
};

/// y = x * factor + summand, one of each for a channel.
struct ChannelMap {
    std::vector<double> factors, summands;

    [[nodiscard]] bool hasSummands() const;
    [[nodiscard]] bool isFinite() const;
};

/// What `root` - Mul, Div, Add, Sub with a constant, or BatchNormalization in inference mode - does to
/// `data`, where it is the same for all elements of a channel and keeps the shape. None otherwise.
[[nodiscard]] std::optional<ChannelMap> channelMap(const RuleView& view, NodeId root, ValueId data,
                                                   const Channels& channels);

/// A BatchNormalization that uses its running statistics, for each channel, and gives one result.
[[nodiscard]] bool isInferenceBatchNorm(const RuleView& view, NodeId node);

} // namespace secateur
