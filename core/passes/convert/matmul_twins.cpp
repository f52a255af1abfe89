// SPDX-License-Identifier: Apache-2.0
// FusedMatMul of com.microsoft, which transposes and scales as it multiplies: MatMul or Gemm where one does,
// else the body that says it in several nodes.
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <array>
#include <string_view>

namespace secateur {
namespace {

constexpr std::string_view kVendor = "com.microsoft";

/// Which attributes say how one operand is transposed.
struct OperandNames {
    const char* transpose;
    const char* transposeBatch;
};
constexpr std::array<OperandNames, 2> kOperands{{{"transA", "transBatchA"}, {"transB", "transBatchB"}}};

bool isTransposed(const Model& model, NodeId node, std::size_t slot) {
    return model.intAttribute(node, kOperands[slot].transpose, 0) != 0 ||
           model.intAttribute(node, kOperands[slot].transposeBatch, 0) != 0;
}

float alphaOf(const Model& model, NodeId node) {
    return model.floatAttribute(node, "alpha", 1.0F);
}

std::optional<Reason> whyNotMatMul(const TwinContext& context, NodeId node) {
    const Model& model = context.model;
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const auto rank = rankOf(context.types, model.input(node, slot));
        const bool isBatch = model.intAttribute(node, kOperands[slot].transposeBatch, 0) != 0;
        if (isTransposed(model, node, slot) && !rank)
            return Reason("standard-operators.miss.rank", {node, model.input(node, slot)});
        if (isBatch && *rank < 3)
            return Reason("standard-operators.miss.rank", {node, model.input(node, slot)});
    }
    if (alphaOf(model, node) != 1.0F && !context.scalars.canMake(node, model.input(node, 0))) {
        return Reason("standard-operators.miss.type-unknown", {node, model.input(node, 0)});
    }
    return std::nullopt;
}

bool isMatrix(const TwinContext& context, NodeId node, std::size_t slot) {
    return rankOf(context.types, context.model.input(node, slot)) == 2 &&
           context.model.intAttribute(node, kOperands[slot].transposeBatch, 0) == 0;
}

Refusal applyMatMul(TwinContext& context, Editor& editor, NodeId node) {
    const Model& model = context.model;
    const bool isPlain =
        !isTransposed(model, node, 0) && !isTransposed(model, node, 1) && alphaOf(model, node) == 1.0F;
    if (isPlain) {
        editor.setAttributes(replaceNode(editor, node, "MatMul"), {});
        return kDone;
    }
    // Gemm takes transposition and factor as they are; its third input is optional from opset 11 on.
    if (isMatrix(context, node, 0) && isMatrix(context, node, 1) && opsetOf(model, node) >= 11) {
        const NodeId gemm = replaceNode(editor, node, "Gemm");
        for (const OperandNames& names : kOperands)
            editor.removeAttribute(gemm, names.transposeBatch);
        return kDone;
    }
    return writeBody(context, editor, node);
}

constexpr std::array<OperatorTwin, 2> kTwins{{
    {kVendor, "FusedMatMul", 0, true, whyNotMatMul, applyMatMul, Exactness::value},
    {kVendor, "TransposeMatMul", 0, true, whyNotMatMul, applyMatMul, Exactness::value},
}};

} // namespace

std::span<const OperatorTwin> matMulTwins() {
    return kTwins;
}

} // namespace secateur
