// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/inference_engine.h"

#include "core/ir/constants.h"
#include "core/ir/node_order.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/schema_body.h"
#include "core/onnx/size_expression.h"
#include "core/onnx/size_inference.h"
#include "core/onnx/type_merge.h"
#include "core/onnx/value_propagation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace secateur {
namespace {

constexpr std::size_t kDeepestNesting = 200;

bool isRoot(GraphKind kind) {
    return kind != GraphKind::subgraph;
}

bool isEqual(const PartialValue& a, const PartialValue& b) {
    if (a == b) return true;
    if (!a || !b || a->dim_size() != b->dim_size()) return false;
    for (int i = 0; i < a->dim_size(); ++i) {
        const auto &x = a->dim(i), &y = b->dim(i);
        if (x.value_case() != y.value_case() || x.dim_value() != y.dim_value() ||
            x.dim_param() != y.dim_param()) {
            return false;
        }
    }
    return true;
}

/// What libonnx says of a failure, without the tag and the blanks in front of it.
std::string plainFailure(std::string_view text) {
    if (text.starts_with('[')) text.remove_prefix(std::min(text.find(']') + 1, text.size()));
    while (text.starts_with(' '))
        text.remove_prefix(1);
    return std::string(text.empty() ? message("inference.no-reason") : text);
}

} // namespace

void InferenceState::forgetErased(const Model& model) {
    const auto isGone = [&](std::uint32_t node) { return !model.isAlive(NodeId(node)); };
    problems.forgetErased(model);
    std::erase_if(unknownOperators, isGone);
    std::erase_if(laterOperators, isGone);
}

InferenceEngine::InferenceEngine(const Model& model, InferenceState& state)
    : m_model(model), m_state(state), m_schemas(model) {
    m_own.root = model.mainGraph();
}

// --- whole models ---

void InferenceEngine::inferAll(const WorkContext& work) {
    m_mode = Mode::everything;
    m_work = &work;
    m_state.values.assign(m_model.valueIdCount(), {});
    m_state.problems.clear();
    m_state.unknownOperators.clear();
    m_state.laterOperators.clear();
    findSymbolStem();
    for (std::size_t i = 0; i < m_model.valueIdCount(); ++i)
        setUnproduced(ValueId(i));

    GraphOrders orders = findOrders(m_model);
    m_orders = std::move(orders.unsorted);
    m_state.hasUnsortedGraph = !m_orders.empty();
    for (const NodeId node : orders.onCycles) {
        report(m_own, node, {}, Problem::Severity::error, "problem.inference-cycle",
               std::string(message("problem.inference-cycle")));
    }
    std::vector<GraphId> roots{m_model.mainGraph()};
    for (const TrainingInfo& info : m_model.header().trainingInfos) {
        if (!info.initialization.isNone()) roots.push_back(info.initialization);
        if (!info.algorithm.isNone()) roots.push_back(info.algorithm);
    }
    for (const GraphId root : roots) {
        m_own.root = root;
        setRootInputs(root);
        runGraph(m_own, root);
    }
    m_work = nullptr;
}

void InferenceEngine::runGraph(Frame& frame, GraphId graph) {
    std::uint64_t done = 0;
    const auto goOn = [&](NodeId node) {
        if ((++done & 255U) == 0 && m_work) {
            if (m_work->isCancelled()) return false;
            if (m_depth == 0) m_work->report("progress.inferring", done, m_model.graph(graph).nodeCount);
        }
        visit(frame, node);
        return true;
    };
    if (const auto at = m_orders.find(graph.index); at != m_orders.end()) {
        for (const NodeId node : at->second) {
            if (!goOn(node)) return;
        }
        return;
    }
    for (const NodeId node : m_model.nodes(graph)) {
        if (!goOn(node)) return;
    }
}

void InferenceEngine::findSymbolStem() {
    std::set<std::string, std::less<>> taken;
    const auto note = [&](const Type& type, const auto& self) -> void {
        for (const Dim& dim : type.dims) {
            if (dim.symbol.starts_with("unk_")) taken.insert(dim.symbol);
        }
        if (type.inner) self(*type.inner, self);
    };
    for (std::size_t i = 0; i < m_model.valueIdCount(); ++i) {
        const Value& value = m_model.value(ValueId(i));
        if (value.info) note(value.info->type, note);
    }
    for (std::size_t i = 0; i < m_model.graphIdCount(); ++i) {
        const auto& slots = m_model.graph(GraphId(i)).outputs;
        if (!slots) continue;
        for (const OutputSlot& slot : *slots) {
            if (slot.info) note(slot.info->type, note);
        }
    }
    m_state.symbolStem = "unk__";
    const auto isTaken = [&] {
        const auto at = taken.lower_bound(m_state.symbolStem);
        return at != taken.end() && at->starts_with(m_state.symbolStem);
    };
    while (isTaken())
        m_state.symbolStem += '_';
    m_own.stem = m_state.symbolStem;
}

