// SPDX-License-Identifier: Apache-2.0
#include "core/exec/node_check.h"

#include "core/ir/domains.h"
#include "core/ir/function_table.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
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
        const AttributeType type = typeOf(*given);
        if (!given->reference.empty() || type == AttributeType::undefined) continue;
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
    if (outputs > schema.max_output())
        return invalidInput(formatMessage("exec.output-count", {schema.Name(), std::to_string(outputs),
                                                                std::to_string(schema.max_output())}),
                            nodeText(model, node));
    return {};
}

/// Walks what a run may come to, each function once.
class Walk {
  public:
    explicit Walk(const Model& model) : m_model(model), m_functions(model) {}

    Result<void> run() {
        open(m_model.mainGraph(), 1);
        while (!m_open.empty()) {
            const auto [graph, depth] = m_open.back();
            m_open.pop_back();
            if (depth < m_depth.at(graph.index)) continue; // came again, from deeper
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

    Result<void> look(NodeId node, std::uint32_t depth) {
        const GraphId function = m_functions.calledBy(m_model, node);
        const auto bodies = m_model.subgraphs(node);
        if (depth >= kDeepestRun && (!bodies.empty() || !function.isNone()))
            return missingHere(formatMessage("exec.too-deep", {std::to_string(kDeepestRun)}),
                               nodeText(m_model, node));
        if (!function.isNone()) {
            open(function, depth + 1);
            return {};
        }
        if (const auto opset = m_model.opsetVersion(m_model.domain(node), m_model.node(node).graph))
            TRY(checkNode(m_model, node, *opset));
        for (const GraphId body : bodies) {
            TRY(checkBody(node, body));
            open(body, depth + 1);
        }
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
        } else if (m_model.isOp(node, "Loop")) {
            const std::size_t wanted = std::max<std::size_t>(operands, 2);
            if (takes != wanted) return wrong("exec.body-inputs", takes, wanted);
            if (gives < wanted - 1 || gives < results + 1)
                return wrong("exec.body-outputs", gives, std::max(wanted - 1, results + 1));
        } else if (m_model.isOp(node, "Scan")) {
            const auto opset = m_model.opsetVersion("", m_model.node(node).graph).value_or(1);
            constexpr std::int64_t kWithoutLengths = 9; // before, input 0 gives the lengths
            const std::size_t wanted = opset < kWithoutLengths && operands > 0 ? operands - 1 : operands;
            if (takes != wanted) return wrong("exec.body-inputs", takes, wanted);
            if (gives < results) return wrong("exec.body-outputs", gives, results);
        }
        return {};
    }

    const Model& m_model;
    FunctionTable m_functions;
    std::vector<std::pair<GraphId, std::uint32_t>> m_open;
    std::unordered_map<std::uint32_t, std::uint32_t> m_depth; ///< by graph: the deepest way to it
};

} // namespace

Result<void> checkNode(const Model& model, NodeId node, std::int64_t opset) {
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(
        std::string(model.op(node)), static_cast<int>(opset), std::string(plainDomain(model.domain(node))));
    if (schema == nullptr) return {};
    TRY(checkAttributes(model, node, *schema));
    return checkSlots(model, node, *schema);
}

Result<void> checkNodes(const Model& model) {
    return Walk(model).run();
}

} // namespace secateur
