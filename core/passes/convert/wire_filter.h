// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace secateur {

/// One field of a serialized protobuf message.
struct WireField {
    unsigned number = 0;
    std::string_view payload; ///< of a length-delimited field: its contents; of another: its bytes
    std::string_view whole;   ///< tag and all
};

/// The first field of `message` (which is moved behind it); none at its end, or where it is malformed.
[[nodiscard]] std::optional<WireField> nextField(std::string_view& message);

/// `message` without the fields that `goes` picks; none where it is malformed.
[[nodiscard]] std::optional<std::string> withoutFields(std::string_view message, const std::function<bool(const WireField&)>& goes);

} // namespace secateur
