// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/value_ranges.h"

#include "core/ir/constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace secateur {
namespace {

constexpr unsigned kDeepestWalk = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Promise {
    std::string_view op;
    ValueRange range;
};

/// Runtimes approximate some functions, which may come out beyond 1 by a last bit or two.
constexpr double kOne = 1.000001;

/// What an operator promises whatever it reads. Exp, Sigmoid and Softmax may underflow to +0.
const std::array<Promise, 12> kPromises{{
    {"Sigmoid", {0, kOne, false}},
    {"HardSigmoid", {0, 1, true}},
    {"Softmax", {0, kOne, false}}, // a row of infinities is NaN
    {"Exp", {0, kInfinity, false}},
    {"Abs", {0, kInfinity, false}},
    {"Relu", {0, kInfinity, true}},
    {"Tanh", {-kOne, kOne, true}},
    {"Erf", {-kOne, kOne, true}},
    {"Sin", {-kOne, kOne, true}}, // of an infinity
    {"Cos", {-kOne, kOne, true}},
    {"ReduceL1", {0, kInfinity, false}},
    {"ReduceL2", {0, kInfinity, false}},
}};

/// Operators whose result has elements of input 0 alone.
constexpr std::array<std::string_view, 12> kMoves{"Identity",  "Reshape", "Transpose",    "Squeeze",
                                                  "Unsqueeze", "Flatten", "Slice",        "Expand",
                                                  "Tile",      "Gather",  "DepthToSpace", "SpaceToDepth"};

std::optional<ValueRange> rangeOfConstant(const Model& model, ValueId value) {
    const TensorPtr tensor = constantOf(model, value);
    if (!tensor) return std::nullopt;
    const auto numbers = asDoubles(*tensor);
    if (!numbers || numbers->empty()) return std::nullopt;
    ValueRange range{kInfinity, -kInfinity, false};
    for (const double number : *numbers) {
        range.mayBeNegativeZero |= number == 0 && std::signbit(number);
        if (std::isnan(number)) continue;
        range.low = std::min(range.low, number);
        range.high = std::max(range.high, number);
    }
    if (range.low > range.high) return std::nullopt; // NaN alone
    return range;
}

/// A bound of Clip: input from opset 11 on, attribute before; none where it is not known.
std::optional<double> clipBound(const Model& model, NodeId node, std::size_t slot, const char* name,
                                double otherwise) {
    if (const Attribute* attribute = model.attribute(node, name)) {
        const auto* number = std::get_if<float>(&attribute->value);
        return number == nullptr ? std::nullopt : std::optional<double>(*number);
    }
    const ValueId input = model.input(node, slot);
    return input.isNone() ? std::optional<double>(otherwise) : constantScalar(model, input);
}

} // namespace

ValueRange ValueRanges::of(const Model& model, ValueId value) {
    m_isCut = false;
    return find(model, value, 0);
}

ValueRange ValueRanges::find(const Model& model, ValueId value, unsigned depth) {
    if (value.isNone()) return {};
    if (depth > kDeepestWalk) {
        m_isCut = true;
        return {};
    }
    if (const auto at = m_known.find(value.index); at != m_known.end()) return at->second;
    ValueRange range;
    const NodeId node = model.producer(value);
    if (const auto constant = rangeOfConstant(model, value)) {
        range = *constant;
    } else if (!node.isNone() && model.node(node).kind == NodeKind::operation &&
               model.isDefaultDomain(node) && model.output(node, 0) == value) {
        const std::string_view op = model.op(node);
        const auto input = [&] { return find(model, model.input(node, 0), depth + 1); };
        const auto promise =
            std::find_if(kPromises.begin(), kPromises.end(), [&](const Promise& p) { return p.op == op; });
        if (promise != kPromises.end()) {
            range = promise->range;
            const ValueRange read = input();
            if (op == "Relu") { // the tighter side of what it reads holds on
                range.high = std::max(read.high, 0.0);
                range.low = std::max(read.low, 0.0);
                range.mayBeNegativeZero = read.mayBeNegativeZero;
            }
        } else if (std::find(kMoves.begin(), kMoves.end(), op) != kMoves.end()) {
            range = input();
        } else if (op == "Clip") {
            const auto low = clipBound(model, node, 1, "min", -kInfinity);
            const auto high = clipBound(model, node, 2, "max", kInfinity);
            const ValueRange read = input();
            if (low && high && *low <= *high) {
                range.low = std::clamp(read.low, *low, *high);
                range.high = std::clamp(read.high, *low, *high);
            }
        }
    }
    // What the bound of the walk cut short is not kept: another walk may start nearer.
    if (!m_isCut) m_known.emplace(value.index, range);
    return range;
}

} // namespace secateur
