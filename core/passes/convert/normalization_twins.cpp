// SPDX-License-Identifier: Apache-2.0
// LayerNormalization of the default domain before opset 17, and SimplifiedLayerNormalization: operators that
// ONNX Runtime registers where the standard has none, in the arithmetic of their definitions.
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace secateur {
namespace {

constexpr std::int64_t kLayerNormOpset = 17;
constexpr std::int64_t kRmsNormOpset = 23;

/// The axes from `axis` on, counted from the front where the rank is known, else from the back.
std::vector<std::int64_t> axesOf(const TwinContext& context, NodeId node) {
    const std::int64_t axis = context.model.intAttribute(node, "axis", -1);
    const auto rank = rankOf(context.types, context.model.input(node, 0));
    const std::int64_t first = axis < 0 && rank ? axis + *rank : axis;
    const std::int64_t end = first < 0 ? 0 : rank.value_or(first);
    std::vector<std::int64_t> axes(static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0)));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

std::optional<Reason> whyNotExpand(const TwinContext& context, NodeId node) {
    const ValueId x = context.model.input(node, 0);
    const std::vector<std::int64_t> axes = axesOf(context, node);
    if (axes.empty() || (axes.front() < 0 && opsetOf(context.model, node) < 11)) {
        return Reason("standard-operators.miss.rank", {node, x});
    }
    const bool isTyped = elementOf(context.types, x) != ElementType::undefined;
    if (!isTyped || !context.scalars.canMake(node, x))
        return Reason("standard-operators.miss.type-unknown", {node, x});
    return std::nullopt;
}

std::optional<Reason> whyNotLayerNorm(const TwinContext& context, NodeId node) {
    if (opsetOf(context.model, node) < 7)
        return Reason("standard-operators.miss.opset", {node, std::int64_t{7}});
    return whyNotExpand(context, node);
}

/// Builds the arithmetic in front of a normalization node.
class Arithmetic {
  public:
    Arithmetic(TwinContext& context, Editor& editor, NodeId node)
        : m_context(context), m_editor(editor), m_node(node),
          m_hint(context.model.name(context.model.output(node, 0))), m_axes(axesOf(context, node)),
          m_type(elementOf(context.types, context.model.input(node, 0))) {
        const bool isShort = m_type == ElementType::float16 || m_type == ElementType::bfloat16;
        const bool isWide = context.model.intAttribute(node, "stash_type", 1) == 1;
        m_work = isShort && isWide ? ElementType::float32 : m_type;
    }

    ValueId add(std::string_view op, std::vector<ValueId> inputs, std::string_view suffix,
                AttributeList attributes = {}) {
        return addNode(m_editor, m_node, op, std::move(inputs), m_hint + std::string(suffix),
                       std::move(attributes));
    }
    ValueId mean(ValueId x, std::string_view suffix) {
        const Attribute keep = Attribute::of("keepdims", std::int64_t{1});
        if (opsetOf(m_context.model, m_node) < 18)
            return add("ReduceMean", {x}, suffix, {Attribute::of("axes", m_axes), keep});
        const auto count = static_cast<std::int64_t>(m_axes.size());
        const ValueId axes =
            makeConstant(m_editor, m_node, m_hint + "_axes", makeInt64Tensor({count}, m_axes));
        return add("ReduceMean", {x, axes}, suffix, {keep});
    }
    ValueId scalar(double number, std::string_view hint) {
        return m_context.scalars.make(m_editor, m_node, m_work, number, hint);
    }
    ValueId wide(ValueId x) { return m_work == m_type ? x : cast(x, m_work, "_wide"); }
    ValueId narrow(ValueId x) { return m_work == m_type ? x : cast(x, m_type, "_narrow"); }
    /// Square root of the mean of squares of `x`, plus epsilon.
    ValueId spread(ValueId x) {
        const double epsilon = static_cast<double>(m_context.model.floatAttribute(m_node, "epsilon", 1e-5F));
        const ValueId square = add("Mul", {x, x}, "_square");
        const ValueId shifted =
            add("Add", {mean(square, "_variance"), scalar(epsilon, "epsilon")}, "_shifted");
        return add("Sqrt", {shifted}, "_deviation");
    }

  private:
    ValueId cast(ValueId x, ElementType type, std::string_view suffix) {
        return add("Cast", {x}, suffix, {Attribute::of("to", static_cast<std::int64_t>(type))});
    }

    TwinContext& m_context;
    Editor& m_editor;
    NodeId m_node;
    std::string m_hint;
    std::vector<std::int64_t> m_axes;
    ElementType m_type, m_work;
};

Refusal applyLayerNorm(TwinContext& context, Editor& editor, NodeId node) {
    const Model& model = context.model;
    Arithmetic math(context, editor, node);
    const ValueId x = math.wide(model.input(node, 0));
    const ValueId mean = math.mean(x, "_mean");
    const ValueId centred = math.add("Sub", {x, mean}, "_centred");
    const ValueId spread = math.spread(centred);
    ValueId y = math.narrow(math.add("Div", {centred, spread}, "_normalized"));
    if (const ValueId scale = model.input(node, 1); !scale.isNone())
        y = math.add("Mul", {y, scale}, "_scaled");
    if (const ValueId bias = model.input(node, 2); !bias.isNone()) y = math.add("Add", {y, bias}, "");
    if (isResultRead(model, node, 1)) takeOver(editor, node, 1, mean);
    if (isResultRead(model, node, 2))
        takeOver(editor, node, 2, math.add("Reciprocal", {spread}, "_inverse_deviation"));
    retire(editor, node, takeOver(editor, node, 0, y));
    return kDone;
}

Refusal applySimplified(TwinContext& context, Editor& editor, NodeId node) {
    const Model& model = context.model;
    if (opsetOf(model, node) >= kRmsNormOpset && !isResultRead(model, node, 1)) {
        replaceNode(editor, node, "RMSNormalization", 1);
        return kDone;
    }
    Arithmetic math(context, editor, node);
    const ValueId x = math.wide(model.input(node, 0));
    const ValueId spread = math.spread(x);
    ValueId y = math.narrow(math.add("Div", {x, spread}, "_normalized"));
    if (const ValueId scale = model.input(node, 1); !scale.isNone()) y = math.add("Mul", {y, scale}, "");
    if (isResultRead(model, node, 1))
        takeOver(editor, node, 1, math.add("Reciprocal", {spread}, "_inverse_deviation"));
    retire(editor, node, takeOver(editor, node, 0, y));
    return kDone;
}

constexpr std::array<OperatorTwin, 2> kTwins{{
    {"", "LayerNormalization", kLayerNormOpset, true, whyNotLayerNorm, applyLayerNorm, Exactness::value},
    {"", "SimplifiedLayerNormalization", 0, true, whyNotLayerNorm, applySimplified, Exactness::value},
}};

} // namespace

std::span<const OperatorTwin> normalizationTwins() {
    return kTwins;
}

} // namespace secateur
