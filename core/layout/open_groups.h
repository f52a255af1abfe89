// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/hierarchy.h"
#include "core/support/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace secateur {

/// A picture that is asked for by words shows at most so many boxes, in all columns.
constexpr std::size_t kMostOpenBoxes = 100'000;

/// Boxes of the picture with these groups open: nodes that show, and the parts of closed groups. Linear.
[[nodiscard]] std::size_t countBoxes(const LayoutGraph& graph, const Hierarchy& hierarchy,
                                     const ExpandState& expanded);

/// The groups that `words` ask for. `all` opens every group and a number those above that level (0: none);
/// any other word opens the groups of that name or title with all around them, besides what a number or
/// `all` opens, or else besides `first`. A usage error names the word that no group has with the nearest
/// names, or says that the picture would show more than `most` boxes.
[[nodiscard]] Result<ExpandState> openGroups(const LayoutGraph& graph, const Hierarchy& hierarchy,
                                             const ExpandState& first, const std::vector<std::string>& words,
                                             std::size_t most = kMostOpenBoxes);

} // namespace secateur
