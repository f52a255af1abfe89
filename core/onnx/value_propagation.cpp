// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/value_propagation.h"

#include "core/onnx/inference_facts.h"
#include "core/onnx/size_expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace secateur {
namespace {

using Element = onnx::TensorShapeProto::Dimension;
using Elements = onnx::TensorShapeProto;
using Context = onnx::DataPropagationContext;

Element number(std::int64_t value) {
    Element element;
    element.set_dim_value(value);
    return element;
}

bool isZero(const Element& e) {
    return e.has_dim_value() && e.dim_value() == 0;
}
bool isOne(const Element& e) {
    return e.has_dim_value() && e.dim_value() == 1;
}
bool isSameSymbol(const Element& a, const Element& b) {
    return !a.dim_param().empty() && a.dim_param() == b.dim_param();
}

Element divide(const Element& a, const Element& b) {
    if (isOne(b)) return a;
    if (isZero(a) && b.has_dim_value() && !isZero(b)) return number(0);
    if (a.has_dim_value() && b.has_dim_value()) {
        if (b.dim_value() == 0) return {};
        if (a.dim_value() == std::numeric_limits<std::int64_t>::min() && b.dim_value() == -1) return {};
        return number(a.dim_value() / b.dim_value()); // ONNX Div of integers truncates
    }
    const auto over = SizeExpression::of(a), under = SizeExpression::of(b);
    const auto quotient = over && under ? over->over(*under) : std::nullopt;
    return quotient ? quotient->dimension() : Element();
}

Element add(const Element& a, const Element& b) {
    const auto left = SizeExpression::of(a), right = SizeExpression::of(b);
    const auto sum = left && right ? left->plus(*right) : std::nullopt;
    return sum ? sum->dimension() : Element();
}

Element subtract(const Element& a, const Element& b) {
    const auto left = SizeExpression::of(a), right = SizeExpression::of(b);
    const auto difference = left && right ? left->minus(*right) : std::nullopt;
    return difference ? difference->dimension() : Element();
}

Element multiply(const Element& a, const Element& b) {
    if (isZero(a) || isZero(b)) return number(0);
    const auto left = SizeExpression::of(a), right = SizeExpression::of(b);
    const auto product = left && right ? left->times(*right) : std::nullopt;
    return product ? product->dimension() : Element();
}

Element smaller(const Element& a, const Element& b) {
    if (isSameSymbol(a, b)) return a;
    return a.has_dim_value() && b.has_dim_value() ? number(std::min(a.dim_value(), b.dim_value()))
                                                  : Element();
}

Element larger(const Element& a, const Element& b) {
    if (isSameSymbol(a, b)) return a;
    return a.has_dim_value() && b.has_dim_value() ? number(std::max(a.dim_value(), b.dim_value()))
                                                  : Element();
}

Element equal(const Element& a, const Element& b) {
    if (isSameSymbol(a, b)) return number(1);
    if (a.has_dim_value() && b.has_dim_value()) return number(a.dim_value() == b.dim_value() ? 1 : 0);
    const auto isSize = [](const Element& e) {
        return !e.dim_param().empty() && !mayBeNegative(e.dim_param());
    };
    const bool isNever = (a.has_dim_value() && a.dim_value() < 0 && isSize(b)) ||
                         (b.has_dim_value() && b.dim_value() < 0 && isSize(a));
    return isNever ? number(0) : Element();
}

int broadcastSize(std::initializer_list<int> sizes) {
    int most = 1;
    for (const int size : sizes)
        most = size == 1 ? most : size;
    for (const int size : sizes) {
        if (size != 1 && size != most) return -1;
    }
    return most;
}

const Element& at(const Elements& elements, int index) {
    return elements.dim(elements.dim_size() == 1 ? 0 : index);
}

/// Is the result a scalar or a vector, so that its elements can be written as a list?
bool isList(const onnx::TypeProto* type) {
    return type && type->has_tensor_type() && type->tensor_type().has_shape() &&
           type->tensor_type().shape().dim_size() <= 1;
}

/// What a step of a sum leaves: int32 wraps elsewhere than the sums and products here.
Element fitting(const Context& context, Element element) {
    return heldBy(context.getOutputType(0)->tensor_type().elem_type(), std::move(element));
}

void combine(Context& context, Element (*operation)(const Element&, const Element&)) {
    const Elements* a = context.getInputData(0);
    const Elements* b = context.getNumInputs() == 2 ? context.getInputData(1) : nullptr;
    if (!a || !b) return;
    const int size = broadcastSize({a->dim_size(), b->dim_size()});
    if (size < 0 || size > kElementLimit) return;
    Elements out;
    for (int i = 0; i < size; ++i)
        *out.add_dim() = fitting(context, operation(at(*a, i), at(*b, i)));
    context.addOutputData(0, std::move(out));
}

void choose(Context& context) {
    const Elements *condition = context.getInputData(0), *yes = context.getInputData(1),
                   *no = context.getInputData(2);
    if (!condition || !yes || !no) return;
    const int size = broadcastSize({condition->dim_size(), yes->dim_size(), no->dim_size()});
    if (size < 0 || size > kElementLimit) return;
    Elements out;
    for (int i = 0; i < size; ++i) {
        const Element &which = at(*condition, i), &a = at(*yes, i), &b = at(*no, i);
        Element& made = *out.add_dim();
        if (which.has_dim_value())
            made = which.dim_value() != 0 ? a : b;
        else if (isSameSymbol(a, b) ||
                 (a.has_dim_value() && b.has_dim_value() && a.dim_value() == b.dim_value()))
            made = a;
    }
    context.addOutputData(0, std::move(out));
}

void copy(Context& context) {
    const Elements* input = context.getInputData(0);
    if (input && input->dim_size() <= kElementLimit) context.addOutputData(0, Elements(*input));
}

/// Reductions over the one dimension that there is.
void reduce(Context& context, Element (*operation)(const Element&, const Element&),
            std::optional<std::int64_t> ofNone) {
    const onnx::TypeProto* type = context.getInputType(0);
    const Elements* input = context.getInputData(0);
    if (!input || !isList(type) || type->tensor_type().shape().dim_size() != 1) return;
    const auto* noop = context.getAttribute("noop_with_empty_axes");
    if (noop && noop->i() != 0) return;
    if (input->dim_size() == 0 && !ofNone) return;
    Element total = ofNone ? number(*ofNone) : input->dim(0);
    for (int i = ofNone ? 0 : 1; i < input->dim_size(); ++i)
        total = fitting(context, operation(total, input->dim(i)));
    Elements out;
    *out.add_dim() = total;
    context.addOutputData(0, std::move(out));
}

/// How many elements a tensor has.
void countElements(Context& context) {
    const onnx::TypeProto* type = context.getInputType(0);
    if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape()) return;
    Element total = number(1);
    for (const Element& dim : type->tensor_type().shape().dim())
        total = multiply(total, dim);
    Elements out;
    *out.add_dim() = total;
    context.addOutputData(0, std::move(out));
}

