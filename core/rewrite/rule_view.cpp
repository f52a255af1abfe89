// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule_view.h"

#include "core/analysis/flops.h"
#include "core/ir/constants.h"
#include "core/ir/walk.h"
#include "core/onnx/operator_traits.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace secateur {
namespace {

bool isFloatType(ElementType type) {
    switch (type) {
    case ElementType::float32:
    case ElementType::float64:
    case ElementType::float16:
    case ElementType::bfloat16: return true;
    default: return false;
    }
}

bool isIntegerType(ElementType type) {
    switch (type) {
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::int32:
    case ElementType::int64:
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
    case ElementType::uint64: return true;
    default: return false;
    }
}

/// Smaller constants are compared anew each time.
constexpr std::uint64_t kFewElements = 1024;

/// Is every element the same, bit for bit?
bool isUniform(const Tensor& tensor) {
    if (tensor.encoding == Tensor::Encoding::splat) return true;
    const unsigned bits = elementBits(tensor.type);
    if (bits < 8) return tensor.elementCount() == 1U;
    const auto bytes = rawBytes(tensor);
    const std::size_t step = bits / 8;
    if (!bytes || bytes->size < step) return false;
    // Each element equals its left neighbour.
    return std::memcmp(bytes->data, bytes->data + step, bytes->size - step) == 0;
}

bool isSameDim(const Dim& a, const Dim& b) {
    if (a.isKnown() || b.isKnown()) return a.value == b.value;
    return !a.symbol.empty() && a.symbol == b.symbol;
}

} // namespace

const Type& RuleView::type(ValueId value) const {
    static const Type kNone;
    if (m_types == nullptr || value.isNone() || m_types->isDeclared(value)) return kNone;
    return m_types->type(value);
}

std::optional<std::int64_t> RuleView::rank(ValueId value) const {
    const Type& t = type(value);
    if (!t.isTensor() || !t.hasShape) return std::nullopt;
    return static_cast<std::int64_t>(t.dims.size());
}

std::optional<std::vector<std::int64_t>> RuleView::staticShape(ValueId value) const {
    const Type& t = type(value);
    if (!t.isTensor() || !t.hasShape) return std::nullopt;
    std::vector<std::int64_t> shape;
    for (const Dim& dim : t.dims) {
        if (!dim.isKnown()) return std::nullopt;
        shape.push_back(*dim.value);
    }
    return shape;
}

bool RuleView::isSameShape(ValueId a, ValueId b) const {
    const Type &x = type(a), &y = type(b);
    if (!x.isTensor() || !y.isTensor() || !x.hasShape || !y.hasShape) return false;
    return std::equal(x.dims.begin(), x.dims.end(), y.dims.begin(), y.dims.end(), isSameDim);
}

bool RuleView::isFloat(ValueId value) const {
    return isFloatType(element(value));
}

bool RuleView::isInteger(ValueId value) const {
    return isIntegerType(element(value));
}

std::optional<std::vector<Dim>> RuleView::elements(ValueId value) const {
    if (const auto numbers = integers(value)) {
        std::vector<Dim> list;
        for (const std::int64_t number : *numbers)
            list.push_back({number, {}});
        return list;
    }
    if (m_types == nullptr || value.isNone() || m_types->isDeclared(value)) return std::nullopt;
    return m_types->elements(value);
}

std::optional<double> RuleView::flops(NodeId node) const {
    if (m_types == nullptr) return std::nullopt;
    const auto counted = flopsOf(m_model, *m_types, node);
    return counted ? std::optional(counted->count) : std::nullopt;
}

ValueRange RuleView::range(ValueId value) const {
    return isFloat(value) ? m_ranges.of(m_model, value) : ValueRange();
}

TensorPtr RuleView::constant(ValueId value) const {
    return value.isNone() ? nullptr : constantOf(m_model, value);
}

std::optional<std::vector<std::int64_t>> RuleView::integers(ValueId value) const {
    return value.isNone() ? std::nullopt : constantIntegers(m_model, value);
}

std::optional<double> RuleView::scalar(ValueId value) const {
    return value.isNone() ? std::nullopt : constantScalar(m_model, value);
}

std::optional<double> RuleView::uniform(ValueId value) const {
    const TensorPtr tensor = constant(value);
    if (!tensor) return std::nullopt;
    if (tensor->elementCount().value_or(0) < kFewElements) return uniformNumber(*tensor);
    const auto [at, isNew] = m_uniform.try_emplace(tensor.get(), tensor, std::nullopt);
    if (isNew) at->second.second = uniformNumber(*tensor);
    return at->second.second;
}

