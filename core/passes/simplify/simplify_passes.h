// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"
#include "core/rewrite/rule_view.h"

namespace secateur {

/// Function calls become what they call. Off by default.
[[nodiscard]] const Pass& inlineFunctionsPass();

/// Applies the rules of rules.inc to the fix point, and shares what is computed twice. Keeps what the model
/// computes, within the class of the option `level`, and never changes training or inference mode.
[[nodiscard]] const Pass& simplifyPass();

/// Nodes that compute the same become one, in one sweep over the model: the first of them, where all readers
/// can see it. Operands change places where that keeps within `loosest`. Returns how many went.
std::size_t shareSubexpressions(PassContext& context, const RuleView& view, Exactness loosest);

} // namespace secateur
