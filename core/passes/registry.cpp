// SPDX-License-Identifier: Apache-2.0
#include "core/passes/registry.h"

#include "core/passes/convert/conversion_passes.h"
#include "core/passes/simplify/simplify_passes.h"

namespace secateur {
namespace {

/// Each pass leaves nothing behind that a later one would have to take back: what reads the gradients goes
/// before the gradients, weights come in before the statistics of BatchNormalization are judged, and data
/// that nobody reads any more goes last.
std::vector<const Pass*>& pipeline() {
    static std::vector<const Pass*> passes{
        &chooseTargetsPass(),     &dropOptimizerPass(),       &pruneBackwardPass(),
        &dropLossPass(),          &attachWeightsPass(),       &bypassDropoutPass(),
        &bypassDropPathPass(),    &freezeBatchNormPass(),     &standardOperatorsPass(),
        &dropTrainingStatePass(), &stripExporterTracesPass(), &inlineFunctionsPass(),
        &simplifyPass(),
    };
    return passes;
}

} // namespace

std::span<const Pass* const> allPasses() {
    return pipeline();
}

void registerPass(const Pass& pass) {
    pipeline().push_back(&pass);
}

const Pass* findPass(std::string_view id) {
    for (const Pass* pass : pipeline()) {
        if (pass->info().id == id) return pass;
    }
    return nullptr;
}

std::vector<std::string> conversionPipeline() {
    std::vector<std::string> ids;
    for (const Pass* pass : pipeline()) {
        if (pass->info().isConversion) ids.push_back(pass->info().id);
    }
    return ids;
}

std::vector<std::string> simplificationPipeline() {
    std::vector<std::string> ids;
    for (const Pass* pass : pipeline()) {
        if (!pass->info().isConversion) ids.push_back(pass->info().id);
    }
    return ids;
}

} // namespace secateur
