// SPDX-License-Identifier: Apache-2.0
// Two products with known matrices in a row are one.
//   y = MatMul(MatMul(x, A), B)  =>  y = MatMul(x, AB)     where AB is no larger than A and B
// Approximate: AB is computed in double precision and rounded once.
#include "core/passes/simplify/rules.h"
#include "core/passes/simplify/weight_numbers.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

/// Multiplications that a rewrite may take: about two seconds.
constexpr double kMostProducts = 2e9;

struct Matrix {
    std::int64_t rows = 0, columns = 0;
    [[nodiscard]] std::int64_t size() const { return rows * columns; }
};

std::optional<Matrix> matrixOf(const RuleView& view, ValueId value) {
    if (!isWeight(view, value)) return std::nullopt;
    const auto& dims = view.constant(value)->dims;
    return dims.size() == 2 ? std::optional(Matrix{dims[0], dims[1]}) : std::nullopt;
}

Refusal merge(const RuleView& view, RuleEdit& edit, ValueId data, ValueId first, ValueId second) {
    const Matrix a = *matrixOf(view, first), b = *matrixOf(view, second);
    const std::vector<double> left = weightNumbers(view, first), right = weightNumbers(view, second);
    const auto rows = static_cast<std::size_t>(a.rows), inner = static_cast<std::size_t>(a.columns),
               columns = static_cast<std::size_t>(b.columns);
    std::vector<double> product(rows * columns, 0);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < inner; ++i) {
            for (std::size_t column = 0; column < columns; ++column)
                product[row * columns + column] += left[row * inner + i] * right[i * columns + column];
        }
    }
    const TensorPtr made = roundedWeight(view.element(first), {a.rows, b.columns}, product,
                                         [columns](std::size_t at) { return at % columns; });
    if (!made) return Reason("rule.merge-matmuls.refused.range", {first, second});
    edit.becomes(edit.node("MatMul", {data, edit.constant(made)}));
    return kDone;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = view.producer(model.input(root, 0), "MatMul");
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId first = model.input(inner, 1), second = model.input(root, 1), data = model.input(inner, 0);
    const auto a = matrixOf(view, first), b = matrixOf(view, second);
    SECATEUR_PATTERN(a && b && !data.isNone() && a->columns == b->rows);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.merge-matmuls.miss.shared", inner);
    const bool isSmaller = a->rows * b->columns <= a->size() + b->size();
    SECATEUR_GUARD(view, isSmaller, "rule.merge-matmuls.miss.larger", root, inner);
    const double products = static_cast<double>(a->size()) * static_cast<double>(b->columns);
    SECATEUR_PATTERN(products <= kMostProducts);
    const bool isAffordable = isCopyAffordable(view, first) || isCopyAffordable(view, second);
    SECATEUR_NEAR(isAffordable, "rule.merge-matmuls.near.size", first, second);
    return RuleHit{
        {root, inner},
        Reason("rule.merge-matmuls.why", {root, inner}),
        std::nullopt,
        [&view, data, first, second](RuleEdit& edit) { return merge(view, edit, data, first, second); }};
}

} // namespace

const Rule& mergeMatmulsRule() {
    static const Rule rule{"merge-matmuls", RuleGroup::weights, Exactness::approximate, {"MatMul"}, match};
    return rule;
}

} // namespace secateur
