// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/sparse_tensor.h"

#include "core/messages/sentences.h"
#include "core/onnx/tensor_wire.h"
#include "core/onnx/wire.h"

#include <limits>
#include <optional>
#include <string>

namespace secateur {
namespace {

Error broken(const Tensor& tensor) {
    return invalidInput(formatMessage("sparse.broken", {tensor.name, tensor.asType().text()}));
}

/// Where the elements stand, from their numbers in the whole tensor, or from one number for each dimension.
std::optional<std::vector<std::uint64_t>> positionsOf(const Tensor& indices, std::uint64_t count,
                                                      const std::vector<std::int64_t>& dims,
                                                      std::uint64_t elements) {
    const std::size_t rank = dims.size();
    const bool isLinear = indices.dims.size() == 1;
    if (!isLinear && (indices.dims.size() != 2 || indices.dims[1] != static_cast<std::int64_t>(rank)))
        return std::nullopt;
    const auto numbers = asIntegers(indices, std::numeric_limits<std::size_t>::max());
    if (indices.type != ElementType::int64 || !numbers) return std::nullopt;
    const std::size_t each = isLinear ? 1 : rank;
    if (each == 0 ? !numbers->empty() : numbers->size() % each != 0 || numbers->size() / each != count)
        return std::nullopt;
    std::vector<std::uint64_t> positions;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t at = 0;
        for (std::size_t axis = 0; axis < each; ++axis) {
            const std::int64_t number = (*numbers)[isLinear ? i : i * rank + axis];
            const std::uint64_t size = isLinear ? elements : static_cast<std::uint64_t>(dims[axis]);
            if (number < 0 || static_cast<std::uint64_t>(number) >= size) return std::nullopt;
            at = (isLinear ? 0 : at * size) + static_cast<std::uint64_t>(number);
        }
        positions.push_back(at);
    }
    return positions;
}

} // namespace

Result<SparseParts> sparsePartsOf(const Tensor& tensor) {
    ByteSource source(tensor.payload);
    SparseParts parts;
    std::optional<Tensor> values, indices;
    try {
        wire::Reader reader(source.all());
        for (wire::Field field; reader.next(field);) {
            if (!wire::isLength(field)) continue;
            if (field.number == 1) values = readTensor(field.payload, source);
            if (field.number == 2) indices = readTensor(field.payload, source);
        }
    } catch (const wire::Malformed&) {
        return broken(tensor);
    }
    const auto elements = tensor.elementCount();
    if (!values || !elements || values->dims.size() > 1) return broken(tensor);
    const auto count = values->elementCount();
    if (!count || *count > *elements) return broken(tensor);
    if (values->dims.empty() && values->encoding == Tensor::Encoding::none) {
        parts.values = std::move(*values);
        parts.values.dims = {0};
        return parts;
    }
    if (*count > 0 && !indices) return broken(tensor);
    auto positions = *count == 0 ? std::optional<std::vector<std::uint64_t>>(std::in_place)
                                 : positionsOf(*indices, *count, tensor.dims, *elements);
    if (!positions) return broken(tensor);
    parts.values = std::move(*values);
    parts.positions = std::move(*positions);
    return parts;
}

} // namespace secateur
