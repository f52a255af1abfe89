// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/drop_path_mask.h"

#include "core/ir/constants.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace secateur {
namespace {

NodeId operationOf(const Model& model, ValueId value) {
    if (value.isNone()) return {};
    const NodeId producer = model.producer(value);
    return !producer.isNone() && model.node(producer).kind == NodeKind::operation ? producer : NodeId();
}

/// A value that is one number everywhere: a scalar constant, one that is expanded, or a filled shape. `shape`
/// is then the shape that it is spread over.
struct Uniform {
    double number = 0;
    ValueId shape;
};
std::optional<Uniform> uniformOf(const Model& model, ValueId value) {
    if (const auto number = constantScalar(model, value)) return Uniform{*number, {}};
    if (const TensorPtr tensor = constantOf(model, value)) {
        const auto numbers = asDoubles(*tensor);
        if (!numbers || numbers->empty()) return std::nullopt;
        const double first = numbers->front();
        if (std::any_of(numbers->begin(), numbers->end(), [&](double x) { return x != first; }))
            return std::nullopt;
        return Uniform{first, {}};
    }
    const NodeId node = operationOf(model, value);
    if (node.isNone()) return std::nullopt;
    if (model.isOp(node, "Expand")) {
        const auto number = constantScalar(model, model.input(node, 0));
        if (number) return Uniform{*number, model.input(node, 1)};
    }
    if (model.isOp(node, "ConstantOfShape")) {
        const Attribute* attribute = model.attribute(node, "value");
        const auto* tensor = attribute == nullptr ? nullptr : std::get_if<TensorPtr>(&attribute->value);
        if (attribute == nullptr) return Uniform{0, model.input(node, 0)};
        const auto numbers = tensor == nullptr || !*tensor ? std::nullopt : asDoubles(**tensor, 1);
        if (numbers && numbers->size() == 1) return Uniform{numbers->front(), model.input(node, 0)};
    }
    return std::nullopt;
}

/// Follows one draw forward to all masks that it makes.
class MaskSearch {
  public:
    MaskSearch(const Model& model, NodeId draw) : m_model(model), m_draw(draw) {}

    std::vector<DropPathMask> run() {
        const ValueId drawn = m_model.output(m_draw, 0);
        if (drawn.isNone()) return {};
        if (m_model.isOp(m_draw, "Bernoulli")) {
            const auto keep = uniformOf(m_model, m_model.input(m_draw, 0));
            if (keep) follow({drawn, m_draw, keep->shape, keep->number, 1});
        } else {
            followDraw(drawn, shapeOfDraw());
        }
        return std::move(m_masks);
    }

  private:
    ValueId shapeOfDraw() const {
        const auto like = uniformOf(m_model, m_model.input(m_draw, 0));
        return m_model.isOp(m_draw, "RandomUniformLike") && like ? like->shape : ValueId();
    }

    /// u, uniform over [0, 1): Floor(u + keep), u < keep, u >= 1 - keep and their mirror images are masks.
    void followDraw(ValueId drawn, ValueId shape) {
        for (const Use use : m_model.uses(drawn)) {
            const NodeId node = use.node;
            const auto other =
                constantScalar(m_model, m_model.input(node, 1 - std::min<std::size_t>(use.slot, 1)));
            const ValueId result = m_model.output(node, 0);
            if (!other || result.isNone()) continue;
            if (m_model.isOp(node, "Add")) {
                for (const Use next : m_model.uses(result)) {
                    if (m_model.isOp(next.node, "Floor"))
                        follow({m_model.output(next.node, 0), m_draw, shape, *other, 1});
                }
                continue;
            }
            const bool isLess = m_model.isOp(node, "Less") || m_model.isOp(node, "LessOrEqual");
            const bool isGreater = m_model.isOp(node, "Greater") || m_model.isOp(node, "GreaterOrEqual");
            if (!isLess && !isGreater) continue;
            const double keep = isLess == (use.slot == 0) ? *other : 1 - *other;
            follow({result, m_draw, shape, keep, 1});
        }
    }

    void follow(DropPathMask first) {
        if (first.value.isNone() || first.keep <= 0 || first.keep > 1) return;
        for (std::size_t at = addMask(first); at < m_masks.size(); ++at) {
            const DropPathMask mask = m_masks[at];
            for (const Use use : m_model.uses(mask.value))
                followUse(mask, use);
        }
    }

    std::size_t addMask(const DropPathMask& mask) {
        m_masks.push_back(mask);
        return m_masks.size() - 1;
    }

    void followUse(const DropPathMask& mask, Use use) {
        const NodeId node = use.node;
        DropPathMask next = mask;
        next.value = m_model.node(node).kind == NodeKind::operation ? m_model.output(node, 0) : ValueId();
        if (next.value.isNone()) return;
        const bool isFirst = use.slot == 0;
        if (isFirst && (m_model.isOp(node, "Cast") || m_model.isOp(node, "CastLike") ||
                        m_model.isOp(node, "Identity"))) {
            addMask(next);
        } else if (m_model.isOp(node, "Not")) {
            next.keep = 1 - mask.keep;
            if (next.keep > 0) addMask(next);
        } else if (isFirst && m_model.isOp(node, "Where")) {
            followWhere(next, node);
        } else if (m_model.isOp(node, "Mul")) {
            const auto factor = constantScalar(m_model, m_model.input(node, 1 - use.slot));
            next.scale *= factor.value_or(0);
            if (factor) addMask(next);
        } else if (isFirst && m_model.isOp(node, "Div")) {
            const auto divisor = constantScalar(m_model, m_model.input(node, 1));
            if (!divisor || *divisor == 0) return;
            next.scale /= *divisor;
            addMask(next);
        }
    }

