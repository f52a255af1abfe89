// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace secateur::wire {

/// Wire types of protobuf.
enum class WireType : std::uint8_t {
    varint = 0,
    fixed64 = 1,
    length = 2,
    group = 3,
    endGroup = 4,
    fixed32 = 5
};

/// One field of a serialized message. The views point into the message.
struct Field {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    bool isMinimal = true;    ///< tag, length and value are written as short as they can be
    std::uint64_t value = 0;  ///< varint
    std::string_view payload; ///< length: the contents; fixed: the bytes; group: the fields inside
    std::string_view whole;   ///< tag and all
};

/// Bytes that are no protobuf message. Thrown inside core/onnx and caught where a file is opened.
struct Malformed {
    const char* at;                     ///< where, in the bytes that were read
    const char* sentence;               ///< message id of what is wrong
    std::uint32_t number = 0;           ///< of the field that is longer than what is left
    std::uint64_t length = 0, left = 0; ///< how long it says it is, and what there is
    bool isTooDeep = false;             ///< well formed, but nested deeper than we follow
};

/// Walks the fields of one message, lengths checked. Throws Malformed.
class Reader {
  public:
    explicit Reader(std::string_view message)
        : m_at(message.data()), m_end(message.data() + message.size()) {}

    /// Reads the next field; false at the end.
    bool next(Field& field) {
        if (m_at == m_end) return false;
        read(field);
        return true;
    }

  private:
    /// Most fields have a tag and a length of one byte.
    void read(Field& field) {
        if (m_end - m_at >= 2) {
            const auto tag = static_cast<unsigned char>(m_at[0]);
            const auto length = static_cast<unsigned char>(m_at[1]);
            if ((tag & 0x87U) == 2 && tag >= 8 && length < 0x80 && length <= m_end - m_at - 2) {
                field.number = tag >> 3;
                field.type = WireType::length;
                field.isMinimal = true;
                field.payload = {m_at + 2, length};
                field.whole = {m_at, length + std::size_t{2}};
                m_at += length + 2;
                return;
            }
        }
        readAny(field);
    }
    void readAny(Field& field);
    std::uint64_t readVarint(bool& isMinimal);
    std::string_view take(std::uint64_t count, std::uint32_t number);
    std::string_view readGroup(std::uint32_t number);

    const char* m_at;
    const char* m_end;
};

/// Reads one varint from the front of `bytes` and moves behind it. Throws Malformed.
std::uint64_t takeVarint(std::string_view& bytes, bool& isMinimal);

/// Bytes that a varint takes.
constexpr unsigned varintSize(std::uint64_t value) {
    unsigned size = 1;
    for (; value >= 0x80; value >>= 7)
        ++size;
    return size;
}

/// Throws Malformed unless `message` is a row of whole fields. What is inside them is not looked at.
void checkFields(std::string_view message);

void appendVarint(std::string& out, std::uint64_t value);
void appendTag(std::string& out, std::uint32_t number, WireType type);
/// A whole length-delimited field.
void appendBytes(std::string& out, std::uint32_t number, std::string_view bytes);

inline bool isVarint(const Field& field) {
    return field.type == WireType::varint;
}
inline bool isLength(const Field& field) {
    return field.type == WireType::length;
}

/// Contents of the last field `number` of a message that are bytes; none when it has no such field.
std::optional<std::string_view> findBytes(std::string_view message, std::uint32_t number);

} // namespace secateur::wire
