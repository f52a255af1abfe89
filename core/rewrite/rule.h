// SPDX-License-Identifier: Apache-2.0
//
// What a rewrite rule is: a local pattern around one node, its preconditions, and the edits that put
// something better in its place. The driver (rule_driver.h) finds where rules apply and makes each rewrite a
// transaction.
#pragma once

#include "core/rewrite/record.h"
#include "core/rewrite/rule_view.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace secateur {

class RuleEdit;

/// A place where a rule applies: what it matched, why, and how to make the change.
struct RuleHit {
    std::vector<NodeId> matched; ///< the root first
    Reason reason;
    /// Of this very rewrite, where it is tighter or looser than the rule's own class.
    std::optional<Exactness> exactness;
    /// Makes the change in the transaction of the rewrite; a refusal takes it back.
    std::function<Refusal(RuleEdit&)> apply;
};

/// Nothing of the pattern is there; or it is, and a precondition does not hold; or the rule applies.
using MatchResult = std::variant<std::monostate, Reason, RuleHit>;
/// Nothing of the pattern is there.
[[nodiscard]] inline MatchResult noMatch() {
    return {};
}

/// What a rule is about: how lists of rules are ordered for people.
enum class RuleGroup : std::uint8_t { structure, folding, shapes, arithmetic, weights };
/// "structure", "folding" ...
[[nodiscard]] std::string_view groupName(RuleGroup group);

/// One rule: data and one function without state. Texts are sentences by id: `rule.<id>.title`,
/// `.before-after`, `.gain`, `.cost`, `.when`; the reason of a hit is `rule.<id>.why...`, that of a failed
/// precondition `rule.<id>.miss.<guard>`, of a piece that is missing `rule.<id>.near.<piece>`, of an edit
/// that could not be made `rule.<id>.refused.<why>`.
struct Rule {
    std::string_view id; ///< kebab-case imperative, "remove-identity"
    RuleGroup group = RuleGroup::structure;
    Exactness exactness = Exactness::exact;
    std::vector<std::string_view> roots; ///< operators of the default domain; empty: every node
    MatchResult (*match)(const RuleView& view, NodeId root) = nullptr;
};

/// A piece of the pattern: without it the rule has nothing to say about this node.
#define SECATEUR_PATTERN(condition)                                                                          \
    if (!(condition)) return ::secateur::noMatch()

/// A piece of the pattern that is worth a word where it is missing: the rest was there.
#define SECATEUR_NEAR(condition, reasonId, ...)                                                              \
    if (!(condition)) return ::secateur::Reason(reasonId, {__VA_ARGS__})

/// A precondition without a word, for most nodes that come this far do not hold it: `id` is
/// `quiet.<id>.<name>`. Tests switch it off like a guard.
#define SECATEUR_QUIET(view, condition, id)                                                                  \
    if (!(condition) && !(view).isOff(id)) return ::secateur::noMatch()

/// A precondition: the pattern is there, and without this the rewrite would be wrong. The rest are the places
/// of its sentence. A test switches guards off one at a time, so what follows must not crash without it.
#define SECATEUR_GUARD(view, condition, reasonId, ...)                                                       \
    if (!(condition) && !(view).isOff(reasonId)) return ::secateur::Reason(reasonId, {__VA_ARGS__})

} // namespace secateur
