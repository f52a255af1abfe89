// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule.h"

namespace secateur {

std::string_view groupName(RuleGroup group) {
    switch (group) {
    case RuleGroup::structure: return "structure";
    case RuleGroup::folding: return "folding";
    case RuleGroup::shapes: return "shapes";
    case RuleGroup::arithmetic: return "arithmetic";
    case RuleGroup::weights: return "weights";
    }
    return {};
}

} // namespace secateur
