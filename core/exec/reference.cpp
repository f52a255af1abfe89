// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reference.h"

#include "core/exec/function_writing.h"
#include "core/exec/node_check.h"
#include "core/exec/run_order.h"
#include "core/ir/function_table.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/operator_traits.h"
#include "core/support/hash.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace secateur {
namespace {

const Attribute* attributeIn(const AttributeList& list, std::string_view name) {
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.name == name; });
    return at == list.end() ? nullptr : &*at;
}

/// The attributes that a call gives to a function: its own over the function's defaults.
AttributeList attributesOfCall(const Model& model, NodeId call, GraphId function,
                               const AttributeList* outer) {
    AttributeList given = model.graph(function).header->attributeDefaults;
    for (Attribute attribute : model.attributes(call)) {
        if (!attribute.reference.empty()) {
            const auto from = outer == nullptr ? nullptr : attributeIn(*outer, attribute.reference);
            if (from == nullptr) continue;
            const std::string name = attribute.name;
            attribute = *from;
            attribute.name = name;
        }
        const auto same = std::find_if(given.begin(), given.end(),
                                       [&](const Attribute& a) { return a.name == attribute.name; });
        if (same == given.end())
            given.push_back(std::move(attribute));
        else
            *same = std::move(attribute);
    }
    return given;
}

/// Does what the caller gives fit the declared type? Only what the type says is compared.
Result<void> checkInput(const Model& model, ValueId input, const RuntimeValue& given) {
    const Type& declared = model.declaredType(input);
    const TensorData* tensor = given.tensor();
    if (!declared.isTensor() || given.isAbsent()) return {};
    bool fits = tensor != nullptr &&
                (declared.element == ElementType::undefined || tensor->type() == declared.element);
    // Where a scalar is declared, one element of any rank is taken, as runtimes do.
    const bool isOneElement =
        declared.hasShape && declared.dims.empty() && tensor != nullptr && tensor->count() == 1;
    if (fits && declared.hasShape && !isOneElement) {
        fits = declared.dims.size() == tensor->rank();
        for (std::size_t d = 0; fits && d < declared.dims.size(); ++d)
            // Some exporters write -1 for a free dimension.
            fits = declared.dims[d].value.value_or(-1) < 0 || *declared.dims[d].value == tensor->shape()[d];
    }
    if (fits) return {};
    return Error{ErrorCode::invalidInput,
                 formatMessage("exec.input-does-not-fit", {declared.text(), given.text()}),
                 valueText(model, input)};
}

/// A Constant node means what an initializer means, and is held as one. In a function it may take its value
/// from the call.
bool isHeldConstant(const Model& model, NodeId node) {
    if (!model.isOp(node, "Constant") || model.output(node, 0).isNone()) return false;
    const AttributeList& attributes = model.attributes(node);
    return std::all_of(attributes.begin(), attributes.end(),
                       [](const Attribute& attribute) { return attribute.reference.empty(); });
}

} // namespace

struct ReferenceRunner::State {
    std::optional<Model> written; ///< with function bodies in place of operators
    const Model* model = nullptr;
    std::optional<FunctionTable> functions; ///< of the model
    ReferenceOptions options;
    MemoryPool pool;
    std::unordered_map<std::uint32_t, GraphSchedule> schedules; ///< by graph
    /// Initializers and results of Constant nodes: read when first asked for, then kept.
    std::unordered_map<std::uint32_t, RuntimeValue> constants;
    std::unordered_map<std::uint32_t, RandomStream> streams; ///< of random nodes, for one run
    std::vector<RuntimeValue> values;                        ///< by value; a graph is never active twice
    std::vector<std::optional<Shape>> shapes;                ///< by value, as last seen in this run
    std::vector<const AttributeList*> calls;                 ///< functions being run, innermost last
    LoopBudget loops;
    const WorkContext* work = nullptr;
    BodyRunner runBody;

    explicit State(ReferenceOptions given)
        : options(std::move(given)),
          pool(options.within ? options.within->sibling() : MemoryPool(options.limits.memoryBytes)) {
        runBody = [this](GraphId body, std::vector<RuntimeValue> inputs) {
            return runGraph(body, std::move(inputs));
        };
    }

