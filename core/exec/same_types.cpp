// SPDX-License-Identifier: Apache-2.0
#include "core/exec/same_types.h"

#include "core/onnx/schemas.h"

#include <algorithm>
#include <unordered_map>

namespace secateur {
namespace {

/// By input slot: the first slot of the same type parameter. The last entry goes for all further slots.
using FirstSlots = std::vector<std::size_t>;
constexpr std::size_t kOwnType = SIZE_MAX;

FirstSlots firstSlotsOf(const KernelCall& call) {
    FirstSlots firsts;
    const auto schema = schemaOf(call.model->domain(call.node), call.model->op(call.node), call.opset);
    if (!schema) return firsts;
    const auto& types = schema->inputTypes;
    for (std::size_t slot = 0; slot < types.size(); ++slot) {
        const bool isParameter = types[slot].find('(') == std::string::npos;
        const bool isMixed = schema->isLastInputMixed && slot + 1 == types.size();
        const auto first = std::find(types.begin(), types.end(), types[slot]) - types.begin();
        firsts.push_back(isParameter && !isMixed ? static_cast<std::size_t>(first) : kOwnType);
    }
    return firsts;
}

/// Looking up a schema is slow beside a small kernel.
const FirstSlots& knownFirstSlots(const KernelCall& call) {
    thread_local std::unordered_map<std::string, FirstSlots> known;
    std::string key(call.model->domain(call.node));
    key += ':';
    key += call.model->op(call.node);
    key += ':' + std::to_string(call.opset);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    return known.emplace(std::move(key), firstSlotsOf(call)).first->second;
}

} // namespace

Result<void> checkSameTypes(const KernelCall& call) {
    if (call.inputs.size() < 2) return {};
    const FirstSlots& firsts = knownFirstSlots(call);
    for (std::size_t slot = 1; slot < call.inputs.size() && !firsts.empty(); ++slot) {
        const std::size_t first = firsts[std::min(slot, firsts.size() - 1)];
        if (first == kOwnType || first >= slot) continue;
        const TensorData *one = call.inputs[first].tensor(), *other = call.inputs[slot].tensor();
        if (one == nullptr || other == nullptr || one->type() == other->type()) continue;
        return call.fail("exec.types-differ", {elementTypeName(one->type()), elementTypeName(other->type())});
    }
    return {};
}

} // namespace secateur
