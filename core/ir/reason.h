// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/ids.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace secateur {

/// One typed argument of a reason; shown by the messages in the reader's language (a node as "Op `name`").
using ReasonArgument = std::variant<std::string, std::int64_t, double, NodeId, ValueId>;

/// Why something was done, or was not: the id of a sentence (resources/messages) and what fills its places
/// {0}, {1} ...
struct Reason {
    std::string id;
    std::vector<ReasonArgument> arguments;

    Reason() = default;
    explicit Reason(std::string sentence, std::vector<ReasonArgument> args = {})
        : id(std::move(sentence)), arguments(std::move(args)) {}
    friend bool operator==(const Reason&, const Reason&) = default;
};

} // namespace secateur