    Result<std::vector<RuntimeValue>> runGraph(GraphId graph, std::vector<RuntimeValue> inputs);
    Result<void> runNode(NodeId node);
    Result<void> runFunction(NodeId node, GraphId function, std::span<const RuntimeValue> inputs,
                             std::vector<RuntimeValue>& outputs);
    Result<RuntimeValue> valueOf(ValueId value);
    void release(const std::vector<ValueId>& dead) {
        for (const ValueId value : dead)
            values[value.index] = {};
    }
};

Result<RuntimeValue> ReferenceRunner::State::valueOf(ValueId value) {
    if (value.isNone()) return RuntimeValue();
    // A caller's value goes before the default that an initializer is.
    if (!values[value.index].isAbsent()) return values[value.index];
    const TensorPtr& tensor = model->value(value).tensor;
    if (tensor == nullptr) return RuntimeValue();
    const auto known = constants.find(value.index);
    if (known != constants.end()) return known->second;
    auto read = TensorData::from(pool, *tensor);
    if (!read) return Error{read.error().code, read.error().message, valueText(*model, value)};
    return constants.emplace(value.index, RuntimeValue(std::move(*read))).first->second;
}

Result<std::vector<RuntimeValue>> ReferenceRunner::State::runGraph(GraphId graph,
                                                                   std::vector<RuntimeValue> inputs) {
    const auto parameters = model->graphInputs(graph);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!parameters[i].isNone())
            values[parameters[i].index] = i < inputs.size() ? std::move(inputs[i]) : RuntimeValue();
    }
    const GraphSchedule& schedule = schedules.at(graph.index);
    release(schedule.unread);
    for (const GraphSchedule::Entry& entry : schedule.entries) {
        if (work->isCancelled()) return cancelled();
        TRY(runNode(entry.node));
        release(entry.lastUses);
    }
    std::vector<RuntimeValue> results;
    for (const ValueId output : model->graphOutputs(graph))
        results.push_back(TRY(valueOf(output)));
    // What an outer graph owns stays.
    for (const ValueId output : model->graphOutputs(graph)) {
        if (!output.isNone() && model->value(output).graph == graph) values[output.index] = {};
    }
    return results;
}

Result<void> ReferenceRunner::State::runFunction(NodeId node, GraphId function,
                                                 std::span<const RuntimeValue> inputs,
                                                 std::vector<RuntimeValue>& outputs) {
    const AttributeList* outer = calls.empty() ? nullptr : calls.back();
    const AttributeList given = attributesOfCall(*model, node, function, outer);
    calls.push_back(&given);
    auto results = runGraph(function, {inputs.begin(), inputs.end()});
    calls.pop_back();
    if (!results) return std::move(results).error();
    for (std::size_t i = 0; i < outputs.size() && i < results->size(); ++i)
        outputs[i] = std::move((*results)[i]);
    return {};
}

Result<void> ReferenceRunner::State::runNode(NodeId node) {
    std::vector<RuntimeValue> inputs;
    for (const ValueId input : model->inputs(node))
        inputs.push_back(TRY(valueOf(input)));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (const TensorData* tensor = inputs[i].tensor())
            shapes[model->input(node, i).index] = tensor->shape();
    }
    std::vector<RuntimeValue> outputs(model->outputs(node).size());
    const bool isHeld = isHeldConstant(*model, node);
    const auto held = isHeld ? constants.find(model->output(node, 0).index) : constants.end();
    if (held != constants.end()) {
        outputs[0] = held->second;
    } else if (const GraphId function = functions->calledBy(*model, node); !function.isNone()) {
        TRY(runFunction(node, function, inputs, outputs));
    } else {
        const auto opset = model->opsetVersion(model->domain(node), model->node(node).graph).value_or(1);
        const auto stream = streams.try_emplace(node.index, seedOfNode(*model, node, options.seed)).first;
        KernelCall call;
        call.model = model;
        call.node = node;
        call.opset = opset;
        call.inputs = inputs;
        call.outputs = outputs;
        call.pool = &pool;
        call.random = &stream->second;
        call.mode = options.mode;
        call.loops = &loops;
        call.work = work;
        call.runBody = &runBody;
        call.shapesSeen = &shapes;
        call.callAttributes = calls.empty() ? nullptr : calls.back();
        const Kernel kernel = findKernel(model->domain(node), model->op(node), opset);
        TRY(runKernel(kernel, call));
        if (isHeld) constants.emplace(model->output(node, 0).index, outputs[0]);
    }
    if (options.onNode) options.onNode(node, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (const ValueId result = model->output(node, i); !result.isNone())
            values[result.index] = std::move(outputs[i]);
    }
    return {};
}

