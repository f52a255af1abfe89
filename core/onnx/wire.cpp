// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/wire.h"

namespace secateur::wire {
namespace {

constexpr std::uint32_t kLastNumber = (1U << 29) - 1;
constexpr unsigned kDeepestGroup = 100;

std::uint64_t varintAt(const char*& at, const char* end, unsigned maxBytes, bool& isMinimal) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < maxBytes; ++i) {
        if (at == end) throw Malformed{at, "wire.ends-in-number"};
        const auto byte = static_cast<unsigned char>(*at++);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7 * i);
        if (byte < 0x80) {
            if (byte == 0 && i > 0) isMinimal = false;
            if (i == 9 && byte > 1) isMinimal = false; // bits beyond the 64th are dropped
            return value;
        }
    }
    throw Malformed{at, "wire.long-number"};
}

} // namespace

std::uint64_t Reader::readVarint(bool& isMinimal) {
    if (m_at != m_end && static_cast<unsigned char>(*m_at) < 0x80) return static_cast<unsigned char>(*m_at++);
    return varintAt(m_at, m_end, 10, isMinimal);
}

std::string_view Reader::take(std::uint64_t count, std::uint32_t number) {
    const auto left = static_cast<std::uint64_t>(m_end - m_at);
    if (count > left) throw Malformed{m_at, "wire.long-field", number, count, left};
    const std::string_view bytes(m_at, static_cast<std::size_t>(count));
    m_at += count;
    return bytes;
}

void Reader::readAny(Field& field) {
    const char* start = m_at;
    field.isMinimal = true;
    const std::uint64_t tag = varintAt(m_at, m_end, 5, field.isMinimal);
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    if (tag > UINT32_MAX || field.number == 0 || field.number > kLastNumber) {
        throw Malformed{start, "wire.bad-number"};
    }
    switch (field.type) {
    case WireType::varint: field.value = readVarint(field.isMinimal); break;
    case WireType::fixed64: field.payload = take(8, field.number); break;
    case WireType::fixed32: field.payload = take(4, field.number); break;
    case WireType::length: field.payload = take(readVarint(field.isMinimal), field.number); break;
    case WireType::group: field.payload = readGroup(field.number); break;
    default: throw Malformed{start, "wire.bad-kind"};
    }
    field.whole = std::string_view(start, static_cast<std::size_t>(m_at - start));
}

/// Groups are long obsolete, but legal as unknown fields. Nested ones are counted, not recursed into.
std::string_view Reader::readGroup(std::uint32_t number) {
    const char* start = m_at;
    std::uint32_t open[kDeepestGroup];
    unsigned depth = 0;
    open[depth++] = number;
    while (true) {
        const char* before = m_at;
        bool ignored = true;
        const std::uint64_t tag = varintAt(m_at, m_end, 5, ignored);
        const auto inner = static_cast<std::uint32_t>(tag >> 3);
        if (tag > UINT32_MAX || inner == 0) throw Malformed{before, "wire.bad-number"};
        switch (static_cast<WireType>(tag & 7)) {
        case WireType::varint: readVarint(ignored); break;
        case WireType::fixed64: take(8, inner); break;
        case WireType::fixed32: take(4, inner); break;
        case WireType::length: take(readVarint(ignored), inner); break;
        case WireType::group:
            if (depth == kDeepestGroup) throw Malformed{before, "wire.deep-groups"};
            open[depth++] = inner;
            break;
        case WireType::endGroup:
            if (inner != open[--depth]) throw Malformed{before, "wire.stray-end"};
            if (depth == 0) return {start, static_cast<std::size_t>(before - start)};
            break;
        default: throw Malformed{before, "wire.bad-kind"};
        }
    }
}

std::uint64_t takeVarint(std::string_view& bytes, bool& isMinimal) {
    const char* at = bytes.data();
    const std::uint64_t value = varintAt(at, bytes.data() + bytes.size(), 10, isMinimal);
    bytes.remove_prefix(static_cast<std::size_t>(at - bytes.data()));
    return value;
}

void checkFields(std::string_view message) {
    Reader reader(message);
    for (Field field; reader.next(field);) {
    }
}

void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

void appendTag(std::string& out, std::uint32_t number, WireType type) {
    appendVarint(out, (number << 3) | static_cast<std::uint32_t>(type));
}

void appendBytes(std::string& out, std::uint32_t number, std::string_view bytes) {
    appendTag(out, number, WireType::length);
    appendVarint(out, bytes.size());
    out += bytes;
}

std::optional<std::string_view> findBytes(std::string_view message, std::uint32_t number) {
    std::optional<std::string_view> found;
    Reader reader(message);
    for (Field field; reader.next(field);) {
        if (field.number == number && isLength(field)) found = field.payload;
    }
    return found;
}

} // namespace secateur::wire
