// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/factories.h"

#include <exception>
#include <map>
#include <string>

namespace secateur {
namespace {

const std::map<std::string_view, KernelFactory>& allFactories() {
    static const std::map<std::string_view, KernelFactory> kAll = [] {
        std::map<std::string_view, KernelFactory> all;
        for (const auto table :
             {unaryFactories(), binaryFactories(), batchNormalizationFactories(), convolutionFactories(),
              poolingFactories(), matrixFactories(), paddingFactories(), quantizationFactories(),
              recurrentFactories(), reductionFactories(), movementFactories()})
            for (const FactoryEntry& entry : table)
                all.emplace(entry.op, entry.make);
        return all;
    }();
    return kAll;
}

std::optional<PreparedStep> fastStep(const NodeFacts& facts) {
    const Model& model = *facts.call.model;
    std::string op(model.op(facts.call.node));
    if (!model.isDefaultDomain(facts.call.node)) op = std::string(model.domain(facts.call.node)) + "." + op;
    const auto found = allFactories().find(op);
    if (found == allFactories().end()) return std::nullopt;
    // What oneDNN cannot do it says by an exception: the reference kernel can.
    try {
        return found->second(facts);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

} // namespace

PreparedStep prepareStep(const NodeFacts& facts) {
    if (auto step = fastStep(facts)) return std::move(*step);
    return {nullptr, plainRequest(facts), PreparedStep::Origin::reference};
}

} // namespace secateur
