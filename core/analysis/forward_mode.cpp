// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/forward_mode.h"

#include <algorithm>
#include <array>
#include <set>

namespace secateur {
namespace {

constexpr std::size_t kMostOutputs = 16;

struct OutputFacts {
    ValueId value;
    GraphIndex::Flags cone;
    std::set<ValueId> data;    ///< graph inputs it reads
    std::set<ValueId> weights; ///< weights it reads
};

OutputFacts factsOf(const GraphIndex& index, const TrainingSigns& signs, ValueId value) {
    OutputFacts facts{value, index.coneOf(std::array{value}), {}, {}};
    const Model& model = index.model();
    for (std::uint32_t at = 0; at < index.size(); ++at) {
        if (!facts.cone[at]) continue;
        for (const ValueId input : index.inputs(at)) {
            if (input.isNone() || index.producer(input) != GraphIndex::kNone) continue;
            if (signs.isWeight[input.index])
                facts.weights.insert(input);
            else if (model.isGraphInput(input) && !model.isInitializer(input))
                facts.data.insert(input);
        }
    }
    return facts;
}

bool haveEqualTypes(const TypeTable& types, ValueId a, ValueId b) {
    return types.type(a).isTensor() && types.type(a) == types.type(b);
}

bool isDerivative(const GraphIndex& index, const TypeTable& types, const OutputFacts& primal,
                  const OutputFacts& tangent) {
    if (!haveEqualTypes(types, primal.value, tangent.value)) return false;
    if (!std::includes(tangent.data.begin(), tangent.data.end(), primal.data.begin(), primal.data.end()))
        return false;
    bool hasOwnInput = false;
    for (const ValueId own : tangent.data) {
        if (primal.data.contains(own)) continue;
        for (const ValueId theirs : primal.data)
            hasOwnInput = hasOwnInput || haveEqualTypes(types, own, theirs);
    }
    if (!hasOwnInput) return false;
    bool sharesWeight = false, readsPrimal = false;
    for (std::uint32_t at = 0; at < index.size(); ++at) {
        if (primal.cone[at] || !tangent.cone[at]) continue;
        for (const ValueId input : index.inputs(at)) {
            if (input.isNone()) continue;
            sharesWeight = sharesWeight || primal.weights.contains(input);
            const auto from = index.producer(input);
            readsPrimal =
                readsPrimal || (from != GraphIndex::kNone && primal.cone[from] && input != primal.value);
        }
    }
    return sharesWeight && readsPrimal;
}

} // namespace

std::vector<ForwardModePair> findForwardModePairs(const GraphIndex& index, const TypeTable& types,
                                                  const TrainingSigns& signs) {
    const Model& model = index.model();
    std::vector<ForwardModePair> pairs;
    const auto outputs = model.graphOutputs(model.mainGraph());
    if (outputs.size() < 2 || outputs.size() > kMostOutputs) return pairs;
    std::size_t dataInputs = 0;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        dataInputs += !model.isInitializer(input) && !signs.isWeight[input.index];
    if (dataInputs < 2) return pairs;
    std::vector<OutputFacts> facts;
    for (const ValueId output : outputs)
        facts.push_back(factsOf(index, signs, output));
    for (const OutputFacts& primal : facts)
        for (const OutputFacts& tangent : facts)
            if (primal.value != tangent.value && isDerivative(index, types, primal, tangent))
                pairs.push_back({primal.value, tangent.value});
    return pairs;
}

} // namespace secateur
