// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace secateur {

/// Does the operator of the default domain make each element of its result of the same element of input 0,
/// and of nothing else that has dimensions?
[[nodiscard]] bool isUnaryElementwise(std::string_view op);

/// Does it make each element of its result of one element of each input, which are broadcast to one shape
/// (from opset 7 on)?
[[nodiscard]] bool isBroadcastElementwise(std::string_view op);

} // namespace secateur
