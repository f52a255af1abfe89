// SPDX-License-Identifier: Apache-2.0
#include "core/ir/constants.h"

namespace secateur {
namespace {

TensorPtr ofStrings(std::vector<std::int64_t> dims, std::vector<std::string> strings) {
    Tensor tensor;
    tensor.type = ElementType::string;
    tensor.dims = std::move(dims);
    tensor.encoding = Tensor::Encoding::strings;
    tensor.strings = std::move(strings);
    return std::make_shared<const Tensor>(std::move(tensor));
}

template <class T> std::int64_t sizeOf(const std::vector<T>& values) {
    return static_cast<std::int64_t>(values.size());
}

/// The tensor of a Constant node (Constant-13: exactly one of the value attributes); null for sparse_value,
/// and for an attribute that a call of the surrounding function would give.
TensorPtr ofConstantNode(const Model& model, NodeId node) {
    for (const Attribute& attribute : model.attributes(node)) {
        const Attribute::Value& v = attribute.value;
        if (const auto* tensor = std::get_if<TensorPtr>(&v)) return *tensor;
        if (const auto* number = std::get_if<float>(&v)) return makeFloatTensor({}, {*number});
        if (const auto* integer = std::get_if<std::int64_t>(&v)) return makeInt64Tensor({}, {*integer});
        if (const auto* text = std::get_if<std::string>(&v)) return ofStrings({}, {*text});
        if (const auto* numbers = std::get_if<std::vector<float>>(&v))
            return makeFloatTensor({sizeOf(*numbers)}, *numbers);
        if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&v))
            return makeInt64Tensor({sizeOf(*ints)}, *ints);
        if (const auto* texts = std::get_if<std::vector<std::string>>(&v))
            return ofStrings({sizeOf(*texts)}, *texts);
    }
    return nullptr;
}

} // namespace

bool isOverridable(const Model& model, ValueId value) {
    return model.isInitializer(value) && model.isGraphInput(value) && model.header().irVersion >= 4;
}

TensorPtr constantOf(const Model& model, ValueId value) {
    if (value.isNone()) return nullptr;
    if (model.isInitializer(value)) return isOverridable(model, value) ? nullptr : model.value(value).tensor;
    const NodeId producer = model.producer(value);
    if (producer.isNone() || !model.isOp(producer, "Constant")) return nullptr;
    return ofConstantNode(model, producer);
}

std::optional<double> constantScalar(const Model& model, ValueId value) {
    const TensorPtr tensor = constantOf(model, value);
    if (!tensor || tensor->elementCount() != 1U) return std::nullopt;
    const auto numbers = asDoubles(*tensor, 1);
    return numbers ? std::optional(numbers->front()) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> constantIntegers(const Model& model, ValueId value) {
    const TensorPtr tensor = constantOf(model, value);
    return tensor ? asIntegers(*tensor) : std::nullopt;
}

} // namespace secateur
