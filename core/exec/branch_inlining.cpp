// SPDX-License-Identifier: Apache-2.0
#include "core/exec/branch_inlining.h"

#include "core/ir/constants.h"
#include "core/onnx/operator_traits.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace secateur {
namespace {

/// The branch that is taken whatever comes; none where a run decides.
GraphId takenBranch(const Model& model, NodeId node) {
    if (!model.isOp(node, "If")) return {};
    const TensorPtr tensor = constantOf(model, model.input(node, 0));
    if (tensor == nullptr || tensor->type != ElementType::boolean) return {};
    const auto condition = constantScalar(model, model.input(node, 0));
    if (!condition) return {};
    const Attribute* given = model.attribute(node, *condition != 0 ? "then_branch" : "else_branch");
    const auto* branch = given == nullptr ? nullptr : std::get_if<GraphId>(&given->value);
    return branch == nullptr ? GraphId() : *branch;
}

bool isRandom(const Model& model, NodeId node) {
    return !node.isNone() && model.node(node).kind == NodeKind::operation &&
           traitsOf(model.domain(node), model.op(node)).isRandom;
}

bool isFit(const Model& model, NodeId node, GraphId branch) {
    const auto results = model.outputs(node);
    const InputRange made = model.graphOutputs(branch);
    if (made.size() < results.size() || !model.graphInputs(branch).empty()) return false;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].isNone()) continue;
        if (made[i].isNone()) return false;
        if (model.isGraphOutput(results[i]) && isRandom(model, model.producer(made[i]))) return false;
    }
    return true;
}

/// What the branch gives, by result; nothing in the branch holds on to it any more.
std::vector<ValueId> takeOutputs(Editor& editor, GraphId branch) {
    std::vector<ValueId> outputs;
    for (const ValueId output : editor.model().graphOutputs(branch))
        outputs.push_back(output);
    editor.setGraphOutputs(branch, {}, {});
    return outputs;
}

/// Initializers of the branch become those of `graph`; `outputs` are told of it.
void moveInitializers(Editor& editor, GraphId branch, GraphId graph, std::vector<ValueId>& outputs) {
    const Model& model = editor.model();
    const std::vector<ValueId> initializers = model.graph(branch).initializers;
    for (const ValueId old : initializers) {
        if (!model.isAlive(old) || model.value(old).tensor == nullptr) continue;
        const ValueId made =
            editor.createInitializer(graph, editor.freshName(model.name(old)), model.value(old).tensor);
        editor.replace(old, made);
        std::replace(outputs.begin(), outputs.end(), old, made);
    }
}

} // namespace

bool inlineTakenBranch(Editor& editor, NodeId node) {
    const Model& model = editor.model();
    const GraphId branch = takenBranch(model, node);
    if (branch.isNone() || !isFit(model, node, branch)) return false;
    const GraphId graph = model.node(node).graph;
    std::vector<ValueId> outputs = takeOutputs(editor, branch);
    moveInitializers(editor, branch, graph, outputs);
    std::vector<NodeId> nodes;
    for (const NodeId inner : model.nodes(branch))
        nodes.push_back(inner);
    for (const NodeId inner : nodes)
        editor.moveNode(inner, graph, node);
    const auto made = model.outputs(node);
    const std::vector<ValueId> results(made.begin(), made.end());
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!results[i].isNone()) editor.replace(results[i], outputs[i]);
    editor.eraseNode(node);
    return true;
}

} // namespace secateur
