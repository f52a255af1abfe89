// SPDX-License-Identifier: Apache-2.0
//
// The memory layouts of the CPU backend as numbers of a plan: plain, channels last (1), and channels in
// blocks of 8 or 16 (the number is the block), filled up with zeros.
#pragma once

#include "core/exec/execution_plan.h"

#include <dnnl.hpp>

#include <optional>

namespace secateur {

inline constexpr LayoutCode kChannelsLast = 1;

/// oneDNN's description of elements (float, int8 or uint8) in a layout; other layouts than plain need 3 to 5
/// dimensions.
[[nodiscard]] dnnl::memory::desc descOf(const Shape& shape, LayoutCode layout,
                                        ElementType type = ElementType::float32);
/// The layout that a description is, among those that have a number.
[[nodiscard]] std::optional<LayoutCode> layoutOf(const dnnl::memory::desc& desc, const Shape& shape);
/// Plain where the bytes lie in the same order as in `layout`: one spatial position, channels that fill their
/// blocks.
[[nodiscard]] LayoutCode canonical(const Shape& shape, LayoutCode layout);
/// Bytes of float elements in a layout.
[[nodiscard]] std::uint64_t layoutBytes(const Shape& shape, LayoutCode layout);

/// The dimensions in the order in which a layout keeps them, row major: {N, C, H, W} in blocks of 8 is
/// {N, C / 8, H, W, 8}, with C / 8 rounded up.
[[nodiscard]] Shape physicalShape(const Shape& shape, LayoutCode layout);
/// Do the channels fill their blocks?
[[nodiscard]] bool isUnpadded(const Shape& shape, LayoutCode layout);

} // namespace secateur
