// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/body_writer.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace secateur {
namespace {

/// The nearest half-precision number, ties to even; the constants of bodies are normal numbers in range.
std::uint16_t toFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const int exponent = static_cast<int>((bits >> 23) & 0xFFU) - 127 + 15;
    const std::uint32_t fraction = bits & 0x7FFFFFU;
    if (exponent <= 0) return static_cast<std::uint16_t>(sign);
    if (exponent >= 31) return static_cast<std::uint16_t>(sign | 0x7C00U);
    std::uint32_t half = (static_cast<std::uint32_t>(exponent) << 10) | (fraction >> 13);
    const std::uint32_t lost = fraction & 0x1FFFU;
    if (lost > 0x1000U || (lost == 0x1000U && (half & 1U))) ++half;
    return static_cast<std::uint16_t>(sign | half);
}

std::uint16_t toBfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

template <class T> std::vector<std::byte> bytesOf(T value) {
    std::vector<std::byte> out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
}

} // namespace

BodyWriter::BodyWriter(Editor& editor, NodeId replaced) : m_editor(editor), m_replaced(replaced) {
    const Model& model = editor.model();
    m_stem = model.name(replaced);
    for (const ValueId output : model.outputs(replaced)) {
        if (m_stem.empty() && !output.isNone()) m_stem = model.name(output);
    }
    if (m_stem.empty()) m_stem = model.op(replaced);
}

std::string BodyWriter::freshName(std::string_view part) {
    return m_editor.freshName(m_stem + "/" + std::string(part));
}

bool BodyWriter::isInFunction() const {
    const Model& model = m_editor.model();
    GraphId at = model.node(m_replaced).graph;
    while (model.graph(at).kind == GraphKind::subgraph)
        at = model.graph(at).parent;
    return model.graph(at).kind == GraphKind::function;
}

ValueId BodyWriter::op(std::string_view name, std::initializer_list<ValueId> inputs,
                       AttributeList attributes) {
    NodeSpec spec;
    spec.op = name;
    spec.name = freshName(name);
    spec.inputs.assign(inputs.begin(), inputs.end());
    spec.outputs = {m_editor.freshName(spec.name + "_output")};
    spec.attributes = std::move(attributes);
    const NodeId made = m_editor.createNode(m_editor.model().node(m_replaced).graph, spec, m_replaced);
    note(made);
    return m_editor.model().output(made, 0);
}

ValueId BodyWriter::constant(std::string_view hint, TensorPtr tensor) {
    if (isInFunction()) return op("Constant", {}, {Attribute::of("value", std::move(tensor))});
    return m_editor.createInitializer(m_editor.model().node(m_replaced).graph, freshName(hint),
                                      std::move(tensor));
}

ValueId BodyWriter::scalar(double value, ElementType type) {
    const auto narrow = static_cast<float>(value);
    std::vector<std::byte> bytes = bytesOf(narrow);
    if (type == ElementType::float64)
        bytes = bytesOf(value);
    else if (type == ElementType::float16)
        bytes = bytesOf(toFloat16(narrow));
    else if (type == ElementType::bfloat16)
        bytes = bytesOf(toBfloat16(narrow));
    return constant("constant", makeTensor(type, {}, std::move(bytes)));
}

void BodyWriter::finish(const std::vector<ValueId>& results) {
    const auto outputs = m_editor.model().outputs(m_replaced);
    const std::vector<ValueId> old(outputs.begin(), outputs.end());
    for (std::size_t i = 0; i < old.size() && i < results.size(); ++i) {
        if (!old[i].isNone() && !results[i].isNone()) m_editor.replace(old[i], results[i]);
    }
    m_editor.eraseNode(m_replaced);
}

} // namespace secateur
