// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/wire_filter.h"

#include <cstdint>

namespace secateur {
namespace {

std::optional<std::uint64_t> readVarint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
}

/// Takes the payload of a field of the given wire type off `bytes`.
std::optional<std::string_view> readPayload(std::string_view& bytes, unsigned wireType) {
    const std::string_view before = bytes;
    std::size_t size = 0;
    if (wireType == 0) {
        if (!readVarint(bytes)) return std::nullopt;
        return before.substr(0, before.size() - bytes.size());
    }
    if (wireType == 1) size = 8;
    else if (wireType == 5) size = 4;
    else if (wireType == 2) {
        const auto length = readVarint(bytes);
        if (!length || *length > bytes.size()) return std::nullopt;
        size = static_cast<std::size_t>(*length);
    } else {
        return std::nullopt; // groups: none of the messages here has them
    }
    if (size > bytes.size()) return std::nullopt;
    const std::string_view payload = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return payload;
}

} // namespace

std::optional<WireField> nextField(std::string_view& message) {
    const std::string_view before = message;
    const auto tag = message.empty() ? std::nullopt : readVarint(message);
    if (!tag) return std::nullopt;
    const auto payload = readPayload(message, static_cast<unsigned>(*tag & 7U));
    if (!payload) {
        message = before;
        return std::nullopt;
    }
    return WireField{static_cast<unsigned>(*tag >> 3U), *payload, before.substr(0, before.size() - message.size())};
}

std::optional<std::string> withoutFields(std::string_view message, const std::function<bool(const WireField&)>& goes) {
    std::string kept;
    while (const auto field = nextField(message)) {
        if (!goes(*field)) kept.append(field->whole);
    }
    return message.empty() ? std::optional(kept) : std::nullopt;
}

} // namespace secateur
