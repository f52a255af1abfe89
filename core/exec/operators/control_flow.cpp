// SPDX-License-Identifier: Apache-2.0
//
// ONNX If, Loop, Scan, SequenceMap: operators that hold bodies.
#include "core/exec/gathered_parts.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <optional>

namespace secateur {
namespace {

Result<GraphId> bodyOf(const KernelCall& call, std::string_view attribute) {
    const Attribute* given = call.attribute(attribute);
    const auto* graph = given == nullptr ? nullptr : std::get_if<GraphId>(&given->value);
    if (graph == nullptr) return call.fail("exec.no-body", {std::string(attribute)});
    return *graph;
}

/// The one boolean (or number) in an input; before opset 11 it may have any shape of one element, later, too.
Result<bool> conditionIn(const KernelCall& call, const RuntimeValue& value) {
    const TensorData* tensor = value.tensor();
    if (tensor == nullptr || tensor->type() != ElementType::boolean || tensor->count() != 1)
        return call.fail("exec.needs-condition", {value.text()});
    return tensor->as<std::uint8_t>()[0] != 0;
}

Result<void> takeIteration(const KernelCall& call) {
    if (call.work->isCancelled()) return cancelled();
    return call.loops->take();
}

Result<void> runIf(const KernelCall& call) {
    if (call.inputs.empty()) return call.fail("exec.needs-condition", {"nothing"});
    const bool condition = TRY(conditionIn(call, call.inputs[0]));
    const GraphId body = TRY(bodyOf(call, condition ? "then_branch" : "else_branch"));
    std::vector<RuntimeValue> results = TRY((*call.runBody)(body, {}));
    for (std::size_t i = 0; i < results.size(); ++i)
        call.setOutput(i, std::move(results[i]));
    return {};
}

/// Results that a loop gathers, one part an iteration.
Result<void> setGathered(const KernelCall& call, std::size_t slot, const GatheredParts& parts, GraphId body,
                         std::size_t bodyOutput, std::size_t axis, bool isReversed = false) {
    if (!parts.isEmpty()) {
        call.setOutput(slot, TRY(parts.stacked(call, axis, isReversed)));
        return {};
    }
    // No iteration ran: what one would have given is only known from the body's declaration.
    const auto& outputs = *call.model->graph(body).outputs;
    const ValueInfoPtr& info = outputs[bodyOutput].info;
    if (info == nullptr || info->type.element == ElementType::undefined)
        return call.fail("exec.no-iteration-no-type");
    Shape shape;
    for (const Dim& dim : info->type.dims)
        shape.push_back(dim.value.value_or(0));
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(axis, shape.size())), 0);
    call.setOutput(slot, TRY(call.make(info->type.element, std::move(shape))));
    return {};
}

Result<TensorData> scalarOf(const KernelCall& call, std::int64_t number) {
    TensorData scalar = TRY(call.make(ElementType::int64, {}));
    scalar.as<std::int64_t>()[0] = number;
    return scalar;
}

/// The state of a Loop between iterations.
struct LoopState {
    std::vector<RuntimeValue> carried;
    std::vector<GatheredParts> gathered;
    RuntimeValue condition;
};

Result<void> iterate(const KernelCall& call, GraphId body, std::int64_t number, LoopState& state) {
    TRY(takeIteration(call));
    std::vector<RuntimeValue> inputs;
    inputs.push_back(TRY(scalarOf(call, number)));
    inputs.push_back(state.condition);
    inputs.insert(inputs.end(), state.carried.begin(), state.carried.end());
    std::vector<RuntimeValue> results = TRY((*call.runBody)(body, std::move(inputs)));
    if (results.size() != 1 + state.carried.size() + state.gathered.size())
        return call.fail("exec.body-outputs",
                         {std::to_string(results.size()),
                          std::to_string(1 + state.carried.size() + state.gathered.size())});
    state.condition = std::move(results[0]);
    for (std::size_t i = 0; i < state.carried.size(); ++i)
        state.carried[i] = std::move(results[1 + i]);
    for (std::size_t i = 0; i < state.gathered.size(); ++i) {
        const TensorData* part = results[1 + state.carried.size() + i].tensor();
        if (part == nullptr) return call.fail("exec.scan-output-no-tensor");
        TRY(state.gathered[i].add(call, *part));
    }
    return {};
}

