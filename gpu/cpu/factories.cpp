// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/factories.h"

#include <exception>
#include <map>
#include <string>
#include <vector>

namespace secateur {
namespace {

using Makers = std::vector<KernelFactory>;

/// By operator, those for some types or shapes before those for more.
const std::map<std::string_view, Makers>& allFactories() {
    static const std::map<std::string_view, Makers> kAll = [] {
        std::map<std::string_view, Makers> all;
        for (const auto table :
             {unaryFactories(), binaryFactories(), batchNormalizationFactories(), convolutionFactories(),
              poolingFactories(), matrixFactories(), paddingFactories(), quantizationFactories(),
              quantizedConvolutionFactories(), quantizedProductFactories(), quantizedRecurrentFactories(),
              recurrentFactories(), reductionFactories(), movementFactories(), resizeFactories(),
              typedElementwiseFactories()})
            for (const FactoryEntry& entry : table)
                all[entry.op].push_back(entry.make);
        return all;
    }();
    return kAll;
}

/// What oneDNN cannot do it says by an exception: another kernel can.
std::optional<PreparedStep> madeBy(KernelFactory make, const NodeFacts& facts) {
    try {
        return make(facts);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::optional<PreparedStep> fastStep(const NodeFacts& facts) {
    const Model& model = *facts.call.model;
    std::string op(model.op(facts.call.node));
    if (!model.isDefaultDomain(facts.call.node)) op = std::string(model.domain(facts.call.node)) + "." + op;
    const auto found = allFactories().find(op);
    if (found == allFactories().end()) return std::nullopt;
    for (const KernelFactory make : found->second)
        if (auto step = madeBy(make, facts)) return step;
    return std::nullopt;
}

} // namespace

PreparedStep prepareStep(const NodeFacts& facts) {
    if (auto step = fastStep(facts)) return std::move(*step);
    return {nullptr, plainRequest(facts), PreparedStep::Origin::reference};
}

} // namespace secateur
