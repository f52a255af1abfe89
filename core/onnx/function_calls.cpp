// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/onnx/inference_engine.h"
#include "core/onnx/size_expression.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace secateur {

// --- calls of functions of the model ---

void InferenceEngine::callFunction(NodeContext& context, GraphId function) {
    constexpr std::size_t kDeepestCall = 50;
    std::size_t callDepth = 0;
    for (const Frame* at = &context.frame(); at; at = at->caller, ++callDepth) {
        if (!at->isCall() || at->root != function) continue;
        ++m_recursions;
        throw std::runtime_error(std::string(message("inference.recursion")));
    }
    if (callDepth > kDeepestCall) throw std::runtime_error(std::string(message("inference.calls-too-deep")));
    Frame callee;
    bindCall(context, function, callee);
    const std::string key = CallMemo::keyOf(callee, m_model.graphInputs(function), callDepth, m_depth);
    const CallMemo::Outcome* known = m_calls.find(key);
    CallMemo::Outcome outcome;
    const std::uint64_t recursions = m_recursions;
    if (!known) {
        if (!runCall(callee, function, outcome)) return;
        known = &outcome;
    }
    tellProblems(context, known->problems);
    takeResults(context, known->results);
    // Whether a call recurses depends on who called before.
    if (known == &outcome && m_recursions == recursions && !mentions(outcome.results, callee.stem))
        m_calls.keep(key, std::move(outcome));
}

/// False where no more calls are run; that is said once: every further call would say the same of itself.
bool InferenceEngine::runCall(Frame& callee, GraphId function, CallMemo::Outcome& outcome) {
    constexpr std::uint64_t kMostCallVisits = 200'000;
    if (m_callVisits > kMostCallVisits) return false;
    m_callVisits += m_model.graph(function).nodeCount;
    if (m_callVisits > kMostCallVisits)
        throw std::runtime_error(std::string(message("inference.calls-too-many")));
    m_inCalls.emplace_back();
    runGraph(callee, function);
    outcome.problems = m_inCalls.back().take();
    m_inCalls.pop_back();
    for (const ValueId result : m_model.graphOutputs(function))
        outcome.results.push_back(result.isNone() ? ValueFacts() : facts(callee, result));
    for (const auto& [formal, tensor] : callee.constants)
        outcome.constants.push_back(tensor);
    return true;
}

/// Problems of a callee belong to the outermost call: what stands in a function is nowhere in the model.
void InferenceEngine::tellProblems(const NodeContext& context, const CalleeProblems& problems) {
    if (context.frame().isCall())
        m_inCalls.back().add(problems);
    else
        m_state.problems.tell(context.node().index, problems);
}

void InferenceEngine::takeResults(NodeContext& context, const std::vector<ValueFacts>& results) {
    context.returned.assign(results.size(), {});
    for (std::size_t i = 0; i < results.size() && i < context.getNumOutputs(); ++i) {
        context.output(i) = m_state.pool.proto(results[i].type);
        if (results[i].isDeclared) context.setRestsOnDeclaration();
        context.returned[i] = results[i].value;
    }
}

/// Does a result have a dimension that was named inside of the call? Another call must not share it.
bool InferenceEngine::mentions(const std::vector<ValueFacts>& results, std::string_view stem) const {
    const auto inType = [&](const Type& type, const auto& self) -> bool {
        for (const Dim& dim : type.dims)
            if (mentionsSymbol(dim.symbol, stem)) return true;
        return type.inner && self(*type.inner, self);
    };
    return std::any_of(results.begin(), results.end(), [&](const ValueFacts& result) {
        if (inType(m_state.pool.type(result.type), inType)) return true;
        if (!result.value) return false;
        const auto& elements = result.value->dim();
        return std::any_of(elements.begin(), elements.end(),
                           [&](const auto& element) { return mentionsSymbol(element.dim_param(), stem); });
    });
}

void InferenceEngine::bindCall(NodeContext& context, GraphId function, Frame& callee) {
    Frame& caller = context.frame();
    const NodeId call = context.node();
    callee.root = function;
    callee.caller = &caller;
    callee.call = call;
    callee.stem = (caller.isCall() ? caller.stem : m_state.symbolStem) + std::to_string(call.index) + "c";
    const auto formals = m_model.graphInputs(function);
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (!context.hasInput(i)) {
            callee.absentInputs.push_back(formals[i]);
            continue;
        }
        const ValueId actual = m_model.input(call, i);
        callee.facts[formals[i].index] = facts(caller, actual);
        if (TensorPtr tensor = constant(caller, actual))
            callee.constants[formals[i].index] = std::move(tensor);
    }
    const GraphHeader& header = *m_model.graph(function).header;
    const auto give = [&](std::string_view name, const Attribute* otherwise) {
        const Attribute* given = m_model.attribute(call, name);
        if (given) given = resolve(caller, *given);
        if (!given) given = otherwise;
        if (given) callee.attributes.emplace_back(name, given);
    };
    for (const std::string& name : header.attributeNames)
        give(name, nullptr);
    for (const Attribute& attribute : header.attributeDefaults)
        give(attribute.name, &attribute);
}

void InferenceEngine::returnValues(NodeContext& context) {
    const auto outputs = m_model.outputs(context.node());
    for (std::size_t i = 0; i < outputs.size() && i < context.returned.size(); ++i) {
        if (!outputs[i].isNone()) factsOf(context.frame(), outputs[i]).value = context.returned[i];
    }
}

} // namespace secateur