// --- facts ---

const ValueFacts& InferenceEngine::facts(const Frame& frame, ValueId value) const {
    static const ValueFacts kNothing;
    if (!frame.isCall()) return value.index < m_state.values.size() ? m_state.values[value.index] : kNothing;
    const auto at = frame.facts.find(value.index);
    if (at != frame.facts.end()) return at->second;
    // Initializers of a body inside a function are the same at every call.
    const bool isShared = m_model.producer(value).isNone() && value.index < m_state.values.size();
    return isShared ? m_state.values[value.index] : kNothing;
}

ValueFacts& InferenceEngine::factsOf(Frame& frame, ValueId value) {
    return frame.isCall() ? frame.facts[value.index] : m_state.values[value.index];
}

std::string InferenceEngine::stemOf(const Frame& frame, ValueId value) const {
    return (frame.isCall() ? frame.stem : m_state.symbolStem) + std::to_string(value.index) + "_";
}

std::string InferenceEngine::bodyStem(const NodeContext& context) const {
    const Frame& frame = context.frame();
    return (frame.isCall() ? frame.stem : m_state.symbolStem) + std::to_string(context.node().index) + "b";
}

TensorPtr InferenceEngine::constant(const Frame& frame, ValueId value) const {
    if (!frame.isCall()) return constantOf(m_model, value);
    if (const auto at = frame.constants.find(value.index); at != frame.constants.end()) return at->second;
    const NodeId producer = m_model.producer(value);
    if (producer.isNone() || !m_model.isOp(producer, "Constant")) return constantOf(m_model, value);
    for (const Attribute& attribute : m_model.attributes(producer)) {
        if (attribute.reference.empty()) continue;
        const Attribute* given = resolve(frame, attribute);
        if (!given) return nullptr;
        if (const auto* tensor = std::get_if<TensorPtr>(&given->value)) return *tensor;
        if (const auto* number = std::get_if<float>(&given->value)) return makeFloatTensor({}, {*number});
        if (const auto* integer = std::get_if<std::int64_t>(&given->value))
            return makeInt64Tensor({}, {*integer});
        if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&given->value)) {
            return makeInt64Tensor({static_cast<std::int64_t>(ints->size())}, *ints);
        }
        if (const auto* floats = std::get_if<std::vector<float>>(&given->value)) {
            return makeFloatTensor({static_cast<std::int64_t>(floats->size())}, *floats);
        }
        return nullptr;
    }
    return constantOf(m_model, value);
}

const Attribute* InferenceEngine::resolve(const Frame& frame, const Attribute& attribute) const {
    if (attribute.reference.empty()) return &attribute;
    for (const auto& [name, given] : frame.attributes) {
        // A graph that a call hands in belongs to the caller, whose values are out of sight here.
        if (name == attribute.reference)
            return std::holds_alternative<GraphId>(given->value) ? nullptr : given;
    }
    return nullptr;
}

bool InferenceEngine::setUnproduced(ValueId id) {
    ValueFacts now;
    if (m_model.isAlive(id) && m_model.producer(id).isNone()) {
        const Value& value = m_model.value(id);
        if (value.tensor) {
            // A sparse initializer is a dense tensor to the nodes that read it: only its storage is sparse.
            now.type = m_state.pool.intern(value.tensor->asType());
        } else if (value.info) {
            now.type = m_state.pool.intern(value.info->type);
            now.isDeclared = true;
        }
    } else if (m_model.isAlive(id)) {
        return false;
    }
    ValueFacts& facts = m_state.values[id.index];
    const bool isChanged = facts.type != now.type || facts.isDeclared != now.isDeclared || facts.value;
    facts = now;
    return isChanged;
}

