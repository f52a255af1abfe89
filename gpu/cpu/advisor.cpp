// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/advisor.h"

#include "core/exec/shape_check.h"
#include "core/ir/constants.h"
#include "core/messages/messages.h"
#include "core/support/text.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"

namespace secateur {

Result<RuntimeValue> ConstantStore::constant(ValueId value) {
    if (value.isNone()) return RuntimeValue();
    const auto known = m_read.find(value.index);
    if (known != m_read.end()) return known->second;
    const TensorPtr contents = constantOf(*m_model, value);
    if (contents == nullptr) return RuntimeValue();
    auto read = TensorData::from(*m_pool, *contents);
    if (!read) return Error{read.error().code, read.error().message, valueText(*m_model, value)};
    return m_read.emplace(value.index, RuntimeValue(std::move(*read))).first->second;
}

void ConstantStore::keepOnly(const std::vector<bool>& needed) {
    std::erase_if(m_read, [&](const auto& entry) { return !needed[entry.first]; });
}

Result<NodeFacts> CpuAdvisor::factsOf(NodeId node, std::span<const LayoutCode> layouts) {
    const Model& model = m_source.model;
    NodeFacts facts;
    facts.call.model = &model;
    facts.call.node = node;
    facts.call.opset = model.opsetVersion(model.domain(node), model.node(node).graph).value_or(1);
    facts.call.mode = m_mode;
    facts.call.pool = &m_constants.pool();
    const auto describe = [&](ValueId value) {
        OperandFacts operand;
        if (value.isNone()) return operand;
        operand.isPresent = true;
        operand.type = m_source.types.type(value).element;
        operand.shape = plannedShape(m_source, value).value_or(Shape{});
        return operand;
    };
    const auto inputs = model.inputs(node);
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
        facts.inputs.push_back(describe(inputs[slot]));
        facts.inputs.back().layout = layouts[slot];
        facts.constants.push_back(TRY(m_constants.constant(inputs[slot])));
    }
    // The list is full: its elements stay where they are, also when the facts are moved.
    for (std::size_t slot = 0; slot < inputs.size(); ++slot)
        facts.inputs[slot].constant = facts.constants[slot].tensor();
    for (const ValueId output : model.outputs(node))
        facts.outputs.push_back(describe(output));
    return facts;
}

Result<void> CpuAdvisor::checkSizes(const NodeFacts& facts) const {
    std::vector<const Shape*> shapes;
    for (const OperandFacts& input : facts.inputs)
        shapes.push_back(input.isPresent ? &input.shape : nullptr);
    TRY(checkShapes(facts.call, shapes));
    const std::uint64_t limit = m_constants.pool().limitBytes();
    for (const OperandFacts& output : facts.outputs) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(output.count()) * cellBytes(output.type);
        if (bytes > limit)
            return missingHere(
                formatMessage("exec.memory-limit", {formatBytes(bytes), formatBytes(0), formatBytes(limit)}),
                nodeText(*facts.call.model, facts.call.node));
    }
    return {};
}

Result<StepRequest> CpuAdvisor::request(NodeId node, std::span<const LayoutCode> layouts) {
    NodeFacts facts = TRY(factsOf(node, layouts));
    TRY(checkSizes(facts));
    facts.call.inputs = facts.constants;
    PreparedStep step = prepareStep(facts);
    StepRequest request = step.request;
    m_steps[node.index] = std::move(step);
    return request;
}

std::uint64_t CpuAdvisor::bytesOf(ValueId value, LayoutCode layout) const {
    const Shape shape = plannedShape(m_source, value).value_or(Shape{});
    return elementCountOf(physicalShape(shape, layout)).value_or(0) *
           cellBytes(m_source.types.type(value).element);
}

PreparedStep CpuAdvisor::take(NodeId node) {
    const auto found = m_steps.find(node.index);
    return found == m_steps.end() ? PreparedStep{} : std::move(found->second);
}

} // namespace secateur
