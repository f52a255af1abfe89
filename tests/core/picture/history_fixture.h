// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/text.h"
#include "core/picture/history_state.h"
#include "core/picture/union_graph.h"
#include "core/session/recipe.h"
#include "tests/support/built_model.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

inline std::shared_ptr<const Original> originalFromText(std::string_view text) {
    auto parsed = parseModelText(text);
    if (!parsed) throw std::runtime_error(parsed.error().toString());
    return makeOriginal(std::move(parsed).take());
}

/// The whole conversion with the targets chosen.
inline History convertTo(const std::shared_ptr<const Original>& original, std::vector<std::string> targets) {
    Recipe recipe = conversionRecipe();
    recipe.targets = std::move(targets);
    auto history = History::run(original, recipe);
    if (!history) throw std::runtime_error(history.error().toString());
    return std::move(*history);
}

/// Two products with weights of the same bytes, and a loss. Conversion drops the loss and the second copy, so
/// the second product reads another weight: the one node that changes in its place.
inline std::shared_ptr<const Original> twoEqualWeights() {
    BuiltModel b;
    const ValueId x = b.input("x", {8, 64}), wanted = b.input("wanted", {8, 64});
    std::vector<float> numbers(64 * 64);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(i % 7);
    const ValueId first = b.initializer("first", makeFloatTensor({64, 64}, numbers));
    const ValueId second = b.initializer("second", makeFloatTensor({64, 64}, numbers));
    const ValueId up = b.node("up", "MatMul", {x, first});
    const ValueId down = b.node("down", "MatMul", {b.node("act", "Relu", {up}), second});
    const ValueId minus = b.node("minus", "Sub", {down, wanted});
    const ValueId square = b.node("square", "Mul", {minus, minus});
    b.output(down);
    b.output(b.node("mean", "ReduceMean", {square}, 1, {Attribute::of("keepdims", std::int64_t{0})}));
    return b.open();
}

} // namespace secateur::testing
