// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/journal.h"
#include "core/ir/reason.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// What a rewrite promises about results.
enum class Exactness : std::uint8_t {
    exact,       ///< E: the same bits
    value,       ///< V: the same but for the sign of zero, NaN payload, last-bit rounding of constants
    approximate, ///< A: within a tolerance
    conversion,  ///< C: training to inference; the baseline of later checks
};
/// "exact", "value" ... and the letter E, V, A, C shown on chips.
[[nodiscard]] std::string_view exactnessName(Exactness exactness);
/// 'E', 'V', 'A' or 'C'.
[[nodiscard]] char exactnessLetter(Exactness exactness);

/// Why a rewrite that was begun cannot be made; none: it is made. Names only what was there before it.
using Refusal = std::optional<Reason>;
inline constexpr std::nullopt_t kDone = std::nullopt;

/// One rewrite of a step: applied, or matched and skipped because the recipe says so.
struct RewriteRecord {
    std::string rule; ///< e.g. "bypass-dropout"
    std::string
        key;     ///< names this rewrite in a recipe: root's graph path, rule, first result name, occurrence
    NodeId root; ///< the matched node that stands for the rewrite; none for rewrites of values only
    std::vector<NodeId> matched, created, erased; ///< nodes
    std::vector<ValueId>
        erasedValues; ///< inputs, initializers and outputs that went (not results of erased nodes)
    std::vector<std::pair<ValueId, ValueId>> equalValues; ///< old value -> the value that now stands for it
    std::vector<std::pair<NodeId, Reason>>
        nodeReasons; ///< a reason of its own for an erased node, where it has one
    std::vector<std::pair<ValueId, Reason>> valueReasons; ///< the same for erased values
    Reason reason;
    Exactness exactness = Exactness::exact;
    JournalMark begin, end; ///< its edits
    bool isSkipped = false;
};

/// A place where a rule nearly applied, and what was missing.
struct RewriteMiss {
    std::string rule;
    NodeId node;
    Reason reason;
};

} // namespace secateur
