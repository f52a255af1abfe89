// SPDX-License-Identifier: Apache-2.0
#include "core/exec/shape_check.h"

#include "core/exec/recurrent_cells.h"
#include "core/exec/windows.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace secateur {
namespace {

using Shapes = std::span<const Shape* const>;

Result<void> checkRecurrent(const KernelCall& call, Shapes shapes) {
    return checkHiddenSize(call, *shapes[2]);
}

Result<void> checkPool(const KernelCall& call, Shapes shapes) {
    TRY(windowOf(call, *shapes[0], {}));
    return {};
}

Result<void> checkTransposedConvolution(const KernelCall& call, Shapes shapes) {
    TRY(transposedWindowOf(call, *shapes[0], *shapes[1]));
    return {};
}

template <std::size_t kWeights> Result<void> checkConvolution(const KernelCall& call, Shapes shapes) {
    const Shape &x = *shapes[0], &w = *shapes[kWeights];
    if (x.size() < 3 || w.size() != x.size())
        return call.fail("exec.shapes-differ", {shapeText(x), shapeText(w)});
    TRY(windowOf(call, x, Shape(w.begin() + 2, w.end())));
    return {};
}

struct ShapeRule {
    std::string_view op;
    std::size_t lastSlot; ///< the rule reads the shapes of the first slot and of this one
    Result<void> (*check)(const KernelCall&, Shapes);
};
constexpr std::array kRules{
    ShapeRule{"AveragePool", 0, &checkPool},
    ShapeRule{"Conv", 1, &checkConvolution<1>},
    ShapeRule{"ConvInteger", 1, &checkConvolution<1>},
    ShapeRule{"ConvTranspose", 1, &checkTransposedConvolution},
    ShapeRule{"GRU", 2, &checkRecurrent},
    ShapeRule{"LSTM", 2, &checkRecurrent},
    ShapeRule{"LpPool", 0, &checkPool},
    ShapeRule{"MaxPool", 0, &checkPool},
    ShapeRule{"QLinearConv", 3, &checkConvolution<3>},
    ShapeRule{"RNN", 2, &checkRecurrent},
};

} // namespace

Result<void> checkShapes(const KernelCall& call, Shapes shapes) {
    if (!call.model->isDefaultDomain(call.node)) return {};
    const std::string_view op = call.model->op(call.node);
    const auto rule =
        std::find_if(kRules.begin(), kRules.end(), [op](const ShapeRule& r) { return r.op == op; });
    if (rule == kRules.end() || rule->lastSlot >= shapes.size()) return {};
    // What is missing is refused elsewhere; slots between may be scales and zero points.
    if (shapes.front() == nullptr || shapes[rule->lastSlot] == nullptr) return {};
    return rule->check(call, shapes);
}

} // namespace secateur
