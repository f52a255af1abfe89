// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/rule.h"

#include <span>
#include <string_view>

namespace secateur {

#define SECATEUR_RULE(name) const Rule& name##Rule();
#include "core/passes/simplify/rules.inc"
#undef SECATEUR_RULE

/// All rules, in the order in which they are tried on a node.
[[nodiscard]] std::span<const Rule* const> allRules();
/// The rule with that id; null where there is none.
[[nodiscard]] const Rule* findRule(std::string_view id);

} // namespace secateur