Result<void> runLoop(const KernelCall& call) {
    const GraphId body = TRY(bodyOf(call, "body"));
    std::optional<std::int64_t> trips;
    if (const auto given = TRY(call.integersIn(0))) {
        if (given->size() != 1)
            return call.fail("exec.needs-one-element", {"0", std::to_string(given->size())});
        trips = given->front();
    }
    LoopState state;
    TensorData isOn = TRY(call.make(ElementType::boolean, {}));
    isOn.as<std::uint8_t>()[0] = 1;
    state.condition = std::move(isOn);
    const bool hasCondition = call.hasInput(1);
    if (hasCondition) state.condition = call.inputs[1];
    if (call.inputs.size() > 2) state.carried.assign(call.inputs.begin() + 2, call.inputs.end());
    const std::size_t bodyOutputs = call.model->graphOutputs(body).size();
    if (bodyOutputs < 1 + state.carried.size())
        return call.fail("exec.body-outputs",
                         {std::to_string(bodyOutputs), std::to_string(1 + state.carried.size())});
    state.gathered.resize(bodyOutputs - 1 - state.carried.size());
    const LoopBudget::Running running(*call.loops);
    for (std::int64_t number = 0; !trips || number < *trips; ++number) {
        // Without an initial condition the one that the body gives is not looked at where there is a trip
        // count.
        const bool looks = hasCondition || !trips;
        if (looks && !TRY(conditionIn(call, state.condition))) break;
        TRY(iterate(call, body, number, state));
    }
    const std::size_t carried = state.carried.size();
    for (std::size_t i = 0; i < carried; ++i)
        call.setOutput(i, std::move(state.carried[i]));
    for (std::size_t i = 0; i < state.gathered.size(); ++i)
        TRY(setGathered(call, carried + i, state.gathered[i], body, 1 + carried + i, 0));
    return {};
}

/// What the attributes of Scan say, for one run over a sequence.
struct ScanPlan {
    GraphId body;
    std::size_t states = 0, sequences = 0, gathered = 0;
    std::vector<std::size_t> inputAxes, outputAxes;
    std::vector<bool> isInputReversed, isOutputReversed;
    std::int64_t length = 0;
};

std::vector<bool> directionsOf(const KernelCall& call, std::string_view name, std::size_t count) {
    std::vector<bool> isReversed(count, false);
    if (const auto* given = call.integers(name)) {
        for (std::size_t i = 0; i < std::min(count, given->size()); ++i)
            isReversed[i] = (*given)[i] != 0;
    }
    return isReversed;
}

