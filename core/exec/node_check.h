// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

#include <cstdint>

namespace secateur {

/// Bodies inside one another, and calls of functions inside functions, that a run goes into at most: each
/// level takes stack, and copies for its plans.
inline constexpr std::uint32_t kDeepestRun = 100;

/// Does a node hold to the schema of its operator at `opset`: required attributes there and of the right
/// type, no operand missing and none too many? An operator without a schema in the standard passes. An error
/// names the attribute; its place is the node.
Result<void> checkNode(const Model& model, NodeId node, std::int64_t opset);

/// The same for every node that a run of `model` may come to, besides: bodies of If, Loop and Scan take and
/// give as many values as their node does, and nothing lies deeper than kDeepestRun. Linear in nodes.
Result<void> checkNodes(const Model& model);

} // namespace secateur