    /// Where(mask, c, 0) and Where(mask, 0, c).
    void followWhere(DropPathMask next, NodeId node) {
        const auto yes = constantScalar(m_model, m_model.input(node, 1));
        const auto no = constantScalar(m_model, m_model.input(node, 2));
        if (!yes || !no || (*yes == 0) == (*no == 0)) return;
        if (*yes == 0) next.keep = 1 - next.keep;
        next.scale = *yes == 0 ? *no : *yes;
        if (next.keep > 0) addMask(next);
    }

    const Model& m_model;
    NodeId m_draw;
    std::vector<DropPathMask> m_masks;
};

/// The value whose first dimension the 1-D `length` is: Gather(Shape(x), 0), Slice(Shape(x), 0, 1), Shape(x;
/// 0, 1), an Unsqueeze of the first with a scalar index.
ValueId ownerOfFirstDim(const Model& model, ValueId length) {
    NodeId node = operationOf(model, length);
    for (int depth = 0; depth < 3 && !node.isNone(); ++depth) {
        if (model.isOp(node, "Shape")) {
            const bool isFirst =
                model.intAttribute(node, "start", 0) == 0 && model.intAttribute(node, "end", -1) == 1;
            return isFirst ? model.input(node, 0) : ValueId();
        }
        const NodeId source = operationOf(model, model.input(node, 0));
        if (model.isOp(node, "Unsqueeze") || model.isOp(node, "Reshape") || model.isOp(node, "Identity")) {
            node = source;
            continue;
        }
        const bool isOfShape =
            !source.isNone() && model.isOp(source, "Shape") && model.attributes(source).empty();
        if (!isOfShape) return {};
        const auto starts = constantIntegers(model, model.input(node, 1));
        const bool isZero = starts && starts->size() == 1 && starts->front() == 0;
        if (model.isOp(node, "Gather")) return isZero ? model.input(source, 0) : ValueId();
        const auto ends = constantIntegers(model, model.input(node, 2));
        const bool isSlice = model.isOp(node, "Slice") && ends && ends->size() == 1 && ends->front() == 1;
        return isZero && isSlice ? model.input(source, 0) : ValueId();
    }
    return {};
}

bool isSameDim(const Dim& a, const Dim& b) {
    if (a.value || b.value) return a.value == b.value;
    return !a.symbol.empty() && a.symbol == b.symbol;
}

/// Is the first dimension of `owner` that of `branch`: the same value, an equal dimension, or one elementwise
/// step?
bool sharesFirstDim(const Model& model, const TypeTable& types, ValueId owner, ValueId branch) {
    if (owner.isNone()) return false;
    if (owner == branch) return true;
    const Type& a = types.type(owner);
    const Type& b = types.type(branch);
    if (a.hasShape && b.hasShape && !a.dims.empty() && !b.dims.empty() && isSameDim(a.dims[0], b.dims[0]))
        return true;
    const NodeId scaling = operationOf(model, owner); // Shape may be taken of the branch after it was scaled
    const bool isScaling = !scaling.isNone() && (model.isOp(scaling, "Div") || model.isOp(scaling, "Mul"));
    return isScaling && model.input(scaling, 0) == branch &&
           constantScalar(model, model.input(scaling, 1)).has_value();
}

} // namespace

bool isUnitDraw(const Model& model, NodeId node) {
    if (model.isOp(node, "Bernoulli")) return true;
    if (!model.isOp(node, "RandomUniform") && !model.isOp(node, "RandomUniformLike")) return false;
    return model.floatAttribute(node, "low", 0) == 0.0F && model.floatAttribute(node, "high", 1) == 1.0F;
}

std::vector<DropPathMask> masksFrom(const Model& model, NodeId draw) {
    return MaskSearch(model, draw).run();
}

bool hasDropPathShape(const Model& model, const TypeTable& types, const DropPathMask& mask, ValueId branch) {
    const Type& type = types.type(mask.value);
    const Type& other = types.type(branch);
    if (other.hasShape && type.hasShape && type.dims.size() > other.dims.size()) return false;
    const auto isOneDim = [](const Dim& dim) { return dim.value == 1; };
    const bool isKnown = type.isTensor() && type.hasShape;
    if (isKnown && std::all_of(type.dims.begin(), type.dims.end(), isOneDim)) return other.hasShape;
    const bool hasOnesBehind =
        isKnown && !type.dims.empty() && std::all_of(type.dims.begin() + 1, type.dims.end(), isOneDim);
    const bool isAligned = hasOnesBehind && other.hasShape && other.dims.size() == type.dims.size();
    if (isAligned && isSameDim(type.dims[0], other.dims[0])) return true;
    // Inference may not see through the arithmetic of shapes: look at the pieces that the shape is joined
    // from.
    const NodeId concat = operationOf(model, mask.shape);
    if (concat.isNone() || !model.isOp(concat, "Concat")) return false;
    std::size_t rank = 1;
    for (std::size_t i = 1; i < model.inputs(concat).size(); ++i) {
        const auto ones = constantIntegers(model, model.input(concat, i));
        if (!ones || std::any_of(ones->begin(), ones->end(), [](std::int64_t n) { return n != 1; }))
            return false;
        rank += ones->size();
    }
    if (other.hasShape && rank != other.dims.size()) return false;
    return sharesFirstDim(model, types, ownerOfFirstDim(model, model.input(concat, 0)), branch);
}

} // namespace secateur
