// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

namespace secateur {

/// Do the numbers in the attributes of a standard operator lie where its documentation wants them, whatever
/// its operands are: no kernel of size 0, no padding below 0, as many pieces as the node has results?
/// Attributes that a function takes from its call are left to the kernel. An error names the attribute and
/// what it is.
Result<void> checkAttributeValues(const Model& model, NodeId node);

} // namespace secateur