Result<ScanPlan> planScan(const KernelCall& call, std::span<const RuntimeValue> inputs, bool hasAxes) {
    ScanPlan plan;
    plan.body = TRY(bodyOf(call, "body"));
    plan.sequences = static_cast<std::size_t>(std::max<std::int64_t>(call.integer("num_scan_inputs", 0), 0));
    const std::size_t bodyOutputs = call.model->graphOutputs(plan.body).size();
    if (plan.sequences == 0 || plan.sequences > inputs.size() || bodyOutputs < inputs.size() - plan.sequences)
        return call.fail("exec.body-outputs", {std::to_string(bodyOutputs), std::to_string(inputs.size())});
    plan.states = inputs.size() - plan.sequences;
    plan.gathered = bodyOutputs - plan.states;
    plan.inputAxes.assign(plan.sequences, 0);
    plan.outputAxes.assign(plan.gathered, 0);
    plan.isInputReversed =
        directionsOf(call, hasAxes ? "scan_input_directions" : "directions", plan.sequences);
    plan.isOutputReversed = directionsOf(call, "scan_output_directions", plan.gathered);
    const auto* inputAxes = hasAxes ? call.integers("scan_input_axes") : nullptr;
    for (std::size_t i = 0; i < plan.sequences; ++i) {
        const TensorData* sequence = inputs[plan.states + i].tensor();
        if (sequence == nullptr || sequence->rank() == 0)
            return call.fail("exec.needs-tensor",
                             {std::to_string(plan.states + i), inputs[plan.states + i].text()});
        if (inputAxes != nullptr && i < inputAxes->size())
            plan.inputAxes[i] = TRY(axisOf(call, (*inputAxes)[i], sequence->rank()));
        const std::int64_t length = sequence->shape()[plan.inputAxes[i]];
        if (i != 0 && length != plan.length)
            return call.fail("exec.scan-lengths", {std::to_string(plan.length), std::to_string(length)});
        plan.length = length;
    }
    return plan;
}

/// Runs the body over the sequences; gives the final states and the gathered results.
Result<std::vector<RuntimeValue>> scan(const KernelCall& call, const ScanPlan& plan,
                                       std::span<const RuntimeValue> inputs,
                                       std::vector<GatheredParts>& gathered) {
    const LoopBudget::Running running(*call.loops);
    std::vector<RuntimeValue> states(inputs.begin(),
                                     inputs.begin() + static_cast<std::ptrdiff_t>(plan.states));
    gathered.assign(plan.gathered, {});
    for (std::int64_t step = 0; step < plan.length; ++step) {
        TRY(takeIteration(call));
        std::vector<RuntimeValue> given = states;
        for (std::size_t i = 0; i < plan.sequences; ++i) {
            const std::int64_t at = plan.isInputReversed[i] ? plan.length - 1 - step : step;
            given.push_back(TRY(sliceAlong(call, *inputs[plan.states + i].tensor(), plan.inputAxes[i], at)));
        }
        std::vector<RuntimeValue> results = TRY((*call.runBody)(plan.body, std::move(given)));
        if (results.size() != plan.states + plan.gathered)
            return call.fail("exec.body-outputs",
                             {std::to_string(results.size()), std::to_string(plan.states + plan.gathered)});
        for (std::size_t i = 0; i < plan.states; ++i)
            states[i] = std::move(results[i]);
        for (std::size_t i = 0; i < plan.gathered; ++i) {
            const TensorData* part = results[plan.states + i].tensor();
            if (part == nullptr) return call.fail("exec.scan-output-no-tensor");
            TRY(gathered[i].add(call, *part));
        }
    }
    return states;
}

Result<void> runScan(const KernelCall& call) {
    const ScanPlan plan = TRY(planScan(call, call.inputs, true));
    std::vector<GatheredParts> gathered;
    std::vector<RuntimeValue> states = TRY(scan(call, plan, call.inputs, gathered));
    for (std::size_t i = 0; i < plan.states; ++i)
        call.setOutput(i, std::move(states[i]));
    const auto* axes = call.integers("scan_output_axes");
    for (std::size_t i = 0; i < plan.gathered; ++i) {
        std::size_t axis = 0;
        if (axes != nullptr && i < axes->size()) {
            const std::size_t rank = gathered[i].isEmpty() ? 1 : gathered[i].rank() + 1;
            axis = TRY(axisOf(call, (*axes)[i], rank));
        }
        TRY(setGathered(call, plan.states + i, gathered[i], plan.body, plan.states + i, axis,
                        plan.isOutputReversed[i]));
    }
    return {};
}

