// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/readers.h"
#include "core/rewrite/pass.h"

#include <string_view>
#include <vector>

namespace secateur {

// What drop-training-state does after its nodes, each in rewrites of its own.

/// Optional results that nobody reads, where the others do not depend on whether they are asked for.
void trimUnreadResults(PassContext& context, std::string_view rule);
/// Functions that no node of the main graph, nor of a called function, calls.
void dropUncalledFunctions(PassContext& context, std::string_view rule);
/// Graph inputs that a rewrite took the last reader from.
void dropUnreadInputs(PassContext& context, std::string_view rule);
/// Initializers that nothing reads, quantization annotations included.
void dropUnreadInitializers(PassContext& context, std::string_view rule);
/// Large initializers with the same type, shape and bytes become one.
void shareEqualWeights(PassContext& context, std::string_view rule);
/// Opset imports of domains that no node of the model names.
void dropUnusedOpsets(PassContext& context, std::string_view rule);

} // namespace secateur
