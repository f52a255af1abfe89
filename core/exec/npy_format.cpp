// SPDX-License-Identifier: Apache-2.0
#include "core/exec/npy_format.h"

#include "core/exec/broadcast.h"
#include "core/messages/sentences.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace secateur {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
    std::string_view code; ///< kind and size, without the byte order
    ElementType type;
};
constexpr TypeName kTypeNames[] = {
    {"f2", ElementType::float16},   {"f4", ElementType::float32},     {"f8", ElementType::float64},
    {"i1", ElementType::int8},      {"i2", ElementType::int16},       {"i4", ElementType::int32},
    {"i8", ElementType::int64},     {"u1", ElementType::uint8},       {"u2", ElementType::uint16},
    {"u4", ElementType::uint32},    {"u8", ElementType::uint64},      {"b1", ElementType::boolean},
    {"c8", ElementType::complex64}, {"c16", ElementType::complex128},
};

/// What the header of a file says.
struct Header {
    ElementType type = ElementType::undefined;
    bool isBigEndian = false;
    bool isFortranOrder = false;
    Shape shape;
};

/// The text behind `'key':` in the header's Python dictionary; empty where it is not there.
std::string_view fieldOf(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    const std::size_t colon = header.find(':', at);
    if (colon == std::string_view::npos) return {};
    std::string_view rest = header.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest;
}

bool readType(std::string_view field, Header& header) {
    if (field.size() < 4 || field.front() != '\'') return false;
    const std::size_t end = field.find('\'', 1);
    if (end == std::string_view::npos) return false;
    std::string_view code = field.substr(1, end - 1);
    header.isBigEndian = code.front() == '>';
    if (std::string_view("<>|=").find(code.front()) != std::string_view::npos) code.remove_prefix(1);
    const auto* known = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                     [&](const TypeName& name) { return name.code == code; });
    if (known == std::end(kTypeNames)) return false;
    header.type = known->type;
    return true;
}

bool readShape(std::string_view field, Header& header) {
    const std::size_t end = field.find(')');
    if (field.empty() || field.front() != '(' || end == std::string_view::npos) return false;
    std::string_view rest = field.substr(1, end - 1);
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
        if (rest.empty()) break;
        std::int64_t dim = 0;
        const auto [stop, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
        if (failed != std::errc() || dim < 0) return false; // a sign, or an `L` of old Pythons, is no digit
        header.shape.push_back(dim);
        rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    }
    return true;
}

/// Where the elements begin; none where the preamble is no NumPy file's.
std::optional<std::size_t> readPreamble(std::string_view file, std::string_view& header) {
    if (file.size() < 10 || !file.starts_with(kMagic)) return std::nullopt;
    const auto byteAt = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(file[i]));
    };
    const std::size_t version = byteAt(6);
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    if (version < 1 || version > 3 || file.size() < 8 + lengthBytes) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        length |= byteAt(8 + i) << (8 * i);
    const std::size_t start = 8 + lengthBytes;
    if (file.size() - start < length) return std::nullopt;
    header = file.substr(start, length);
    return start + length;
}

void swapBytes(TensorData& tensor) {
    const bool isComplex =
        tensor.type() == ElementType::complex64 || tensor.type() == ElementType::complex128;
    const std::size_t number = cellBytes(tensor.type()) / (isComplex ? 2 : 1);
    for (std::uint64_t at = 0; at < tensor.byteSize(); at += number)
        std::reverse(tensor.data() + at, tensor.data() + at + number);
}

/// Elements from Fortran order (first dimension fastest) into row-major order.
void reorder(const TensorData& fortran, TensorData& rows) {
    const std::size_t cell = cellBytes(rows.type());
    const Shape& shape = rows.shape();
    const Shape steps = stridesOf(shape);
    for (std::uint64_t to = 0; to < rows.count(); ++to) {
        std::int64_t from = 0, stride = 1;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            from += static_cast<std::int64_t>(to) / steps[d] % shape[d] * stride;
            stride *= shape[d];
        }
        std::memcpy(rows.data() + to * cell, fortran.data() + static_cast<std::size_t>(from) * cell, cell);
    }
}

} // namespace

Result<TensorData> readNpy(std::span<const std::byte> bytes, std::string_view name, MemoryPool& pool) {
    const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string_view text;
    const auto start = readPreamble(file, text);
    Header header;
    if (!start || !readShape(fieldOf(text, "'shape'"), header))
        return invalidInput(message("exec.npy-damaged").data(), std::string(name));
    if (!readType(fieldOf(text, "'descr'"), header))
        return invalidInput(message("exec.npy-type").data(), std::string(name));
    header.isFortranOrder = fieldOf(text, "'fortran_order'").starts_with("True");
    const auto count = elementCountOf(header.shape);
    const std::size_t cell = cellBytes(header.type);
    if (!count || *count > (file.size() - *start) / cell)
        return invalidInput(
            formatMessage("exec.npy-short", {shapeText(header.shape), std::to_string(file.size() - *start)}),
            std::string(name));
    TensorData tensor = TRY(TensorData::make(pool, header.type, header.shape));
    if (*count != 0)
        std::memcpy(tensor.data(), file.data() + *start, static_cast<std::size_t>(tensor.byteSize()));
    if (header.isBigEndian) swapBytes(tensor);
    if (!header.isFortranOrder || tensor.rank() < 2) return tensor;
    TensorData rows = TRY(TensorData::make(pool, header.type, header.shape));
    reorder(tensor, rows);
    return rows;
}

Result<std::vector<std::byte>> writeNpy(const TensorData& tensor) {
    const auto* known = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                     [&](const TypeName& name) { return name.type == tensor.type(); });
    if (known == std::end(kTypeNames))
        return usageError(formatMessage("exec.npy-no-type", {elementTypeName(tensor.type())}));
    std::string shape;
    for (const std::int64_t dim : tensor.shape())
        shape += std::to_string(dim) + ",";
    const std::string order = cellBytes(tensor.type()) == 1 ? "|" : "<";
    std::string header = "{'descr': '" + order + std::string(known->code) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The elements start at a multiple of 64 bytes.
    constexpr std::size_t kPreamble = 10, kAlignment = 64;
    const std::size_t total = (kPreamble + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    header.append(total - kPreamble - header.size() - 1, ' ');
    header += '\n';
    std::string file(kMagic);
    file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    file += header;
    std::vector<std::byte> bytes(file.size() + static_cast<std::size_t>(tensor.byteSize()));
    std::memcpy(bytes.data(), file.data(), file.size());
    if (tensor.byteSize() != 0)
        std::memcpy(bytes.data() + file.size(), tensor.data(), static_cast<std::size_t>(tensor.byteSize()));
    return bytes;
}

} // namespace secateur