/// Scan of opset 8: input 0 gives the lengths, all others have a batch dimension first, which is run one by
/// one.
Result<void> runBatchedScan(const KernelCall& call) {
    const auto lengths = TRY(call.integersIn(0));
    const std::span<const RuntimeValue> inputs = call.inputs.subspan(1);
    if (inputs.empty() || inputs[0].tensor() == nullptr || inputs[0].tensor()->rank() == 0)
        return call.fail("exec.needs-tensor", {"1", inputs.empty() ? "nothing" : inputs[0].text()});
    const std::int64_t batch = inputs[0].tensor()->shape()[0];
    std::vector<GatheredParts> outputs(call.outputs.size());
    for (std::int64_t b = 0; b < batch; ++b) {
        std::vector<RuntimeValue> own;
        for (const RuntimeValue& input : inputs) {
            if (input.tensor() == nullptr || input.tensor()->rank() == 0 ||
                input.tensor()->shape()[0] != batch)
                return call.fail("exec.needs-tensor", {"1", input.text()});
            own.push_back(TRY(sliceAlong(call, *input.tensor(), 0, b)));
        }
        ScanPlan plan = TRY(planScan(call, own, false));
        if (lengths && static_cast<std::size_t>(b) < lengths->size())
            plan.length = std::clamp<std::int64_t>((*lengths)[static_cast<std::size_t>(b)], 0, plan.length);
        std::vector<GatheredParts> gathered;
        std::vector<RuntimeValue> results = TRY(scan(call, plan, own, gathered));
        for (std::size_t i = 0; i < plan.gathered; ++i)
            results.push_back(TRY(gathered[i].stacked(call, 0, plan.isOutputReversed[i])));
        for (std::size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
            if (results[i].tensor() == nullptr) return call.fail("exec.scan-output-no-tensor");
            TRY(outputs[i].add(call, *results[i].tensor()));
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
        call.setOutput(i, TRY(outputs[i].stacked(call, 0)));
    return {};
}

/// ONNX SequenceMap: the body once for each element; inputs that are no sequences are the same for all.
Result<void> runSequenceMap(const KernelCall& call) {
    const GraphId body = TRY(bodyOf(call, "body"));
    const SequenceData* first = call.inputs.empty() ? nullptr : call.inputs[0].sequence();
    if (first == nullptr) return call.fail("exec.needs-sequence", {"0"});
    std::vector<std::shared_ptr<SequenceData>> results(call.model->graphOutputs(body).size());
    for (auto& result : results)
        result = std::make_shared<SequenceData>();
    for (auto& result : results)
        TRY(chargeItems(call, *result, first->items.size()));
    const LoopBudget::Running running(*call.loops);
    for (std::size_t i = 0; i < first->items.size(); ++i) {
        TRY(takeIteration(call));
        std::vector<RuntimeValue> given;
        for (const RuntimeValue& input : call.inputs) {
            const SequenceData* sequence = input.sequence();
            if (sequence != nullptr && i >= sequence->items.size())
                return call.fail("exec.sequence-lengths", {std::to_string(first->items.size()),
                                                           std::to_string(sequence->items.size())});
            given.push_back(sequence == nullptr ? input : sequence->items[i]);
        }
        std::vector<RuntimeValue> made = TRY((*call.runBody)(body, std::move(given)));
        for (std::size_t k = 0; k < results.size() && k < made.size(); ++k) {
            if (const TensorData* tensor = made[k].tensor()) results[k]->element = tensor->type();
            results[k]->items.push_back(std::move(made[k]));
        }
    }
    for (std::size_t k = 0; k < results.size(); ++k)
        call.setOutput(k, std::shared_ptr<const SequenceData>(std::move(results[k])));
    return {};
}

constexpr KernelEntry kControlFlow[] = {
    {"", "If", 1, &runIf},
    {"", "Loop", 1, &runLoop},
    {"", "Scan", 8, &runBatchedScan},
    {"", "Scan", 9, &runScan},
    {"", "SequenceMap", 17, &runSequenceMap},
};

} // namespace

std::span<const KernelEntry> controlFlowKernels() {
    return kControlFlow;
}

} // namespace secateur
