// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Bytes kept alive by `owner`: a range of a mapped file or a buffer of our own. No alignment is promised:
/// read through memcpy.
struct ByteRef {
    std::shared_ptr<const void> owner;
    const std::byte* data = nullptr;
    std::size_t size = 0;

    [[nodiscard]] static ByteRef own(std::vector<std::byte> bytes);
};

/// One immutable tensor: the contents of an initializer or of a tensor attribute, as ONNX's TensorProto has
/// it. Shared between values, clones and journal entries; never changed after it is made.
struct Tensor {
    /// Where the elements are.
    enum class Encoding : std::uint8_t {
        none,     ///< no element stored (an empty tensor, or a file that stores none)
        raw,      ///< `payload` is raw_data: little endian, row major
        typed,    ///< `payload` is the packed wire form of field number `typedField` of TensorProto
        strings,  ///< `strings`
        external, ///< in another file, named by `external`; `payload` is its mapped range (the owner is the
                  ///< MappedFile), empty when it is missing
        splat,    ///< `payload` is one element, repeated for the whole shape
        sparse,   ///< `payload` is a serialized SparseTensorProto; kept as it is
    };

    ElementType type = ElementType::undefined;
    std::vector<std::int64_t> dims;
    Encoding encoding = Encoding::none;
    int typedField = 0; ///< 4 float_data, 5 int32_data, 7 int64_data, 10 double_data, 11 uint64_data
    ByteRef payload;
    std::vector<std::string> strings;
    std::vector<std::pair<std::string, std::string>> external; ///< key and value as the file has them
    std::string name;          ///< of a tensor inside an attribute; an initializer's name is its value's
    std::string rest;          ///< serialized TensorProto with the fields above left out
    std::uint8_t presence = 0; ///< presence bits of the loader (fields given though empty)

    /// Product of the dims; none on overflow or a negative dim.
    [[nodiscard]] std::optional<std::uint64_t> elementCount() const;
    /// Bytes of the elements in raw form, whatever the encoding; none for strings, sparse and unknown types.
    [[nodiscard]] std::optional<std::uint64_t> byteSize() const;
    [[nodiscard]] Type asType() const;
};
using TensorPtr = std::shared_ptr<const Tensor>;

/// The elements in raw form (little endian, row major, sub-byte types packed as in raw_data): a view where
/// the encoding allows it, else decoded. None where elements are missing, malformed, strings or sparse.
[[nodiscard]] std::optional<ByteRef> rawBytes(const Tensor& tensor);
/// The elements of an integer or boolean tensor of at most `limit` elements; none otherwise.
[[nodiscard]] std::optional<std::vector<std::int64_t>> asIntegers(const Tensor& tensor,
                                                                  std::size_t limit = 65536);
/// The elements of a numeric tensor (float16 and bfloat16 included) of at most `limit` elements, widened to
/// double.
[[nodiscard]] std::optional<std::vector<double>> asDoubles(const Tensor& tensor, std::size_t limit = 65536);

/// A tensor of our own with raw bytes.
[[nodiscard]] TensorPtr makeTensor(ElementType type, std::vector<std::int64_t> dims,
                                   std::vector<std::byte> raw);
[[nodiscard]] TensorPtr makeInt64Tensor(std::vector<std::int64_t> dims,
                                        const std::vector<std::int64_t>& values);
[[nodiscard]] TensorPtr makeFloatTensor(std::vector<std::int64_t> dims, const std::vector<float>& values);

} // namespace secateur
