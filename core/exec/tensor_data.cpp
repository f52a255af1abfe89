// SPDX-License-Identifier: Apache-2.0
#include "core/exec/tensor_data.h"

#include "core/messages/sentences.h"
#include "core/onnx/sparse_tensor.h"

#include <cstring>

namespace secateur {
namespace {

/// Sign-extends the low `bits` of a packed element where its type is signed.
std::uint8_t unpackedCell(ElementType type, unsigned code, unsigned bits) {
    const bool isSigned = type == ElementType::int4 || type == ElementType::int2;
    const unsigned signBit = 1U << (bits - 1);
    if (isSigned && (code & signBit) != 0) code |= ~((1U << bits) - 1);
    return static_cast<std::uint8_t>(code);
}

/// Elements narrower than a byte lie in files from the low bits of each byte up (ONNX TensorProto.raw_data).
void unpack(ElementType type, const ByteRef& packed, std::uint64_t count, std::byte* cells) {
    const unsigned bits = elementBits(type);
    const unsigned perByte = 8 / bits;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto byte = std::to_integer<unsigned>(packed.data[i / perByte]);
        const unsigned code = (byte >> (i % perByte * bits)) & ((1U << bits) - 1);
        cells[i] = std::byte{unpackedCell(type, code, bits)};
    }
}

std::vector<std::byte> pack(ElementType type, const std::byte* cells, std::uint64_t count) {
    const unsigned bits = elementBits(type);
    const unsigned perByte = 8 / bits;
    std::vector<std::byte> packed(static_cast<std::size_t>((count + perByte - 1) / perByte));
    for (std::uint64_t i = 0; i < count; ++i) {
        const unsigned code = std::to_integer<unsigned>(cells[i]) & ((1U << bits) - 1);
        packed[i / perByte] |= static_cast<std::byte>(code << (i % perByte * bits));
    }
    return packed;
}

bool isPacked(ElementType type) {
    const unsigned bits = elementBits(type);
    return bits != 0 && bits < 8 && type != ElementType::boolean;
}

/// Puts the elements that a sparse tensor stores in their places; the others are zero as they are made.
Result<void> fillSparse(MemoryPool& pool, const Tensor& tensor, TensorData& made) {
    const SparseParts parts = TRY(sparsePartsOf(tensor));
    const TensorData values = TRY(TensorData::from(pool, parts.values));
    const std::size_t cell = cellBytes(tensor.type);
    for (std::size_t i = 0; i < parts.positions.size(); ++i)
        std::memcpy(made.data() + parts.positions[i] * cell, values.data() + i * cell, cell);
    return {};
}

} // namespace

std::optional<std::uint64_t> elementCountOf(std::span<const std::int64_t> shape) {
    std::uint64_t count = 1;
    for (const std::int64_t dim : shape) {
        if (dim < 0) return std::nullopt;
        if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(dim), &count)) return std::nullopt;
    }
    return count;
}

std::string shapeText(std::span<const std::int64_t> shape) {
    if (shape.empty()) return std::string(message("exec.scalar"));
    std::string text;
    for (const std::int64_t dim : shape) {
        if (!text.empty()) text += 'x';
        text += std::to_string(dim);
    }
    return text;
}

std::size_t cellBytes(ElementType type) {
    const unsigned bits = elementBits(type);
    return bits == 0 ? 0 : (bits + 7) / 8;
}

Result<TensorData> TensorData::make(MemoryPool& pool, ElementType type, Shape shape) {
    TensorData made;
    const auto count = elementCountOf(shape);
    const std::size_t cell = cellBytes(type);
    if (cell == 0 && type != ElementType::string)
        return missingHere(formatMessage("exec.no-element-type", {elementTypeName(type)}));
    std::uint64_t bytes = 0;
    const std::uint64_t each = type == ElementType::string ? sizeof(std::string) : cell;
    if (!count || __builtin_mul_overflow(*count, each, &bytes))
        return invalidInput(formatMessage("exec.bad-shape", {shapeText(shape)}));
    made.m_type = type;
    made.m_shape = std::move(shape);
    made.m_count = *count;
    if (type != ElementType::string) {
        made.m_cells = TRY(pool.allocate(bytes));
        return made;
    }
    std::shared_ptr<void> counted = TRY(pool.charge(bytes));
    made.m_text = std::make_shared<Text>(Text{{}, pool, {std::move(counted)}, 0});
    made.m_text->strings.resize(static_cast<std::size_t>(*count));
    return made;
}

Result<void> TensorData::countText(std::uint64_t bytes) const {
    if (m_text == nullptr || bytes == 0) return {};
    m_text->charges.push_back(TRY(m_text->pool.charge(bytes)));
    m_text->charged += bytes;
    return {};
}

Result<void> TensorData::countText() const {
    if (m_text == nullptr) return {};
    std::uint64_t bytes = 0;
    for (const std::string& text : m_text->strings)
        bytes += textBytes(text);
    return bytes > m_text->charged ? countText(bytes - m_text->charged) : Result<void>();
}

Result<TensorData> TensorData::from(MemoryPool& pool, const Tensor& tensor) {
    TensorData made = TRY(make(pool, tensor.type, tensor.dims));
    if (tensor.type == ElementType::string) {
        if (tensor.strings.size() != made.count())
            return invalidInput(formatMessage("exec.no-contents", {tensor.name, shapeText(tensor.dims)}));
        std::uint64_t bytes = 0;
        for (const std::string& text : tensor.strings)
            bytes += textBytes(text);
        TRY(made.countText(bytes));
        made.strings() = tensor.strings;
        return made;
    }
    if (tensor.encoding == Tensor::Encoding::sparse) {
        TRY(fillSparse(pool, tensor, made));
        return made;
    }
    const auto raw = rawBytes(tensor);
    if (!raw || raw->size < packedBytes(tensor.type, made.count()).value_or(UINT64_MAX))
        return invalidInput(formatMessage("exec.no-contents", {tensor.name, shapeText(tensor.dims)}));
    if (isPacked(tensor.type)) {
        unpack(tensor.type, *raw, made.count(), made.data());
    } else if (raw->size != 0) {
        std::memcpy(made.data(), raw->data, static_cast<std::size_t>(made.byteSize()));
    }
    return made;
}

TensorData TensorData::over(std::byte* cells, ElementType type, Shape shape) {
    assert(cellBytes(type) != 0);
    TensorData view;
    view.m_type = type;
    view.m_count = elementCountOf(shape).value_or(0);
    view.m_shape = std::move(shape);
    view.m_cells = std::shared_ptr<std::byte>(std::shared_ptr<void>(), cells);
    return view;
}

TensorData TensorData::reshaped(Shape shape) const {
    assert(elementCountOf(shape) == m_count);
    TensorData same = *this;
    same.m_shape = std::move(shape);
    return same;
}

TensorData TensorData::retyped(ElementType type) const {
    assert(cellBytes(type) == cellBytes(m_type));
    TensorData same = *this;
    same.m_type = type;
    return same;
}

TensorPtr TensorData::toTensor() const {
    if (isString()) {
        Tensor tensor;
        tensor.type = m_type;
        tensor.dims = m_shape;
        tensor.encoding = Tensor::Encoding::strings;
        tensor.strings = m_text->strings;
        return std::make_shared<const Tensor>(std::move(tensor));
    }
    if (isPacked(m_type)) return makeTensor(m_type, m_shape, pack(m_type, data(), m_count));
    return makeTensor(m_type, m_shape, std::vector<std::byte>(data(), data() + byteSize()));
}

} // namespace secateur
