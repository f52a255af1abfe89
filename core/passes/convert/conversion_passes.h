// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"

namespace secateur {

// The passes that turn a training graph into an inference model, in pipeline order. Each lives in the file of
// its name.
[[nodiscard]] const Pass& chooseTargetsPass();
[[nodiscard]] const Pass& dropOptimizerPass();
[[nodiscard]] const Pass& pruneBackwardPass();
[[nodiscard]] const Pass& dropLossPass();
[[nodiscard]] const Pass& attachWeightsPass();
[[nodiscard]] const Pass& bypassDropoutPass();
[[nodiscard]] const Pass& bypassDropPathPass();
[[nodiscard]] const Pass& freezeBatchNormPass();
[[nodiscard]] const Pass& standardOperatorsPass();
[[nodiscard]] const Pass& dropTrainingStatePass();
[[nodiscard]] const Pass& stripExporterTracesPass();

/// A PassInfo whose texts are the messages "pass.<id>.title", ".summary", ".before-after", ".gain", ".cost",
/// ".when".
[[nodiscard]] PassInfo passInfo(std::string id, Exactness exactness, std::vector<PassOption> options = {},
                                bool isOnByDefault = true);

} // namespace secateur
