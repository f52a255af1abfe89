// SPDX-License-Identifier: Apache-2.0
#include "core/exec/function_writing.h"

#include "core/exec/kernel.h"
#include "core/ir/function_table.h"
#include "core/ir/node_edits.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/function_body.h"
#include "core/onnx/type_inference.h"
#include "core/support/printable.h"

#include <map>
#include <string>
#include <vector>

namespace secateur {
namespace {

bool hasKernel(const Model& model, const FunctionTable& functions, NodeId node) {
    if (!functions.calledBy(model, node).isNone()) return true;
    const auto opset = model.opsetVersion(model.domain(node), model.node(node).graph);
    return findKernel(model.domain(node), model.op(node), opset.value_or(1)) != nullptr;
}

std::vector<NodeId> nodesWithoutKernel(const Model& model) {
    std::vector<NodeId> without;
    const FunctionTable functions(model);
    for (const GraphId graph : allGraphs(model)) {
        const GraphKind kind = model.graph(graph).kind;
        if (kind == GraphKind::trainingInitialization || kind == GraphKind::trainingAlgorithm) continue;
        for (const NodeId node : model.nodes(graph)) {
            if (!hasKernel(model, functions, node)) without.push_back(node);
        }
    }
    return without;
}

/// A node that cannot be run, and why its body could not be written where it has one.
struct Unrunnable {
    NodeId node;
    std::string reason;
};

/// "com.example.Foo (3 nodes, the first is `x`)", one for each operator, with the reason where there is one.
Error missingKernels(const Model& model, const std::vector<Unrunnable>& nodes) {
    std::map<std::string, std::vector<const Unrunnable*>> byOperator;
    for (const Unrunnable& each : nodes) {
        std::string op(model.op(each.node));
        if (!model.isDefaultDomain(each.node)) op = std::string(model.domain(each.node)) + "." + op;
        byOperator[op].push_back(&each);
    }
    std::string list;
    for (const auto& [op, users] : byOperator) {
        if (!list.empty()) list += "; ";
        list += formatMessage("exec.operator-without-kernel", {printable(op), std::to_string(users.size()),
                                                               nodeText(model, users.front()->node)});
        if (!users.front()->reason.empty()) list += ": " + users.front()->reason;
    }
    return missingHere(formatMessage("exec.no-kernels", {list}));
}

} // namespace

Result<std::optional<Model>> withFunctionBodies(const Model& model) {
    std::vector<NodeId> open = nodesWithoutKernel(model);
    if (open.empty()) return std::optional<Model>();
    std::optional<Model> written(model.clone());
    TypeTable types;
    types.inferAll(*written);
    FunctionBodies bodies(types,
                          [](Editor& editor, NodeId before, std::string_view hint, const TensorPtr& tensor) {
                              return makeConstant(editor, before, hint, tensor);
                          });
    std::vector<Unrunnable> missing;
    const FunctionTable functions(*written);
    // A body may use operators that need bodies in turn; schemas do not go in circles.
    while (!open.empty()) {
        Editor editor(*written);
        std::vector<NodeId> made;
        const JournalMark before = written->journal().mark();
        for (const NodeId node : open) {
            auto nodes = hasFunctionBody(*written, node) ? bodies.inlineAt(editor, node)
                                                         : Result<std::vector<NodeId>>(missingHere(""));
            if (!nodes)
                missing.push_back({node, nodes.error().message});
            else
                made.insert(made.end(), nodes->begin(), nodes->end());
        }
        types.update(*written, written->journal().editsSince(before));
        open.clear();
        for (const NodeId node : made) {
            if (!hasKernel(*written, functions, node)) open.push_back(node);
        }
    }
    if (!missing.empty()) return missingKernels(*written, missing);
    return written;
}

} // namespace secateur
