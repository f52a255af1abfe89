// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tensor_defect.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace secateur {
namespace {

constexpr int kFloats = 4, kInt32s = 5, kInt64s = 7, kDoubles = 10, kUint64s = 11; // fields of TensorProto

/// The typed field that holds elements of this type; 0 for types that have none, or are not known.
int fieldOf(ElementType type) {
    switch (type) {
    case ElementType::float32:
    case ElementType::complex64: return kFloats;
    case ElementType::float64:
    case ElementType::complex128: return kDoubles;
    case ElementType::int64: return kInt64s;
    case ElementType::uint32:
    case ElementType::uint64: return kUint64s;
    case ElementType::undefined:
    case ElementType::string: return 0;
    default: return elementBits(type) != 0 ? kInt32s : 0;
    }
}

/// Entries of the typed field for so many elements: complex numbers take two, small integers share one.
std::uint64_t entriesFor(ElementType type, std::uint64_t elements) {
    if (type == ElementType::complex64 || type == ElementType::complex128) return 2 * elements;
    const std::uint64_t bits = elementBits(type);
    return bits < 8 ? (elements * bits + 7) / 8 : elements;
}

/// Entries of a packed field: numbers of fixed width, or varints, each of which ends with a byte below 128.
std::uint64_t entriesIn(const Tensor& tensor) {
    if (tensor.typedField == kFloats) return tensor.payload.size / 4;
    if (tensor.typedField == kDoubles) return tensor.payload.size / 8;
    const auto isLast = [](std::byte byte) { return (byte & std::byte{0x80}) == std::byte{}; };
    return static_cast<std::uint64_t>(
        std::count_if(tensor.payload.data, tensor.payload.data + tensor.payload.size, isLast));
}

/// The product of the dims; none where one is negative, or where no file can hold so many elements.
std::optional<std::uint64_t> countOf(const std::vector<std::int64_t>& dims) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;
    std::uint64_t count = 1;
    bool isEmpty = false, isTooMany = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0) return std::nullopt;
        const auto n = static_cast<std::uint64_t>(dim);
        isEmpty = isEmpty || n == 0;
        isTooMany = isTooMany || (n > 0 && count > kMost / n);
        if (n > 0 && !isTooMany) count *= n;
    }
    if (isEmpty) return 0;
    return isTooMany ? std::nullopt : std::optional(count);
}

std::optional<TensorDefect> wrongCount(const Tensor& tensor, std::uint64_t needed, std::uint64_t given) {
    if (needed == given) return std::nullopt;
    return TensorDefect{"problem.tensor-elements",
                        {tensor.asType().text(), std::to_string(needed), std::to_string(given)}};
}

std::optional<TensorDefect> findTypedDefect(const Tensor& tensor, std::uint64_t elements) {
    const int field = fieldOf(tensor.type);
    if (field == 0 && tensor.type != ElementType::string) return std::nullopt; // a type of tomorrow
    if (field != tensor.typedField) return TensorDefect{"problem.tensor-field", {tensor.asType().text()}};
    return wrongCount(tensor, entriesFor(tensor.type, elements), entriesIn(tensor));
}

} // namespace

std::optional<TensorDefect> findDefect(const Tensor& tensor) {
    const auto count = countOf(tensor.dims);
    if (!count) return TensorDefect{"problem.tensor-dims", {tensor.asType().text()}};
    const bool isText = tensor.type == ElementType::string;
    if (tensor.encoding != Tensor::Encoding::sparse && tensor.type == ElementType::undefined)
        return TensorDefect{"problem.tensor-type", {}};
    switch (tensor.encoding) {
    case Tensor::Encoding::none: return wrongCount(tensor, *count, 0);
    case Tensor::Encoding::raw: {
        if (isText) return TensorDefect{"problem.tensor-field", {tensor.asType().text()}};
        const auto needed = packedBytes(tensor.type, *count);
        if (!needed || tensor.payload.size == *needed) return std::nullopt;
        return TensorDefect{
            "problem.tensor-size",
            {tensor.asType().text(), std::to_string(*needed), std::to_string(tensor.payload.size)}};
    }
    case Tensor::Encoding::typed: return findTypedDefect(tensor, *count);
    case Tensor::Encoding::strings:
        if (!isText) return TensorDefect{"problem.tensor-field", {tensor.asType().text()}};
        return wrongCount(tensor, *count, tensor.strings.size());
    case Tensor::Encoding::external:
    case Tensor::Encoding::splat:
    case Tensor::Encoding::sparse: return std::nullopt;
    }
    return std::nullopt;
}

} // namespace secateur
