// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/node_parts.h"

#include "core/ir/walk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace secateur {
namespace {

template <class T> std::vector<std::byte> bytesOf(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// float16 of a double, to nearest even.
std::uint16_t toHalf(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0U;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7e00U;
    if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int step = std::max(exponent - 11, -24); // exponent of the last place
    const double units = std::nearbyint(std::ldexp(magnitude, -step));
    const double rounded = std::ldexp(units, step);
    if (rounded == 0) return sign;
    std::frexp(rounded, &exponent);
    if (exponent - 1 < -14)
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(rounded, 24)));
    const auto fraction = static_cast<unsigned>(std::ldexp(rounded, 11 - exponent)) & 0x3ffU;
    return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent - 1 + 15) << 10U) | fraction);
}

/// bfloat16 of a double, by way of float, to nearest even.
std::uint16_t toBfloat(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

std::vector<std::byte> scalarBytes(ElementType type, double value) {
    switch (type) {
    case ElementType::float32: return bytesOf(static_cast<float>(value));
    case ElementType::float64: return bytesOf(value);
    case ElementType::float16: return bytesOf(toHalf(value));
    case ElementType::bfloat16: return bytesOf(toBfloat(value));
    case ElementType::int64: return bytesOf(static_cast<std::int64_t>(value));
    case ElementType::int32: return bytesOf(static_cast<std::int32_t>(value));
    case ElementType::uint32: return bytesOf(static_cast<std::uint32_t>(value));
    case ElementType::boolean: return bytesOf(static_cast<std::uint8_t>(value != 0));
    default: // other types are no constants of a rewrite
        return {};
    }
}

} // namespace

std::int64_t opsetOf(const Model& model, NodeId node) {
    return model.opsetVersion("", model.node(node).graph).value_or(1);
}

std::optional<std::int64_t> rankOf(const TypeTable& types, ValueId value) {
    if (value.isNone()) return std::nullopt;
    const Type& type = types.type(value);
    if (!type.isTensor() || !type.hasShape) return std::nullopt;
    return static_cast<std::int64_t>(type.dims.size());
}

ElementType elementOf(const TypeTable& types, ValueId value) {
    if (value.isNone()) return ElementType::undefined;
    const Type& type = types.type(value);
    return type.isTensor() ? type.element : ElementType::undefined;
}

bool isResultRead(const Model& model, NodeId node, std::size_t slot) {
    const ValueId result = model.output(node, slot);
    return !result.isNone() && model.hasUses(result);
}

void keepResults(Editor& editor, NodeId node, std::size_t count) {
    const auto now = editor.model().outputs(node);
    std::vector<ValueId> kept(now.begin(),
                              now.begin() + static_cast<std::ptrdiff_t>(std::min(count, now.size())));
    while (!kept.empty() && kept.back().isNone())
        kept.pop_back();
    if (kept.size() != now.size()) editor.setOutputs(node, kept);
}

TensorPtr scalarTensor(ElementType type, double value, std::vector<std::int64_t> dims) {
    std::vector<std::byte> bytes = scalarBytes(type, value);
    return bytes.empty() ? nullptr : makeTensor(type, std::move(dims), std::move(bytes));
}

GraphId enclosingFunction(const Model& model, GraphId graph) {
    for (GraphId at = graph; !at.isNone(); at = model.graph(at).parent) {
        if (model.graph(at).kind == GraphKind::function) return at;
    }
    return {};
}

ValueId makeConstant(Editor& editor, NodeId before, std::string_view hint, TensorPtr tensor) {
    const Model& model = editor.model();
    if (enclosingFunction(model, model.node(before).graph).isNone()) {
        return editor.createInitializer(model.mainGraph(), editor.freshName(hint), std::move(tensor));
    }
    return addNode(editor, before, "Constant", {}, hint, {Attribute::of("value", std::move(tensor))});
}

ValueId addNode(Editor& editor, NodeId before, std::string_view op, std::vector<ValueId> inputs,
                std::string_view hint, AttributeList attributes) {
    const std::string result = editor.freshName(hint);
    const NodeSpec spec{std::string(op), "", "", std::move(inputs), {result}, std::move(attributes)};
    const NodeId node = editor.createNode(editor.model().node(before).graph, spec, before);
    return editor.model().output(node, 0);
}

NodeId replaceNode(Editor& editor, NodeId node, std::string_view op, std::size_t results) {
    const Model& model = editor.model();
    NodeSpec spec{std::string(op), "", std::string(model.name(node)), {}, {}, {}};
    for (const ValueId input : model.inputs(node))
        spec.inputs.push_back(input);
    const NodeId made = editor.createNode(model.node(node).graph, spec, node);
    editor.setNodeRest(made, model.text(model.node(node).rest));
    if (model.node(node).attributes) editor.shareAttributes(made, model.node(node).attributes);
    std::size_t count = std::min(results, model.outputs(node).size());
    while (results != SIZE_MAX && count > 0 && model.output(node, count - 1).isNone())
        --count;
    editor.setOutputs(made, std::vector<ValueId>(count)); // omitted slots count, too
    for (std::size_t slot = 0; slot < count; ++slot) {
        const ValueId result = model.output(node, slot);
        if (!result.isNone()) editor.takeResult(made, slot, result);
    }
    editor.eraseNode(node);
    return made;
}

ValueId takeOver(Editor& editor, NodeId node, std::size_t slot, ValueId made) {
    const Model& model = editor.model();
    const ValueId result = model.output(node, slot);
    if (result.isNone()) return {};
    editor.takeResult(model.producer(made), model.value(made).resultIndex, result);
    return result;
}

void retire(Editor& editor, NodeId node, ValueId result) {
    const Model& model = editor.model();
    if (!result.isNone()) {
        const NodeId heir = model.producer(result);
        editor.setNodeName(heir, model.name(node));
        editor.setNodeRest(heir, model.text(model.node(node).rest));
    }
    editor.eraseNode(node);
}

Refusal readInstead(Editor& editor, ValueId old, ValueId with) {
    if (editor.replace(old, with)) return kDone;
    return Reason("rewrite.miss.output-is-input", {old});
}

std::vector<NodeId> convertibleNodes(const Model& model) {
    std::vector<NodeId> nodes = nodesWithin(model, model.mainGraph());
    for (const GraphId function : model.header().functions) {
        const std::vector<NodeId> inner = nodesWithin(model, function);
        nodes.insert(nodes.end(), inner.begin(), inner.end());
    }
    return nodes;
}

} // namespace secateur