void InferenceEngine::setRootInputs(GraphId graph) {
    m_state.problems.erase(m_model.graph(graph).entry.index);
    for (const ValueId id : m_model.graphInputs(graph)) {
        const Value& value = m_model.value(id);
        onnx::TypeProto type;
        if (value.info) type = m_state.pool.proto(m_state.pool.intern(value.info->type));
        forgetComputedSizes(type);
        if (value.tensor) {
            // The declared type of an input is what callers hold to. A default fills in what it leaves open,
            // but not its shape where a caller may override it: by a tensor of another.
            const onnx::TypeProto& given = m_state.pool.proto(m_state.pool.intern(value.tensor->asType()));
            onnx::TypeProto both = type;
            const MergeResult merged = mergeDeclared(both, given);
            onnx::TypeProto fixed = given;
            if (isOverridable(m_model, id)) fixed.mutable_tensor_type()->clear_shape();
            mergeDeclared(type, fixed);
            if (merged.contradicts) {
                report(m_own, m_model.graph(graph).entry, id, Problem::Severity::warning,
                       "problem.type-contradiction",
                       formatMessage(
                           "inference.default-contradiction",
                           {valueText(m_model, id), value.info->type.text(), value.tensor->asType().text()}));
            }
        }
        if (hasUnknownDims(type)) nameUnknownDims(type, stemOf(m_own, id));
        ValueFacts now;
        now.type = m_state.pool.intern(type);
        ValueFacts& facts = m_state.values[id.index];
        const bool isChanged = facts.type != now.type || facts.isDeclared;
        facts = now;
        if (isChanged) setChanged(id);
    }
}

void InferenceEngine::assign(Frame& frame, ValueId value, onnx::TypeProto& type, bool restsOnDeclaration,
                             NodeId reportAt) {
    ValueFacts now;
    now.isDeclared = restsOnDeclaration;
    bool isInterned = false;
    const Type& declared = m_model.declaredType(value);
    if (declared.kind != Type::Kind::none) {
        now.type = m_state.pool.intern(type);
        isInterned = true;
        if (!(m_state.pool.type(now.type) == declared)) {
            const MergeResult merged = mergeDeclared(type, m_state.pool.proto(m_state.pool.intern(declared)));
            if (merged.contradicts) reportContradiction(frame, reportAt, value, declared, now.type);
            now.isDeclared = now.isDeclared || merged.usedDeclaration;
            isInterned = !merged.usedDeclaration;
        }
    }
    if (hasUnknownDims(type)) {
        nameUnknownDims(type, stemOf(frame, value));
        isInterned = false;
    }
    if (!isInterned) now.type = m_state.pool.intern(type);
    ValueFacts& facts = factsOf(frame, value);
    const bool isChanged = facts.type != now.type || facts.isDeclared != now.isDeclared;
    facts.type = now.type;
    facts.isDeclared = now.isDeclared;
    if (isChanged && !frame.isCall()) setChanged(value);
}

void InferenceEngine::reportContradiction(const Frame& frame, NodeId node, ValueId value,
                                          const Type& declared, std::uint32_t inferred) {
    Type found = m_state.pool.type(inferred);
    for (Dim& dim : found.dims) // the model does not know our names
        if (isOwnSymbol(dim.symbol, m_state.symbolStem)) dim.symbol.clear();
    report(frame, node, value, Problem::Severity::warning, "problem.type-contradiction",
           formatMessage("problem.type-contradiction",
                         {valueText(m_model, value), declared.text(), found.text()}));
}

void InferenceEngine::setPartialValue(NodeContext& context, std::size_t output,
                                      onnx::TensorShapeProto&& value) {
    const auto outputs = m_model.outputs(context.node());
    if (output >= outputs.size() || outputs[output].isNone() || value.dim_size() > kElementLimit) return;
    ValueFacts& facts = factsOf(context.frame(), outputs[output]);
    facts.value = std::make_shared<const onnx::TensorShapeProto>(std::move(value));
}

void InferenceEngine::report(const Frame& frame, NodeId node, ValueId value, Problem::Severity severity,
                             std::string id, std::string text) {
    if (frame.isCall()) {
        text = formatMessage("inference.in-function", {nodeText(m_model, node), text});
        m_inCalls.back().add({severity, std::move(id), std::move(text), {}, {}});
        return;
    }
    m_state.problems[node.index].push_back({severity, std::move(id), std::move(text), node, value});
}

NodeContext& InferenceEngine::contextAt(std::size_t depth) {
    while (m_contexts.size() <= depth)
        m_contexts.push_back(std::make_unique<NodeContext>());
    return *m_contexts[depth];
}

// --- one node ---

