// SPDX-License-Identifier: Apache-2.0
#include "core/picture/union_graph.h"

#include "core/ir/walk.h"
#include "core/picture/union_builder.h"

#include <algorithm>

namespace secateur {

namespace {

/// Inputs of an operator that usually hold parameters, by slot.
bool isParameterSlot(std::string_view op, std::size_t slot) {
    if (op == "Gather") return slot == 0;
    if (op == "MatMul" || op == "FusedMatMul" || op == "Gemm" || op == "Conv" || op == "ConvTranspose")
        return slot >= 1;
    if (op == "LSTM" || op == "GRU" || op == "RNN" || op == "LSTMTraining" || op == "GRUTraining")
        return slot >= 1;
    if (op == "BatchNormalization" || op == "BatchNormInternal" || op == "LayerNormalization")
        return slot >= 1;
    return op == "PRelu" && slot == 1;
}

/// Operators that prepare a weight before its layer reads it.
bool preparesWeight(const Model& model, NodeId node) {
    const std::string_view op = model.op(node);
    return op == "Transpose" || op == "Cast" || op == "Identity" || op == "Reshape" || op == "Unsqueeze";
}

bool isReadAsParameter(const Model& model, Use use) {
    if (isParameterSlot(model.op(use.node), use.slot)) return true;
    if (!preparesWeight(model, use.node) || use.slot != 0) return false;
    const ValueId prepared = model.output(use.node, 0);
    if (prepared.isNone()) return false;
    for (const Use next : model.uses(prepared))
        if (isParameterSlot(model.op(next.node), next.slot)) return true;
    return false;
}

bool hasFixedShape(const Type& type) {
    return type.hasShape &&
           std::all_of(type.dims.begin(), type.dims.end(), [](const Dim& d) { return d.isKnown(); });
}

} // namespace

bool isParameterLike(const Model& model, const RoleTable& roles, ValueId input) {
    if (model.isInitializer(input)) return true;
    if (!model.isGraphInput(input) || model.value(input).graph != model.mainGraph()) return false;
    const Type& type = model.declaredType(input);
    if (!hasFixedShape(type)) return false;
    bool hasForwardReader = false;
    std::size_t looked = 0;
    for (const Use use : model.uses(input)) {
        // Asked at each of its readers: what these many say, the others would.
        constexpr std::size_t kMostReaders = 64;
        if (looked++ == kMostReaders) break;
        const Role role = roles.of(use.node);
        if (role == Role::accumulator || role == Role::optimizer) continue;
        if (role == Role::backward) continue;
        hasForwardReader = true;
        if (isReadAsParameter(model, use)) return true;
        // A bias: a vector that is added to, or multiplied with, something computed.
        const bool isElementwise = model.isOp(use.node, "Add") || model.isOp(use.node, "Mul");
        if (isElementwise && type.dims.size() <= 1)
            return !model.isGraphInput(model.input(use.node, 1 - use.slot));
    }
    // Buffers, moments, counters: read by the training half alone.
    return !hasForwardReader && model.hasUses(input);
}

UnionGraph buildUnionGraph(const Original& original, History* history, GraphId graph) {
    UnionBuilder builder(original, history, graph);
    return builder.build();
}

} // namespace secateur
