// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/reference_step.h"

#include "core/exec/reference.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "gpu/cpu/body_model.h"
#include "gpu/cpu/planned_body.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = PlanStep::kNone;

} // namespace

Result<void> ReferenceStep::run() {
    std::vector<RuntimeValue> inputs, outputs(m_step.outputs.size());
    for (std::size_t slot = 0; slot < m_step.inputs.size(); ++slot) {
        const std::uint32_t form = m_step.inputs[slot];
        inputs.push_back(form == kNone ? RuntimeValue() : m_run.valueOf(form));
        if (const TensorData* tensor = inputs.back().tensor())
            m_run.m_shapes[m_model.input(m_step.node, slot).index] = tensor->shape();
    }
    for (const std::uint32_t form : m_step.outputs) {
        if (form == kNone) continue;
        const PlanStorage& storage = m_run.m_plan.storages[m_run.m_plan.forms[form].storage];
        std::byte* place = m_run.m_places[m_run.m_plan.forms[form].storage];
        if (place == nullptr || storage.bytes == 0) continue;
        m_state.dynamic.offer(place, storage.bytes);
        m_offered.push_back(place);
    }
    const GraphId function = calledFunction(m_model, m_step.node);
    auto done = function.isNone() ? call(inputs, outputs) : runFunction(function, inputs, outputs);
    m_state.dynamic.withdrawOffers();
    if (!done) return done;
    return put(outputs);
}

Result<void> ReferenceStep::call(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs) {
    const NodeId node = m_step.node;
    const BodyRunner runner = [this](GraphId body, std::vector<RuntimeValue> given) {
        return runBody(body, std::move(given));
    };
    const auto opset = m_model.opsetVersion(m_model.domain(node), m_model.node(node).graph).value_or(1);
    const auto stream =
        m_state.streams
            .try_emplace(m_run.originOf(node).index, seedOfNode(m_model, node, m_state.options.seed))
            .first;
    KernelCall call;
    call.model = &m_model;
    call.node = node;
    call.opset = opset;
    call.inputs = inputs;
    call.outputs = outputs;
    call.pool = &m_state.dynamic;
    call.random = &stream->second;
    call.mode = m_state.options.mode;
    call.loops = &m_state.loops;
    call.work = m_state.work;
    call.runBody = &runner;
    call.shapesSeen = &m_run.m_shapes;
    const Kernel kernel = findKernel(m_model.domain(node), m_model.op(node), opset);
    if (kernel == nullptr) return missingHere(formatMessage("exec.no-kernel", {nodeText(m_model, node)}));
    return runKernel(kernel, call);
}

void ReferenceStep::addCaptured(PlannedRun::Body& body, std::vector<RuntimeValue>& inputs) const {
    if (body.forms.size() != body.captured.size()) {
        std::unordered_map<std::uint32_t, std::uint32_t> formOf; // by value
        for (const std::uint32_t form : m_step.captures)
            formOf.emplace(m_run.m_plan.forms[form].value.index, form);
        for (const ValueId value : body.captured) {
            const auto known = formOf.find(value.index);
            body.forms.push_back(known == formOf.end() ? kNone : known->second);
        }
    }
    for (const std::uint32_t form : body.forms)
        inputs.push_back(form == kNone ? RuntimeValue() : m_run.valueOf(form));
}

Result<std::vector<RuntimeValue>> ReferenceStep::runBody(GraphId body, std::vector<RuntimeValue> inputs) {
    // Places that are offered are for the node's own results, not for what its bodies make on the way.
    m_state.dynamic.withdrawOffers();
    PlannedRun::Body& planned = m_run.bodyOf(body);
    inputs.resize(m_model.graphInputs(body).size());
    addCaptured(planned, inputs);
    auto results = planned.runner.run(std::move(inputs), m_state);
    if (!results) return results;
    // What a body hands through may lie in our arena, and a loop carries it on.
    for (RuntimeValue& value : *results)
        value = TRY(detached(std::move(value)));
    return results;
}

Result<void> ReferenceStep::runFunction(GraphId function, std::span<const RuntimeValue> inputs,
                                        std::vector<RuntimeValue>& outputs) {
    m_state.dynamic.withdrawOffers();
    PlannedRun::Body& planned = m_run.functionOf(m_step.node, function, m_state);
    std::vector<RuntimeValue> given(inputs.begin(), inputs.end());
    given.resize(m_model.graphInputs(function).size());
    addCaptured(planned, given);
    auto results = TRY(planned.runner.run(std::move(given), m_state));
    for (std::size_t i = 0; i < outputs.size() && i < results.size(); ++i)
        outputs[i] = std::move(results[i]);
    return {};
}

/// The same value with nothing in the arena or where another result belongs.
Result<RuntimeValue> ReferenceStep::detached(RuntimeValue value) {
    if (const TensorData* tensor = value.tensor()) {
        const bool isOffered =
            std::find(m_offered.begin(), m_offered.end(), tensor->data()) != m_offered.end();
        if (tensor->isString() || (!isOffered && !m_run.isInArena(tensor->data()))) return value;
        TensorData copy = TRY(TensorData::make(m_state.dynamic, tensor->type(), tensor->shape()));
        std::memcpy(copy.data(), tensor->data(), static_cast<std::size_t>(tensor->byteSize()));
        return RuntimeValue(std::move(copy));
    }
    if (const SequenceData* sequence = value.sequence()) {
        SequenceData copy{sequence->element, {}, sequence->charged};
        for (const RuntimeValue& item : sequence->items)
            copy.items.push_back(TRY(detached(item)));
        return RuntimeValue(std::make_shared<const SequenceData>(std::move(copy)));
    }
    if (const OptionalData* optional = value.optional())
        return RuntimeValue(
            std::make_shared<const OptionalData>(OptionalData{TRY(detached(optional->value))}));
    return value;
}

/// Brings the results where the plan has them. One may lie where another belongs, so what does not lie right
/// is saved first.
Result<void> ReferenceStep::put(std::vector<RuntimeValue>& outputs) {
    struct Move {
        std::byte* place;
        std::vector<std::byte> bytes;
    };
    std::vector<Move> moves;
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        const std::uint32_t form = m_step.outputs[slot];
        if (form == kNone) continue;
        const PlanForm& planned = m_run.m_plan.forms[form];
        std::byte* place = m_run.m_places[planned.storage];
        if (m_run.m_plan.storages[planned.storage].kind == PlanStorage::Kind::dynamic) {
            m_run.m_values[form] = TRY(detached(std::move(outputs[slot])));
            if (const TensorData* tensor = m_run.m_values[form].tensor())
                m_run.m_shapes[planned.value.index] = tensor->shape();
            continue;
        }
        const TensorData* tensor = outputs[slot].tensor();
        const bool isAsPlanned = tensor != nullptr &&
                                 m_run.m_shapes[planned.value.index] == tensor->shape() &&
                                 tensor->type() == m_run.m_source.types.type(planned.value).element;
        if (!isAsPlanned) {
            m_run.m_unplanned = planned.value;
            return {};
        }
        if (tensor->data() == place || tensor->count() == 0) continue;
        moves.push_back({place, {tensor->data(), tensor->data() + tensor->byteSize()}});
    }
    for (const Move& move : moves)
        std::memcpy(move.place, move.bytes.data(), move.bytes.size());
    return {};
}

} // namespace secateur