void InferenceEngine::visit(Frame& frame, NodeId node) {
    ++m_state.visits;
    if (!frame.isCall()) {
        m_state.problems.erase(node.index);
        m_state.unknownOperators.erase(node.index);
        m_state.laterOperators.erase(node.index);
    }
    NodeContext& context = contextAt(m_depth++);
    context.begin(*this, frame, node);
    try {
        infer(context);
    } catch (const std::exception&
                 failure) { // also length_error and the like: libonnx throws more than its own kind
        context.clearOutputs();
        report(frame, node, {}, Problem::Severity::warning, "problem.inference-failed",
               formatMessage("problem.inference-failed", {plainFailure(failure.what())}));
    }
    if (m_model.node(node).attributes) inferOtherBodies(context);
    assignOutputs(context);
    --m_depth;
}

void InferenceEngine::infer(NodeContext& context) {
    const NodeId node = context.node();
    const SchemaEntry& schema = m_schemas.find(context.frame().root, node);
    if (!schema.isKnown()) {
        if (!context.frame().isCall()) m_state.unknownOperators.insert(node.index);
        return;
    }
    if (!schema.function.isNone()) return callFunction(context, schema.function);
    if (schema.isFromLaterOpset && !context.frame().isCall()) m_state.laterOperators.insert(node.index);
    checkArity(context, schema);
    if (schema.infer) {
        schema.infer(context);
        if (m_model.isDefaultDomain(node)) completeShape(m_model.op(node), context);
    } else if (schema.own && schema.own->infer)
        schema.own->infer(context, schema.own->rule);
    else if (schema.standard)
        inferByBody(context, *schema.standard, schema.version, bodyStem(context));
}

void InferenceEngine::checkArity(const NodeContext& context, const SchemaEntry& schema) const {
    const auto check = [](std::string_view sentence, std::size_t count, int least, int most) {
        const auto n = static_cast<long long>(count);
        if (n >= least && n <= most) return;
        std::string allowed = std::to_string(least);
        if (most == kAnyNumber)
            allowed = formatMessage("inference.at-least", {allowed});
        else if (most != least)
            allowed = formatMessage("inference.from-to", {allowed, std::to_string(most)});
        throw std::runtime_error(formatMessage(sentence, {std::to_string(count), allowed}));
    };
    std::size_t given = context.getNumInputs();
    while (given > 0 && !context.hasInput(given - 1))
        --given; // omitted slots at the end may go beyond the most
    const auto least = static_cast<std::size_t>(schema.minInputs);
    check("inference.wrong-inputs", std::max(given, std::min(context.getNumInputs(), least)),
          schema.minInputs, schema.maxInputs);
    check("inference.wrong-outputs", context.getNumOutputs(), schema.minOutputs, schema.maxOutputs);
}

void InferenceEngine::assignOutputs(NodeContext& context) {
    Frame& frame = context.frame();
    const NodeId node = context.node();
    const auto outputs = m_model.outputs(node);
    std::vector<PartialValue> before(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].isNone()) continue;
        assign(frame, outputs[i], context.output(i), context.restsOnDeclaration(), node);
        before[i] = std::exchange(factsOf(frame, outputs[i]).value, nullptr);
    }
    const SchemaEntry& schema = m_schemas.find(frame.root, node);
    if (schema.function.isNone() && context.returned.empty())
        propagateValues(context, schema);
    else
        returnValues(context);
    if (m_mode != Mode::cone || frame.isCall()) return;
    // What a constant holds is not among the facts, nor is what MaxPoolGrad reads behind its indices.
    const bool isAlwaysChanged = m_model.isOp(node, "Constant") || m_model.isOp(node, "MaxPool");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].isNone()) continue;
        if (isAlwaysChanged || !isEqual(before[i], facts(frame, outputs[i]).value)) setChanged(outputs[i]);
    }
}

void InferenceEngine::propagateValues(NodeContext& context, const SchemaEntry& schema) {
    if (context.getNumOutputs() == 0 || !schema.standard) return;
    const onnx::TypeProto& type = context.output(0);
    if (!type.has_tensor_type()) return;
    const std::int32_t element = type.tensor_type().elem_type();
    const bool isBoolean = element == onnx::TensorProto::BOOL;
    const bool isInteger =
        element == onnx::TensorProto::INT64 || element == onnx::TensorProto::INT32 || isBoolean;
    // A shape may pass through floating point (Cast, scale, Cast); other tensors of that kind are data.
    if (!isInteger && !context.hasPropagatedInput()) return;
    PropagationContext propagation(*this, context);
    try {
        const bool isOurs = isInteger && !isBoolean && isPropagatedHere(m_model.op(context.node()));
        if (schema.propagate && !isOurs) {
            if (!isBoolean) schema.propagate(propagation); // its Cast to bool would keep a 5 as 5
        } else if (isInteger)
            propagateOwn(m_model.op(context.node()), propagation);
    } catch (const std::exception& failure) {
        report(context.frame(), context.node(), {}, Problem::Severity::warning, "problem.inference-failed",
               formatMessage("problem.inference-failed", {plainFailure(failure.what())}));
    }
}

