// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/microsoft_bodies.h"

#include "core/messages/sentences.h"

#include <array>
#include <cmath>
#include <numbers>

namespace secateur {
namespace {

using Body = Result<ValueId> (*)(BodyWriter&, const TypeTable&);

ValueId inputOf(const BodyWriter& writer, const Model& model, std::size_t slot) {
    return model.input(writer.replaced(), slot);
}

/// The floating-point type of the first input, which constants must share.
Result<ElementType> floatTypeOf(BodyWriter& writer, const TypeTable& types) {
    const Model& model = writer.editor().model();
    const Type& type = types.type(inputOf(writer, model, 0));
    switch (type.element) {
    case ElementType::float32:
    case ElementType::float64:
    case ElementType::float16:
    case ElementType::bfloat16: return type.element;
    default: break;
    }
    return invalidInput(formatMessage("body.no-float-type", {}));
}

/// x / 2 * (1 + erf(x / sqrt(2)))
ValueId gelu(BodyWriter& w, ValueId x, ElementType type) {
    const ValueId scaled = w.op("Div", {x, w.scalar(std::numbers::sqrt2, type)});
    const ValueId shifted = w.op("Add", {w.op("Erf", {scaled}), w.scalar(1.0, type)});
    return w.op("Mul", {w.op("Mul", {x, shifted}), w.scalar(0.5, type)});
}

Result<ValueId> writeGelu(BodyWriter& w, const TypeTable& types) {
    const ElementType type = TRY(floatTypeOf(w, types));
    return gelu(w, inputOf(w, w.editor().model(), 0), type);
}

Result<ValueId> writeBiasGelu(BodyWriter& w, const TypeTable& types) {
    const ElementType type = TRY(floatTypeOf(w, types));
    const Model& model = w.editor().model();
    const ValueId a = inputOf(w, model, 0), b = inputOf(w, model, 1);
    return gelu(w, w.op("Add", {a, b}), type);
}

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, with the constants that ONNX Runtime uses.
Result<ValueId> writeFastGelu(BodyWriter& w, const TypeTable& types) {
    const ElementType type = TRY(floatTypeOf(w, types));
    const Model& model = w.editor().model();
    ValueId x = inputOf(w, model, 0);
    const ValueId bias = inputOf(w, model, 1);
    if (!bias.isNone()) x = w.op("Add", {x, bias});
    const ValueId square = w.op("Mul", {x, x});
    const ValueId cubic = w.op("Mul", {square, w.scalar(0.035677408136300125, type)});
    const ValueId factor = w.op("Add", {cubic, w.scalar(0.7978845608028654, type)});
    const ValueId tanh = w.op("Tanh", {w.op("Mul", {x, factor})});
    const ValueId half = w.scalar(0.5, type);
    const ValueId share = w.op("Add", {w.op("Mul", {tanh, half}), half});
    return w.op("Mul", {x, share});
}

/// x * sigmoid(alpha * x)
Result<ValueId> writeQuickGelu(BodyWriter& w, const TypeTable& types) {
    const ElementType type = TRY(floatTypeOf(w, types));
    const Model& model = w.editor().model();
    const float alpha = model.floatAttribute(w.replaced(), "alpha", 1.702F);
    const ValueId x = inputOf(w, model, 0);
    const ValueId scaled =
        std::fpclassify(alpha - 1.0F) == FP_ZERO ? x : w.op("Mul", {x, w.scalar(alpha, type)});
    return w.op("Mul", {x, w.op("Sigmoid", {scaled})});
}

/// The permutation behind transBatch and trans of FusedMatMul; empty when nothing moves. transBatch takes the
/// first dimension to the place before the last, trans then swaps the last two.
std::vector<std::int64_t> permutation(std::size_t rank, bool isBatchMoved, bool isTransposed) {
    std::vector<std::int64_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i)
        order[i] = static_cast<std::int64_t>(i);
    if (isBatchMoved && rank >= 3) {
        for (std::size_t i = 0; i + 2 < rank; ++i)
            std::swap(order[i], order[i + 1]);
    }
    if (isTransposed && rank >= 2) std::swap(order[rank - 2], order[rank - 1]);
    for (std::size_t i = 0; i < rank; ++i) {
        if (order[i] != static_cast<std::int64_t>(i)) return order;
    }
    return {};
}

/// alpha * A' B', each operand with its dimensions as the attributes say.
Result<ValueId> writeFusedMatMul(BodyWriter& w, const TypeTable& types) {
    const Model& model = w.editor().model();
    const NodeId node = w.replaced();
    const float alpha = model.floatAttribute(node, "alpha", 1.0F);
    const bool isScaled = std::fpclassify(alpha - 1.0F) != FP_ZERO;
    const ElementType type = isScaled ? TRY(floatTypeOf(w, types)) : ElementType::undefined;
    std::array<ValueId, 2> operands{inputOf(w, model, 0), inputOf(w, model, 1)};
    std::array<std::vector<std::int64_t>, 2> orders;
    constexpr std::array<std::string_view, 2> kTranspose{"transA", "transB"},
        kBatch{"transBatchA", "transBatchB"};
    for (std::size_t i = 0; i < 2; ++i) {
        const bool isTransposed = model.intAttribute(node, kTranspose[i], 0) != 0;
        const bool isBatchMoved = model.intAttribute(node, kBatch[i], 0) != 0;
        if (!isTransposed && !isBatchMoved) continue;
        const Type& operand = types.type(operands[i]);
        if (!operand.hasShape) return invalidInput(formatMessage("body.no-rank", {}));
        orders[i] = permutation(operand.dims.size(), isBatchMoved, isTransposed);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        if (!orders[i].empty())
            operands[i] = w.op("Transpose", {operands[i]}, {Attribute::of("perm", orders[i])});
    }
    const ValueId product = w.op("MatMul", {operands[0], operands[1]});
    return isScaled ? w.op("Mul", {product, w.scalar(alpha, type)}) : product;
}

/// input * scale, or input / scale
Result<ValueId> writeScale(BodyWriter& w, const TypeTable& types) {
    const Model& model = w.editor().model();
    const ValueId input = inputOf(w, model, 0);
    ValueId scale = inputOf(w, model, 1);
    const ElementType type = TRY(floatTypeOf(w, types));
    const ElementType scaleType = types.type(scale).element;
    if (scaleType == ElementType::undefined) return invalidInput(formatMessage("body.no-scale-type", {}));
    const bool isDivision = model.intAttribute(w.replaced(), "scale_down", 0) != 0;
    if (scaleType != type)
        scale = w.op("Cast", {scale}, {Attribute::of("to", static_cast<std::int64_t>(type))});
    return w.op(isDivision ? "Div" : "Mul", {input, scale});
}

struct Entry {
    std::string_view op;
    Body body;
};
constexpr std::array<Entry, 6> kBodies{{{"Gelu", writeGelu},
                                        {"BiasGelu", writeBiasGelu},
                                        {"FastGelu", writeFastGelu},
                                        {"QuickGelu", writeQuickGelu},
                                        {"FusedMatMul", writeFusedMatMul},
                                        {"Scale", writeScale}}};

const Entry* entryOf(std::string_view op) {
    for (const Entry& entry : kBodies) {
        if (entry.op == op) return &entry;
    }
    return nullptr;
}

} // namespace

bool hasMicrosoftBody(std::string_view op) {
    return entryOf(op) != nullptr;
}

Result<void> writeMicrosoftBody(BodyWriter& writer, const TypeTable& types) {
    const Entry* entry = entryOf(writer.editor().model().op(writer.replaced()));
    if (!entry) return invalidInput(formatMessage("body.none-here", {}));
    const ValueId result = TRY(entry->body(writer, types));
    writer.finish({result});
    return {};
}

} // namespace secateur
