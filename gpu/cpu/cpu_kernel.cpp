// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/cpu_kernel.h"

#include <algorithm>

namespace secateur {

bool NodeFacts::isAllFloat() const {
    const auto fits = [](const OperandFacts& o) { return !o.isPresent || (o.isFloat() && o.count() > 0); };
    return std::all_of(inputs.begin(), inputs.end(), fits) &&
           std::all_of(outputs.begin(), outputs.end(), fits);
}

bool NodeFacts::isConstantFrom(std::size_t slot) const {
    for (; slot < inputs.size(); ++slot)
        if (inputs[slot].isPresent && inputs[slot].constant == nullptr) return false;
    return true;
}

StepRequest plainRequest(const NodeFacts& facts) {
    StepRequest request;
    request.inputs.assign(facts.inputs.size(), kPlainLayout);
    for (const OperandFacts& output : facts.outputs) {
        StepRequest::Slot slot;
        slot.bytes = static_cast<std::uint64_t>(output.count()) * cellBytes(output.type);
        request.outputs.push_back(std::move(slot));
    }
    return request;
}

PreparedStep ownStep(const NodeFacts& facts, std::unique_ptr<CpuKernel> kernel) {
    return {std::move(kernel), plainRequest(facts), PreparedStep::Origin::own};
}

} // namespace secateur
