// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/value_info_wire.h"

#include "core/onnx/presence.h"
#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"

#include <algorithm>
#include <optional>

namespace secateur {
namespace {

using wire::Field;
using wire::isLength;
using wire::isVarint;
using wire::Reader;

constexpr unsigned kDeepestType = 100; // a sequence of sequences of ...; deeper ones stay verbatim only

Dim readDim(std::string_view bytes) {
    Dim dim;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (field.number == 1 && isVarint(field))
            dim = {static_cast<std::int64_t>(field.value), {}};
        else if (field.number == 2 && isLength(field))
            dim = {std::nullopt, std::string(field.payload)};
    }
    return dim;
}

void readShape(std::string_view bytes, Type& type) {
    type.hasShape = true;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (field.number == 1 && isLength(field)) type.dims.push_back(readDim(field.payload));
    }
}

Type readTypeAt(std::string_view bytes, unsigned depth);

/// Tensor, SparseTensor and Map put a number first; Sequence and Optional hold a type there.
Type readTypeBody(Type::Kind kind, std::string_view bytes, unsigned depth) {
    Type type;
    type.kind = kind;
    const bool isTensor = kind == Type::Kind::tensor || kind == Type::Kind::sparseTensor;
    const std::uint32_t innerField = kind == Type::Kind::map ? 2 : 1;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (field.number == 1 && isVarint(field)) {
            type.element = static_cast<ElementType>(static_cast<std::int32_t>(field.value));
        } else if (isTensor && field.number == 2 && isLength(field)) {
            readShape(field.payload, type);
        } else if (!isTensor && field.number == innerField && isLength(field)) {
            type.inner = std::make_shared<const Type>(readTypeAt(field.payload, depth + 1));
        }
    }
    return type;
}

std::optional<Type::Kind> kindOfField(std::uint32_t number) {
    switch (number) {
    case 1: return Type::Kind::tensor;
    case 4: return Type::Kind::sequence;
    case 5: return Type::Kind::map;
    case 7: return Type::Kind::opaque;
    case 8: return Type::Kind::sparseTensor;
    case 9: return Type::Kind::optional;
    default: return std::nullopt;
    }
}

Type readTypeAt(std::string_view bytes, unsigned depth) {
    Type type;
    if (depth > kDeepestType) return type;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        const auto kind = kindOfField(field.number);
        if (!kind || !isLength(field)) continue;
        if (*kind == Type::Kind::opaque)
            type = Type{.kind = *kind, .dims = {}, .inner = {}};
        else
            type = readTypeBody(*kind, field.payload, depth);
    }
    return type;
}

void appendShape(std::string& out, const std::vector<Dim>& dims) {
    std::string shape, body;
    for (const Dim& dim : dims) {
        body.clear();
        if (dim.value) {
            wire::appendTag(body, 1, wire::WireType::varint);
            wire::appendVarint(body, static_cast<std::uint64_t>(*dim.value));
        } else if (!dim.symbol.empty()) {
            wire::appendBytes(body, 2, dim.symbol);
        }
        wire::appendBytes(shape, 1, body);
    }
    wire::appendBytes(out, 2, shape);
}

std::uint32_t fieldOfKind(Type::Kind kind) {
    switch (kind) {
    case Type::Kind::tensor: return 1;
    case Type::Kind::sequence: return 4;
    case Type::Kind::map: return 5;
    case Type::Kind::sparseTensor: return 8;
    case Type::Kind::optional: return 9;
    case Type::Kind::none:
    case Type::Kind::opaque: break;
    }
    return 0;
}

std::string withoutName(std::string_view canonical) {
    std::string out;
    Reader reader(canonical);
    for (Field field; reader.next(field);) {
        if (field.number != 1 || !isLength(field)) out += field.whole;
    }
    return out;
}

} // namespace

Type readType(std::string_view bytes) {
    return readTypeAt(bytes, 0);
}

void appendType(std::string& out, const Type& type) {
    const std::uint32_t number = fieldOfKind(type.kind);
    if (number == 0) return;
    std::string body;
    const bool isTensor = type.kind == Type::Kind::tensor || type.kind == Type::Kind::sparseTensor;
    if (isTensor || type.kind == Type::Kind::map) {
        wire::appendTag(body, 1, wire::WireType::varint);
        wire::appendVarint(body, static_cast<std::uint64_t>(static_cast<std::int64_t>(type.element)));
    }
    if (isTensor && type.hasShape) appendShape(body, type.dims);
    if (!isTensor && type.inner) {
        std::string inner;
        appendType(inner, *type.inner);
        wire::appendBytes(body, type.kind == Type::Kind::map ? 2 : 1, inner);
    }
    wire::appendBytes(out, number, body);
}

std::string valueInfoBody(const ValueInfo& info) {
    if (!info.verbatim.empty() || info.type.kind == Type::Kind::none) return info.verbatim;
    std::string type, out;
    appendType(type, info.type);
    wire::appendBytes(out, 2, type);
    return out;
}

ValueInfoReader::Known ValueInfoReader::make(std::string_view body, bool isListed, bool hasName) const {
    Known known;
    ValueInfo info;
    info.isListed = isListed;
    Reader reader(body);
    for (Field field; reader.next(field);) {
        if (!isLength(field)) continue;
        if (field.number == 2) info.type = readType(field.payload);
        if (field.number == 3 || field.number == 4) known.metadataBytes += field.whole.size();
    }
    if (valueInfoBody(info) != body) info.verbatim = body;
    if (!hasName) info.presence = presence::valueInfo::kNameAbsent;
    if (isListed || !hasName || !body.empty())
        known.info = std::make_shared<const ValueInfo>(std::move(info));
    return known;
}

ValueInfoReader::Result ValueInfoReader::read(std::string_view bytes, bool isListed) {
    Reader reader(bytes);
    Field name;
    const bool hasName = reader.next(name) && name.number == 1 && isLength(name);
    if (hasName && name.isMinimal) {
        const std::string_view body = bytes.substr(name.whole.size());
        const auto at = m_known[isListed].find(body);
        if (at != m_known[isListed].end()) return {name.payload, at->second.info, at->second.metadataBytes};
        if (wire::isCanonical(wire::Message::valueInfo, bytes)) {
            const Known known = make(body, isListed, true);
            m_known[isListed].emplace(body, known);
            return {name.payload, known.info, known.metadataBytes};
        }
    }
    const std::string_view canonical = m_source.keep(wire::canonicalize(wire::Message::valueInfo, bytes));
    const auto anyName = wire::findBytes(canonical, 1);
    const Known known = make(m_source.keep(withoutName(canonical)), isListed, anyName.has_value());
    return {anyName.value_or(std::string_view()), known.info, known.metadataBytes};
}

} // namespace secateur