std::optional<std::int64_t> firstInteger(const onnx::TensorProto& tensor) {
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    switch (tensor.data_type()) {
    case onnx::TensorProto::INT64:
        if (tensor.raw_data().size() < sizeof wide) return std::nullopt;
        std::memcpy(&wide, tensor.raw_data().data(), sizeof wide);
        return wide;
    case onnx::TensorProto::INT32:
        if (tensor.raw_data().size() < sizeof narrow) return std::nullopt;
        std::memcpy(&narrow, tensor.raw_data().data(), sizeof narrow);
        return narrow;
    case onnx::TensorProto::BOOL:
        return tensor.raw_data().empty() ? std::nullopt
                                         : std::optional<std::int64_t>(tensor.raw_data()[0] != 0);
    default: return std::nullopt;
    }
}

void fill(Context& context) {
    const Elements* shape = context.getInputData(0);
    if (!shape || shape->dim_size() > 1) return;
    if (shape->dim_size() == 1 &&
        (!shape->dim(0).has_dim_value() || shape->dim(0).dim_value() > kElementLimit))
        return;
    const auto* attribute = context.getAttribute("value");
    if (!attribute) return; // float zeros
    const auto value = firstInteger(attribute->t());
    if (!value) return;
    const std::int64_t size = shape->dim_size() == 0 ? 1 : shape->dim(0).dim_value();
    Elements out;
    for (std::int64_t i = 0; i < size; ++i)
        out.add_dim()->set_dim_value(*value);
    context.addOutputData(0, std::move(out));
}

void count(Context& context) {
    std::array<std::int64_t, 3> bounds{};
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        const Elements* input = context.getInputData(i);
        if (!input || input->dim_size() != 1 || !input->dim(0).has_dim_value()) return;
        bounds[i] = input->dim(0).dim_value();
    }
    const auto [start, limit, step] = bounds;
    if (step == 0) return;
    Elements out;
    for (std::int64_t at = start; step > 0 ? at < limit : at > limit;) {
        if (out.dim_size() >= kElementLimit) return;
        out.add_dim()->set_dim_value(at);
        if (__builtin_add_overflow(at, step, &at)) return;
    }
    context.addOutputData(0, std::move(out));
}

