// SPDX-License-Identifier: Apache-2.0
#include "core/exec/node_check.h"

#include "core/exec/attribute_check.h"
#include "core/ir/domains.h"
#include "core/ir/function_table.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {
namespace {

/// What is stored, where the file left the type open.
AttributeType typeOf(const Attribute& attribute) {
    if (attribute.type != AttributeType::undefined) return attribute.type;
    static constexpr std::array kByAlternative{
        AttributeType::undefined, AttributeType::int_,    AttributeType::float_, AttributeType::string,
        AttributeType::tensor,    AttributeType::graph,   AttributeType::ints,   AttributeType::floats,
        AttributeType::strings,   AttributeType::tensors, AttributeType::graphs};
    return kByAlternative[attribute.value.index()];
}

/// As the standard writes it: "INTS".
std::string typeWord(std::int32_t type) {
    const std::string& name =
        onnx::AttributeProto_AttributeType_Name(static_cast<onnx::AttributeProto_AttributeType>(type));
    return name.empty() ? std::to_string(type) : name;
}

Result<void> checkAttributes(const Model& model, NodeId node, const onnx::OpSchema& schema) {
    for (const auto& [name, wanted] : schema.attributes()) {
        const Attribute* given = model.attribute(node, name);
        if (given == nullptr) {
            if (!wanted.required) continue;
            return invalidInput(formatMessage("exec.attribute-missing", {schema.Name(), name}),
                                nodeText(model, node));
        }
        // In a function the type is that of the call's attribute, which is looked at where it is used.
        if (!given->reference.empty()) continue;
        const AttributeType type = typeOf(*given);
        if (type == AttributeType::undefined)
            return invalidInput(formatMessage("exec.attribute-untyped", {name}), nodeText(model, node));
        if (static_cast<std::int32_t>(type) == static_cast<std::int32_t>(wanted.type)) continue;
        return invalidInput(formatMessage("exec.attribute-type",
                                          {name, typeWord(static_cast<std::int32_t>(type)), schema.Name(),
                                           typeWord(static_cast<std::int32_t>(wanted.type))}),
                            nodeText(model, node));
    }
    return {};
}

Result<void> checkSlots(const Model& model, NodeId node, const onnx::OpSchema& schema) {
    const auto inputs = model.inputs(node);
    const auto count = static_cast<int>(inputs.size());
    const auto& formal = schema.inputs();
    for (std::size_t slot = 0; slot < formal.size(); ++slot) {
        const bool isRequired = formal[slot].GetOption() == onnx::OpSchema::Single;
        if (isRequired && (slot >= inputs.size() || inputs[slot].isNone()))
            return invalidInput(formatMessage("exec.input-missing-of",
                                              {schema.Name(), std::to_string(slot), formal[slot].GetName()}),
                                nodeText(model, node));
    }
    if (count < schema.min_input() || count > schema.max_input())
        return invalidInput(formatMessage("exec.input-count", {schema.Name(), std::to_string(count)}),
                            nodeText(model, node));
    const auto outputs = static_cast<int>(model.outputs(node).size());
    if (outputs < schema.min_output())
        return invalidInput(formatMessage("exec.output-count-below", {schema.Name(), std::to_string(outputs),
                                                                      std::to_string(schema.min_output())}),
                            nodeText(model, node));
    if (outputs > schema.max_output())
        return invalidInput(formatMessage("exec.output-count", {schema.Name(), std::to_string(outputs),
                                                                std::to_string(schema.max_output())}),
                            nodeText(model, node));
    return {};
}

/// Walks what a run may come to: each graph is looked at once.
class Walk {
  public:
    explicit Walk(const Model& model) : m_model(model), m_functions(model) {}

    Result<void> run() {
        open(m_model.mainGraph(), 1);
        while (!m_open.empty()) {
            const auto [graph, depth] = m_open.back();
            m_open.pop_back();
            if (depth < m_depth.at(graph.index)) continue; // came again, from deeper
            if (const auto seen = m_inside.find(graph.index); seen != m_inside.end()) {
                TRY(goDeeper(seen->second, depth));
                continue;
            }
            m_inside[graph.index];
            for (const NodeId node : m_model.nodes(graph))
                TRY(look(node, depth));
        }
        return {};
    }

  private:
    void open(GraphId graph, std::uint32_t depth) {
        std::uint32_t& known = m_depth[graph.index];
        if (depth <= known) return;
        known = depth;
        m_open.emplace_back(graph, depth);
    }

    /// A graph that a node runs.
    struct Inner {
        NodeId node;
        GraphId graph;
    };

    Result<void> openInner(const Inner& inner, std::uint32_t depth) {
        if (depth >= kDeepestRun)
            return missingHere(formatMessage("exec.too-deep", {std::to_string(kDeepestRun)}),
                               nodeText(m_model, inner.node));
        open(inner.graph, depth + 1);
        return {};
    }

    /// A graph that was looked at lies deeper than was known: nothing but the depth of what is inside
    /// changes.
    Result<void> goDeeper(const std::vector<Inner>& inside, std::uint32_t depth) {
        for (const Inner& inner : inside)
            TRY(openInner(inner, depth));
        return {};
    }

