// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/rules.h"

#include <vector>

namespace secateur {

std::span<const Rule* const> allRules() {
    static const std::vector<const Rule*> kRules{
#define SECATEUR_RULE(name) &name##Rule(),
#include "core/passes/simplify/rules.inc"
#undef SECATEUR_RULE
    };
    return kRules;
}

const Rule* findRule(std::string_view id) {
    for (const Rule* rule : allRules()) {
        if (rule->id == id) return rule;
    }
    return nullptr;
}

} // namespace secateur