void negate(Context& context) {
    const Elements* input = context.getInputData(0);
    if (!input) return;
    Elements out;
    for (const Element& element : input->dim())
        *out.add_dim() = fitting(context, subtract(number(0), element));
    context.addOutputData(0, std::move(out));
}

} // namespace

namespace {

/// Is the number one of a floating-point type with so many bits in its fraction, and exponents up to
/// `most`?
bool isExact(std::int64_t value, int bits, int most) {
    const double wide = static_cast<double>(value);
    if (wide >= 0x1p63 || static_cast<std::int64_t>(wide) != value) return false;
    int exponent = 0;
    const double fraction = std::frexp(wide, &exponent);
    return exponent <= most + 1 && std::ldexp(fraction, bits) == std::trunc(std::ldexp(fraction, bits));
}

bool isHeld(std::int32_t type, std::int64_t value) {
    const auto isWithin = [&](std::int64_t low, std::int64_t high) { return value >= low && value <= high; };
    switch (type) {
    case onnx::TensorProto::INT64: return true;
    case onnx::TensorProto::UINT64: return value >= 0;
    case onnx::TensorProto::INT32: return isWithin(INT32_MIN, INT32_MAX);
    case onnx::TensorProto::UINT32: return isWithin(0, UINT32_MAX);
    case onnx::TensorProto::INT16: return isWithin(INT16_MIN, INT16_MAX);
    case onnx::TensorProto::UINT16: return isWithin(0, UINT16_MAX);
    case onnx::TensorProto::INT8: return isWithin(INT8_MIN, INT8_MAX);
    case onnx::TensorProto::UINT8: return isWithin(0, UINT8_MAX);
    case onnx::TensorProto::BOOL: return isWithin(0, 1);
    case onnx::TensorProto::DOUBLE: return isExact(value, 53, 1023);
    case onnx::TensorProto::FLOAT: return isExact(value, 24, 127);
    case onnx::TensorProto::FLOAT16: return isExact(value, 11, 15);
    case onnx::TensorProto::BFLOAT16: return isExact(value, 8, 127);
    default: return false;
    }
}

} // namespace

Element heldBy(std::int32_t type, Element element) {
    if (element.has_dim_value()) return isHeld(type, element.dim_value()) ? element : Element();
    // A dimension has fewer than 2^31 elements in int32 code; what was computed of dimensions may have more.
    const bool isWide = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::UINT64 ||
                        type == onnx::TensorProto::DOUBLE;
    const bool isDimension = !element.dim_param().empty() && !element.dim_param().starts_with(kComputedSize);
    const bool isNegative = type == onnx::TensorProto::UINT64 && mayBeNegative(element.dim_param());
    const bool isKept = (isWide && !isNegative) || (type == onnx::TensorProto::INT32 && isDimension);
    return isKept ? element : Element();
}

bool isPropagatedHere(std::string_view op) {
    return op == "Add" || op == "Sub" || op == "Mul" || op == "Size";
}

void propagateOwn(std::string_view op, Context& context) {
    if (context.getNumInputs() == 0 || !isList(context.getOutputType(0))) return;
    if (op == "Identity" || op == "Reshape" || op == "Flatten")
        copy(context);
    else if (op == "Add")
        combine(context, add);
    else if (op == "Sub")
        combine(context, subtract);
    else if (op == "Mul")
        combine(context, multiply);
    else if (op == "Size")
        countElements(context);
    else if (op == "Div")
        combine(context, divide);
    else if (op == "Min")
        combine(context, smaller);
    else if (op == "Max")
        combine(context, larger);
    else if (op == "Equal")
        combine(context, equal);
    else if (op == "Where" && context.getNumInputs() == 3)
        choose(context);
    else if (op == "ReduceProd")
        reduce(context, multiply, 1);
    else if (op == "ReduceSum")
        reduce(context, add, 0);
    else if (op == "ReduceMax")
        reduce(context, larger, std::nullopt);
    else if (op == "ReduceMin")
        reduce(context, smaller, std::nullopt);
    else if (op == "ConstantOfShape")
        fill(context);
    else if (op == "Range" && context.getNumInputs() == 3)
        count(context);
    else if (op == "Neg")
        negate(context);
}

} // namespace secateur
