// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/microsoft_bodies.h"

#include "core/ir/scalar_tensor.h"
#include "core/onnx/proto_types.h"

#include <onnx/defs/function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace secateur {
namespace {

constexpr std::int64_t kCastLikeOpset = 15;

bool hasFractions(ElementType type) {
    return type == ElementType::float32 || type == ElementType::float64 || type == ElementType::float16 ||
           type == ElementType::bfloat16;
}

/// The node that a body is for.
struct Call {
    const Model& model;
    const TypeTable& types;
    NodeId node;
};

/// Writes a body in the text form of the standard.
class Body {
  public:
    Body(ElementType type, std::int64_t opset)
        : m_type(type), m_canCast(opset >= kCastLikeOpset), m_builder(m_function) {
        m_builder.AddOpset("", static_cast<int>(opset));
        m_function.add_output("Y");
    }

    void inputs(std::initializer_list<const char*> names) {
        for (const char* name : names)
            m_function.add_input(name);
        m_like = *names.begin();
    }
    /// A scalar of the type of the data, the first input. Where that is unknown it is cast to it, which takes
    /// an operator of opset 15.
    void constant(const std::string& name, double number) {
        const bool isTyped = m_type != ElementType::undefined;
        m_isPossible = m_isPossible && (isTyped ? hasFractions(m_type) : m_canCast);
        if (!m_isPossible) return;
        onnx::TensorProto proto;
        toProto(*scalarTensor(isTyped ? m_type : ElementType::float32, number), SIZE_MAX, proto);
        m_builder.Const(isTyped ? name : name + "_float", std::as_const(proto));
        if (!isTyped) add(name + " = CastLike (" + name + "_float, " + m_like + ")");
    }
    void add(const std::string& nodes) { m_builder.Add(nodes.c_str()); }
    /// None where a constant could not be made.
    std::optional<onnx::FunctionProto> take() {
        return m_isPossible ? std::optional(std::move(m_function)) : std::nullopt;
    }

  private:
    ElementType m_type;
    bool m_canCast, m_isPossible = true;
    std::string m_like;
    onnx::FunctionProto m_function;
    onnx::FunctionBuilder m_builder;
};

/// Names the data `X`, with the bias added where the node has one.
void readData(Body& body, const Call& call) {
    if (call.model.input(call.node, 1).isNone()) return body.inputs({"X"});
    body.inputs({"data", "bias"});
    body.add("X = Add (data, bias)");
}

/// x * 0.5 * (1 + erf(x * sqrt(0.5)))
bool writeGelu(Body& body, const Call& call) {
    readData(body, call);
    body.constant("sqrt_half", std::sqrt(0.5));
    body.constant("one", 1.0);
    body.constant("half", 0.5);
    body.add(R"(
        scaled = Mul (sqrt_half, X)
        erf = Erf (scaled)
        erf_plus_one = Add (erf, one)
        phi = Mul (erf_plus_one, half)
        Y = Mul (X, phi))");
    return true;
}

/// x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
bool writeFastGelu(Body& body, const Call& call) {
    readData(body, call);
    body.constant("half", 0.5);
    body.constant("sqrt_two_over_pi", 0.7978845608028654);
    body.constant("cubic_factor", 0.035677408136300125);
    body.add(R"(
        square = Mul (X, X)
        cubic = Mul (cubic_factor, square)
        sum = Add (sqrt_two_over_pi, cubic)
        argument = Mul (X, sum)
        tanh = Tanh (argument)
        half_tanh = Mul (half, tanh)
        phi = Add (half, half_tanh)
        Y = Mul (X, phi))");
    return true;
}

/// x * sigmoid(alpha * x)
bool writeQuickGelu(Body& body, const Call& call) {
    body.inputs({"X"});
    body.constant("alpha", static_cast<double>(call.model.floatAttribute(call.node, "alpha", 1.702F)));
    body.add(R"(
        scaled = Mul (alpha, X)
        gate = Sigmoid (scaled)
        Y = Mul (X, gate))");
    return true;
}

/// The permutation behind transBatch and trans: the first takes the leading axis behind the batch axes, the
/// second then swaps the last two. A vector has nothing to transpose.
std::vector<std::int64_t> permutation(std::size_t rank, bool isBatchMoved, bool isTransposed) {
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (rank < 2) return order;
    if (isBatchMoved) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    if (isTransposed) std::swap(order[rank - 2], order[rank - 1]);
    return order;
}

/// alpha * A' B', each operand with its axes as the attributes say; none where a rank that counts is unknown.
bool writeFusedMatMul(Body& body, const Call& call) {
    body.inputs({"A", "B"});
    std::string product = "(";
    for (const std::string operand : {"A", "B"}) {
        const bool isBatchMoved = call.model.intAttribute(call.node, "transBatch" + operand, 0) != 0;
        const bool isTransposed = call.model.intAttribute(call.node, "trans" + operand, 0) != 0;
        product += operand == "B" ? ", " : "";
        if (!isBatchMoved && !isTransposed) {
            product += operand;
            continue;
        }
        const Type& type = call.types.type(call.model.input(call.node, operand == "A" ? 0 : 1));
        if (!type.isTensor() || !type.hasShape) return false;
        std::string perm;
        for (const std::int64_t axis : permutation(type.dims.size(), isBatchMoved, isTransposed))
            perm += (perm.empty() ? "" : ", ") + std::to_string(axis);
        body.add("transposed_" + operand + " = Transpose <perm = [" + perm + "]> (" + operand + ")");
        product += "transposed_" + operand;
    }
    product += ")";
    const float alpha = call.model.floatAttribute(call.node, "alpha", 1.0F);
    if (alpha == 1.0F) {
        body.add("Y = MatMul " + product);
        return true;
    }
    body.add("product = MatMul " + product);
    body.constant("alpha", static_cast<double>(alpha));
    body.add("Y = Mul (product, alpha)");
    return true;
}

struct Entry {
    std::string_view op;
    bool (*write)(Body&, const Call&);
};
constexpr std::array<Entry, 6> kBodies{{
    {"BiasGelu", writeGelu},
    {"FastGelu", writeFastGelu},
    {"FusedMatMul", writeFusedMatMul},
    {"Gelu", writeGelu},
    {"QuickGelu", writeQuickGelu},
    {"TransposeMatMul", writeFusedMatMul},
}};

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

std::optional<onnx::FunctionProto> microsoftBody(const Model& model, NodeId node, const TypeTable& types) {
    const Entry* entry = entryOf(model.op(node));
    const ValueId data = model.input(node, 0);
    if (!entry || data.isNone()) return std::nullopt;
    const std::int64_t opset = model.opsetVersion("", model.node(node).graph).value_or(1);
    Body body(types.type(data).element, opset);
    if (!entry->write(body, {model, types, node})) return std::nullopt;
    return body.take();
}

} // namespace secateur
