// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// All passes in the order of the standard pipeline.
[[nodiscard]] std::span<const Pass* const> allPasses();
/// Adds a pass behind all others: for a program that links this core and brings a pass of its own. The pass
/// must live as long as the program. To be called before any recipe is made, by one thread.
void registerPass(const Pass& pass);
[[nodiscard]] const Pass* findPass(std::string_view id);
/// Ids of the passes that turn a training graph into an inference model, in order.
[[nodiscard]] std::vector<std::string> conversionPipeline();
/// Ids of the passes that keep what a model computes, in order.
[[nodiscard]] std::vector<std::string> simplificationPipeline();

} // namespace secateur
