// SPDX-License-Identifier: Apache-2.0
#include "core/exec/npy_format.h"

#include "core/exec/broadcast.h"
#include "core/messages/sentences.h"
#include "core/support/text.h"

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
    std::size_t textBytes = 0; ///< strings: of one element
    bool isUnicode = false;    ///< strings: four bytes a character, else one
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
    if (!code.empty() && (code.front() == 'U' || code.front() == 'S')) {
        std::size_t length = 0;
        const auto [stop, failed] = std::from_chars(code.data() + 1, code.data() + code.size(), length);
        constexpr std::size_t kLongest = std::size_t{1} << 30U;
        if (failed != std::errc() || stop != code.data() + code.size() || length > kLongest) return false;
        header.type = ElementType::string;
        header.isUnicode = code.front() == 'U';
        header.textBytes = header.isUnicode ? 4 * length : length;
        return true;
    }
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

/// Appends a code point as UTF-8.
void appendUtf8(std::uint32_t point, std::string& text) {
    const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | (point >> shift & 0x3FU)); };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0U | point >> 6U);
        tail(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0U | point >> 12U);
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xF0U | (point >> 18U & 7U));
        tail(12), tail(6), tail(0);
    }
}

/// One string of a file, without the zeros that fill it up.
std::string textOf(const Header& header, const char* bytes) {
    std::string text;
    if (!header.isUnicode) {
        text.assign(bytes, header.textBytes);
        text.resize(text.find_last_not_of('\0') + 1);
        return text;
    }
    std::size_t length = 0;
    std::vector<std::uint32_t> points;
    for (std::size_t at = 0; at < header.textBytes; at += 4) {
        std::uint32_t point = 0;
        std::memcpy(&point, bytes + at, sizeof point);
        points.push_back(header.isBigEndian ? __builtin_bswap32(point) : point);
        if (points.back() != 0) length = points.size();
    }
    for (std::size_t i = 0; i < length; ++i)
        appendUtf8(points[i], text);
    return text;
}

Result<TensorData> readText(const Header& header, const char* bytes, MemoryPool& pool) {
    TensorData tensor = TRY(TensorData::make(pool, ElementType::string, header.shape));
    const Shape steps = stridesOf(header.shape);
    for (std::uint64_t to = 0; to < tensor.count(); ++to) {
        std::uint64_t from = to;
        if (header.isFortranOrder) {
            std::int64_t place = 0, stride = 1;
            for (std::size_t d = 0; d < header.shape.size(); ++d) {
                place += static_cast<std::int64_t>(to) / steps[d] % header.shape[d] * stride;
                stride *= header.shape[d];
            }
            from = static_cast<std::uint64_t>(place);
        }
        std::string text = textOf(header, bytes + from * header.textBytes);
        TRY(tensor.countText(textBytes(text)));
        tensor.strings()[to] = std::move(text);
    }
    return tensor;
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
    const bool isText = header.type == ElementType::string;
    const std::size_t cell = isText ? std::max<std::size_t>(header.textBytes, 1) : cellBytes(header.type);
    if (!count || *count > (file.size() - *start) / cell)
        return invalidInput(
            formatMessage("exec.npy-short", {shapeText(header.shape), std::to_string(file.size() - *start)}),
            std::string(name));
    if (isText) return readText(header, file.data() + *start, pool);
    TensorData tensor = TRY(TensorData::make(pool, header.type, header.shape));
    if (*count != 0)
        std::memcpy(tensor.data(), file.data() + *start, static_cast<std::size_t>(tensor.byteSize()));
    if (header.isBigEndian) swapBytes(tensor);
    if (!header.isFortranOrder || tensor.rank() < 2) return tensor;
    TensorData rows = TRY(TensorData::make(pool, header.type, header.shape));
    reorder(tensor, rows);
    return rows;
}

namespace {

/// The code points of UTF-8; what is none becomes a replacement character.
std::vector<std::uint32_t> pointsOf(std::string_view text) {
    std::vector<std::uint32_t> points;
    for (const std::size_t at : codePointStarts(text)) {
        const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const std::uint32_t lead = byteAt(at);
        const std::size_t tails = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
        constexpr std::uint32_t kReplacement = 0xFFFD;
        std::uint32_t point = tails == 0 ? lead : lead & (0x3FU >> tails);
        for (std::size_t i = 1; i <= tails; ++i)
            point = at + i < text.size() ? point << 6U | (byteAt(at + i) & 0x3FU) : kReplacement;
        points.push_back(tails == 0 && lead >= 0x80 ? kReplacement : point);
    }
    return points;
}

/// The cells of strings as NumPy keeps them: as many characters each as the longest has.
std::pair<std::string, std::vector<std::byte>> textCells(const TensorData& tensor) {
    std::vector<std::vector<std::uint32_t>> all;
    std::size_t longest = 1;
    for (const std::string& text : tensor.strings()) {
        all.push_back(pointsOf(text));
        longest = std::max(longest, all.back().size());
    }
    std::vector<std::byte> cells(all.size() * longest * 4);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].empty()) std::memcpy(cells.data() + i * longest * 4, all[i].data(), all[i].size() * 4);
    return {"U" + std::to_string(longest), std::move(cells)};
}

} // namespace

Result<std::vector<std::byte>> writeNpy(const TensorData& tensor) {
    const bool isText = tensor.isString();
    const auto* known = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                     [&](const TypeName& name) { return name.type == tensor.type(); });
    if (known == std::end(kTypeNames) && !isText)
        return usageError(formatMessage("exec.npy-no-type", {elementTypeName(tensor.type())}));
    std::string shape;
    for (const std::int64_t dim : tensor.shape())
        shape += std::to_string(dim) + ",";
    const std::string order = cellBytes(tensor.type()) == 1 ? "|" : "<";
    const auto [textType, text] =
        isText ? textCells(tensor) : std::pair<std::string, std::vector<std::byte>>();
    const std::byte* cells = isText ? text.data() : tensor.data();
    const std::size_t cellsSize = isText ? text.size() : static_cast<std::size_t>(tensor.byteSize());
    std::string header = "{'descr': '" + order + (isText ? textType : std::string(known->code)) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The elements start at a multiple of 64 bytes.
    constexpr std::size_t kPreamble = 10, kAlignment = 64;
    const std::size_t total = (kPreamble + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    header.append(total - kPreamble - header.size() - 1, ' ');
    header += '\n';
    std::string file(kMagic);
    file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    file += header;
    std::vector<std::byte> bytes(file.size() + cellsSize);
    std::memcpy(bytes.data(), file.data(), file.size());
    if (cellsSize != 0) std::memcpy(bytes.data() + file.size(), cells, cellsSize);
    return bytes;
}

} // namespace secateur