// --- bodies ---

std::vector<const onnx::TypeProto*>
InferenceEngine::inferBody(NodeContext& context, GraphId body,
                           const std::vector<const onnx::TypeProto*>& inputs) {
    Frame& frame = context.frame();
    context.setInferred(body);
    if (m_depth >= kDeepestNesting) throw std::runtime_error(std::string(message("inference.too-deep")));
    const auto formals = m_model.graphInputs(body);
    if (inputs.size() > formals.size()) {
        throw std::runtime_error(formatMessage(
            "inference.body-inputs", {std::to_string(inputs.size()), std::to_string(formals.size())}));
    }
    for (std::size_t i = 0; i < formals.size(); ++i) {
        onnx::TypeProto type;
        if (i < inputs.size() && inputs[i]) type = *inputs[i];
        assign(frame, formals[i], type, context.restsOnDeclaration(), context.node());
        factsOf(frame, formals[i]).value.reset();
    }
    const bool isCone = m_mode == Mode::cone && !frame.isCall();
    m_active.insert(context.node().index);
    if (isCone)
        drain(frame, body);
    else
        runGraph(frame, body);
    m_active.erase(context.node().index);

    std::vector<const onnx::TypeProto*> results;
    const InputRange outputs = m_model.graphOutputs(body);
    const auto& slots = *m_model.graph(body).outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        ValueFacts known = outputs[i].isNone() ? ValueFacts() : facts(frame, outputs[i]);
        if (known.type == 0 && i < slots.size() && slots[i].info) {
            known.type = m_state.pool.intern(slots[i].info->type);
            known.isDeclared = true;
        }
        if (known.isDeclared) context.setRestsOnDeclaration();
        results.push_back(&m_state.pool.proto(known.type));
    }
    return results;
}

void InferenceEngine::inferOtherBodies(NodeContext& context) {
    for (const GraphId body : m_model.subgraphs(context.node())) {
        if (context.isInferred(body) || m_depth >= kDeepestNesting) continue;
        (void)inferBody(context, body, {});
    }
}

// --- cones ---

void InferenceEngine::setChanged(ValueId value) {
    if (m_mode != Mode::cone) return;
    m_state.changed.push_back(value);
    for (const Use use : m_model.uses(value))
        mark(use.node);
}

void InferenceEngine::mark(NodeId id) {
    NodeId at = id;
    while (!at.isNone()) {
        const Node& node = m_model.node(at);
        if (node.isErased || m_active.contains(at.index)) return;
        const Graph& graph = m_model.graph(node.graph);
        if (node.kind == NodeKind::operation) m_pending[node.graph.index].emplace(node.order, at.index);
        at = isRoot(graph.kind) ? NodeId() : graph.parentNode; // whoever holds the body runs it
    }
}

void InferenceEngine::drain(Frame& frame, GraphId graph) {
    for (;;) {
        const auto at = m_pending.find(graph.index);
        if (at == m_pending.end() || at->second.empty()) break;
        const NodeId node(at->second.begin()->second);
        at->second.erase(at->second.begin());
        if (m_model.isAlive(node)) visit(frame, node);
    }
    m_pending.erase(graph.index);
}

void InferenceEngine::inferBehind(std::span<const NodeId> nodes, std::span<const ValueId> changed,
                                  std::span<const GraphId> roots) {
    m_mode = Mode::cone;
    m_state.changed.clear();
    m_own.stem = m_state.symbolStem;
    for (const GraphId root : roots)
        setRootInputs(root);
    for (const ValueId value : changed)
        setChanged(value);
    for (const NodeId node : nodes)
        mark(node);
    while (!m_pending.empty()) {
        // Only root graphs are drained here: a pending node in a body has put the holder of the body on a
        // list, too.
        const auto root = std::find_if(m_pending.begin(), m_pending.end(), [&](const auto& entry) {
            return isRoot(m_model.graph(GraphId(entry.first)).kind);
        });
        if (root == m_pending.end()) break;
        const GraphId graph(root->first);
        m_own.root = graph;
        drain(m_own, graph);
    }
    m_pending.clear();
}

} // namespace secateur