ReferenceRunner::ReferenceRunner(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ReferenceRunner::ReferenceRunner(ReferenceRunner&&) noexcept = default;
ReferenceRunner& ReferenceRunner::operator=(ReferenceRunner&&) noexcept = default;
ReferenceRunner::~ReferenceRunner() = default;

Result<ReferenceRunner> ReferenceRunner::prepare(const Model& model, ReferenceOptions options) {
    TRY(checkNodes(model));
    auto state = std::make_unique<State>(std::move(options));
    state->written = TRY(withFunctionBodies(model));
    state->model = state->written ? &*state->written : &model;
    state->functions.emplace(*state->model);
    for (const GraphId graph : allGraphs(*state->model)) {
        const GraphKind kind = state->model->graph(graph).kind;
        if (kind == GraphKind::trainingInitialization || kind == GraphKind::trainingAlgorithm) continue;
        state->schedules.emplace(graph.index, TRY(scheduleGraph(*state->model, graph)));
    }
    state->values.resize(state->model->valueIdCount());
    state->shapes.resize(state->model->valueIdCount());
    return ReferenceRunner(std::move(state));
}

Result<std::vector<RuntimeValue>> ReferenceRunner::run(std::vector<RuntimeValue> inputs,
                                                       const WorkContext& work) {
    State& state = *m_state;
    const Model& model = *state.model;
    const auto parameters = model.graphInputs(model.mainGraph());
    inputs.resize(parameters.size());
    TRY(checkInputs(model, inputs));
    state.streams.clear();
    std::fill(state.shapes.begin(), state.shapes.end(), std::nullopt);
    state.calls.clear();
    std::fill(state.values.begin(), state.values.end(), RuntimeValue());
    state.loops = LoopBudget(state.options.limits);
    state.work = &work;
    auto results = state.runGraph(model.mainGraph(), std::move(inputs));
    std::fill(state.values.begin(), state.values.end(), RuntimeValue());
    return results;
}

const Model& ReferenceRunner::model() const {
    return *m_state->model;
}
const MemoryPool& ReferenceRunner::pool() const {
    return m_state->pool;
}

Result<void> checkInputs(const Model& model, std::span<const RuntimeValue> inputs) {
    const auto parameters = model.graphInputs(model.mainGraph());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const RuntimeValue given = i < inputs.size() ? inputs[i] : RuntimeValue();
        if (given.isAbsent() && !model.isInitializer(parameters[i]) &&
            model.declaredType(parameters[i]).kind != Type::Kind::optional)
            return usageError(formatMessage("exec.input-missing", {}), valueText(model, parameters[i]));
        TRY(checkInput(model, parameters[i], given));
    }
    return {};
}

std::uint64_t seedOfNode(const Model& model, NodeId node, std::uint64_t seed) {
    for (const ValueId result : model.outputs(node)) {
        if (result.isNone() || model.name(result).empty()) continue;
        const std::string_view name = model.name(result);
        return mixSeed(seed, hashBytes(name.data(), name.size()));
    }
    return mixSeed(seed, node.index);
}

Result<std::vector<RuntimeValue>> evaluateNode(const Model& model, NodeId node,
                                               std::span<const RuntimeValue> inputs, MemoryPool& pool) {
    const auto opset = model.opsetVersion(model.domain(node), model.node(node).graph).value_or(1);
    const Kernel kernel = findKernel(model.domain(node), model.op(node), opset);
    if (kernel == nullptr || traitsOf(model.domain(node), model.op(node)).isRandom ||
        !model.subgraphs(node).empty() || !calledFunction(model, node).isNone())
        return missingHere(formatMessage("exec.no-kernel", {nodeText(model, node)}));
    TRY(checkNode(model, node, opset));
    std::vector<RuntimeValue> outputs(model.outputs(node).size());
    RandomStream random(0);
    const WorkContext work;
    LoopBudget loops;
    KernelCall call;
    call.model = &model;
    call.node = node;
    call.opset = opset;
    call.inputs = inputs;
    call.outputs = outputs;
    call.pool = &pool;
    call.random = &random;
    call.loops = &loops;
    call.work = &work;
    TRY(runKernel(kernel, call));
    return outputs;
}

} // namespace secateur