    /// Of several nodes that call one function one stands for all.
    Result<void> enter(NodeId node, GraphId inner, std::uint32_t depth) {
        std::vector<Inner>& inside = m_inside.at(m_model.node(node).graph.index);
        if (m_enteredFrom.emplace(inner.index, m_model.node(node).graph.index).second)
            inside.push_back({node, inner});
        return openInner({node, inner}, depth);
    }

    Result<void> look(NodeId node, std::uint32_t depth) {
        const GraphId function = m_functions.calledBy(m_model, node);
        const auto bodies = m_model.subgraphs(node);
        if (!function.isNone()) {
            TRY(checkCall(node, function));
            return enter(node, function, depth);
        }
        if (const auto opset = m_model.opsetVersion(m_model.domain(node), m_model.node(node).graph))
            TRY(checkNode(m_model, node, *opset));
        for (const GraphId body : bodies) {
            TRY(checkBody(node, body));
            TRY(enter(node, body, depth));
        }
        return {};
    }

    /// A call may leave out inputs and results from behind; it has no more than the function.
    Result<void> checkCall(NodeId node, GraphId function) const {
        const std::size_t takes = m_model.graphInputs(function).size(), given = m_model.inputs(node).size();
        const std::size_t gives = m_model.graphOutputs(function).size(),
                          results = m_model.outputs(node).size();
        const std::string name = std::string(m_model.domain(node)) + "." + std::string(m_model.op(node));
        if (given > takes)
            return invalidInput(
                formatMessage("exec.call-inputs", {name, std::to_string(takes), std::to_string(given)}),
                nodeText(m_model, node));
        if (results > gives)
            return invalidInput(
                formatMessage("exec.output-count", {name, std::to_string(results), std::to_string(gives)}),
                nodeText(m_model, node));
        return {};
    }

    Result<void> checkBody(NodeId node, GraphId body) const {
        if (!m_model.isDefaultDomain(node)) return {};
        const std::size_t gives = m_model.graphOutputs(body).size(), takes = m_model.graphInputs(body).size();
        const std::size_t results = m_model.outputs(node).size(), operands = m_model.inputs(node).size();
        const auto wrong = [&](std::string_view id, std::size_t has, std::size_t wanted) -> Result<void> {
            return invalidInput(formatMessage(id, {std::to_string(has), std::to_string(wanted)}),
                                nodeText(m_model, node));
        };
        if (m_model.isOp(node, "If")) {
            if (gives != results) return wrong("exec.branch-outputs", gives, results);
            if (takes != 0) return wrong("exec.body-inputs", takes, 0);
            for (std::size_t i = 0; i < gives; ++i)
                TRY(checkSameType(node, m_model.graphOutputs(body)[i], m_model.output(node, i)));
        } else if (m_model.isOp(node, "Loop")) {
            const std::size_t wanted = std::max<std::size_t>(operands, 2);
            if (takes != wanted) return wrong("exec.body-inputs", takes, wanted);
            if (gives < wanted - 1 || gives < results + 1)
                return wrong("exec.body-outputs", gives, std::max(wanted - 1, results + 1));
            // What is carried goes in again as it came out; the condition comes first.
            for (std::size_t i = 1; i + 1 < takes; ++i)
                TRY(checkSameType(node, m_model.graphOutputs(body)[i], m_model.graphInputs(body)[i + 1]));
        } else if (m_model.isOp(node, "Scan")) {
            const auto opset = m_model.opsetVersion("", m_model.node(node).graph).value_or(1);
            constexpr std::int64_t kWithoutLengths = 9; // before, input 0 gives the lengths
            const std::size_t wanted = opset < kWithoutLengths && operands > 0 ? operands - 1 : operands;
            if (takes != wanted) return wrong("exec.body-inputs", takes, wanted);
            if (gives < results) return wrong("exec.body-outputs", gives, results);
        }
        return {};
    }

    /// Two values that a body hands on from one to the other, as far as the file declares them.
    Result<void> checkSameType(NodeId node, ValueId from, ValueId to) const {
        if (from.isNone() || to.isNone()) return {};
        const Type &gives = m_model.declaredType(from), &takes = m_model.declaredType(to);
        if (!gives.isTensor() || !takes.isTensor() || gives.element == ElementType::undefined ||
            takes.element == ElementType::undefined || gives.element == takes.element)
            return {};
        return invalidInput(
            formatMessage("exec.body-types", {valueText(m_model, from), elementTypeName(gives.element),
                                              elementTypeName(takes.element)}),
            nodeText(m_model, node));
    }

    const Model& m_model;
    FunctionTable m_functions;
    std::vector<std::pair<GraphId, std::uint32_t>> m_open;
    std::unordered_map<std::uint32_t, std::uint32_t> m_depth;        ///< by graph: the deepest way to it
    std::unordered_map<std::uint32_t, std::vector<Inner>> m_inside;  ///< by graph that was looked at
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_enteredFrom; ///< graph inside, graph around
};

} // namespace

Result<void> checkNode(const Model& model, NodeId node, std::int64_t opset) {
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(
        std::string(model.op(node)), static_cast<int>(opset), std::string(plainDomain(model.domain(node))));
    if (schema == nullptr) return {};
    TRY(checkAttributes(model, node, *schema));
    TRY(checkAttributeValues(model, node));
    return checkSlots(model, node, *schema);
}

Result<void> checkNodes(const Model& model) {
    return Walk(model).run();
}

} // namespace secateur
