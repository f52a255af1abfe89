// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/elementwise.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::array<std::string_view, 43> kUnary{
    "Abs",  "Acos",        "Acosh",      "Asin",     "Asinh", "Atan",  "Atanh",     "BitwiseNot", "Cast",
    "Ceil", "Celu",        "Clip",       "Cos",      "Cosh",  "Elu",   "Erf",       "Exp",        "Floor",
    "Gelu", "HardSigmoid", "HardSwish",  "Identity", "IsInf", "IsNaN", "LeakyRelu", "Log",        "Mish",
    "Neg",  "Not",         "Reciprocal", "Relu",     "Round", "Selu",  "Shrink",    "Sigmoid",    "Sign",
    "Sin",  "Sinh",        "Softplus",   "Softsign", "Sqrt",  "Tan",   "Tanh"};

constexpr std::array<std::string_view, 24> kBroadcast{
    "Add",        "And",         "BitShift", "BitwiseAnd", "BitwiseOr",
    "BitwiseXor", "Div",         "Equal",    "Greater",    "GreaterOrEqual",
    "Less",       "LessOrEqual", "Max",      "Mean",       "Min",
    "Mod",        "Mul",         "Or",       "PRelu",      "Pow",
    "Sub",        "Sum",         "Where",    "Xor"};

template <std::size_t N> bool has(const std::array<std::string_view, N>& list, std::string_view op) {
    return std::find(list.begin(), list.end(), op) != list.end();
}

} // namespace

bool isUnaryElementwise(std::string_view op) {
    return has(kUnary, op);
}

bool isBroadcastElementwise(std::string_view op) {
    return has(kBroadcast, op);
}

} // namespace secateur