std::optional<double> RuleView::uniformNumber(const Tensor& tensor) const {
    if (tensor.elementCount().value_or(0) == 0 || !isUniform(tensor)) return std::nullopt;
    if (tensor.encoding == Tensor::Encoding::splat) {
        Tensor one = tensor;
        one.dims.clear();
        one.encoding = Tensor::Encoding::raw;
        const auto numbers = asDoubles(one);
        return numbers && !numbers->empty() ? std::optional(numbers->front()) : std::nullopt;
    }
    const auto bytes = rawBytes(tensor);
    if (!bytes) return std::nullopt;
    Tensor one;
    one.type = tensor.type;
    one.encoding = Tensor::Encoding::raw;
    one.payload = *bytes;
    one.payload.size = std::max<std::size_t>(1, elementBits(tensor.type) / 8);
    const auto numbers = asDoubles(one);
    return numbers && !numbers->empty() ? std::optional(numbers->front()) : std::nullopt;
}

NodeId RuleView::producer(ValueId value, std::string_view op) const {
    if (value.isNone()) return {};
    const NodeId node = m_model.producer(value);
    if (node.isNone() || m_model.node(node).kind != NodeKind::operation) return {};
    return m_model.isOp(node, op) ? node : NodeId();
}

bool RuleView::isReadOnce(ValueId value) const {
    if (value.isNone() || m_model.value(value).useCount != 1 || isHeldByName(value)) return false;
    const Use use = *m_model.uses(value).begin();
    const Node& reader = m_model.node(use.node);
    return reader.kind == NodeKind::operation && reader.graph == m_model.value(value).graph;
}

std::int64_t RuleView::opset(NodeId node) const {
    return m_model.opsetVersion("", m_model.node(node).graph).value_or(1);
}

std::optional<std::vector<std::int64_t>> RuleView::integersGiven(NodeId node, std::string_view name,
                                                                 std::size_t slot) const {
    if (m_model.attribute(node, name) != nullptr) return m_model.intsAttribute(node, name);
    return integers(m_model.input(node, slot));
}

bool RuleView::isPure(NodeId node) const {
    std::vector<NodeId> pending{node};
    while (!pending.empty()) {
        const NodeId at = pending.back();
        pending.pop_back();
        if (!calledFunction(m_model, at).isNone()) return false;
        const OperatorTraits traits = traitsOf(m_model.domain(at), m_model.op(at));
        if (!traits.isKnown || !traits.isPure || traits.isRandom || traits.hasSideEffect) return false;
        for (const GraphId body : m_model.subgraphs(at)) {
            for (const NodeId inner : m_model.nodes(body))
                pending.push_back(inner);
        }
    }
    return true;
}

bool RuleView::hasEffect(NodeId node) const {
    std::vector<NodeId> pending{node};
    std::set<std::uint32_t> functions;
    while (!pending.empty()) {
        const NodeId at = pending.back();
        pending.pop_back();
        const auto addNodes = [&](GraphId graph) {
            for (const NodeId inner : m_model.nodes(graph))
                pending.push_back(inner);
        };
        for (const GraphId body : m_model.subgraphs(at))
            addNodes(body);
        const GraphId function = m_model.header().functions.empty() ? GraphId() : calledFunction(m_model, at);
        if (!function.isNone()) {
            if (functions.insert(function.index).second) addNodes(function);
            continue;
        }
        const OperatorTraits traits = traitsOf(m_model.domain(at), m_model.op(at));
        if (!traits.isKnown || traits.hasSideEffect) return true;
    }
    return false;
}

bool RuleView::isNameShared(ValueId value) const {
    if (m_nameCounts.empty()) {
        for (std::size_t i = 0; i < m_model.valueIdCount(); ++i) {
            if (!m_model.isAlive(ValueId(i))) continue;
            const std::uint32_t symbol = m_model.value(ValueId(i)).name.index;
            if (symbol >= m_nameCounts.size()) m_nameCounts.resize(symbol + 1, 0);
            ++m_nameCounts[symbol];
        }
    }
    const std::uint32_t symbol = m_model.value(value).name.index;
    return symbol < m_nameCounts.size() && m_nameCounts[symbol] > 1;
}

bool RuleView::isHeldByName(ValueId value) const {
    return value.index < m_held.size() && m_held[value.index];
}

} // namespace secateur
