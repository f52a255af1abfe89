// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/wire_schema.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace secateur::wire {
namespace {

constexpr unsigned kDeepest = 1000; // messages nested in one another

constexpr FieldSchema one(std::uint32_t number, Kind kind) {
    return {number, kind};
}
constexpr FieldSchema many(std::uint32_t number, Kind kind) {
    return {number, kind, Label::repeated};
}
constexpr FieldSchema packed(std::uint32_t number, Kind kind) {
    return {number, kind, Label::packed};
}
constexpr FieldSchema one(std::uint32_t number, Message message) {
    return {number, Kind::message, Label::singular, message};
}
constexpr FieldSchema many(std::uint32_t number, Message message) {
    return {number, Kind::message, Label::repeated, message};
}
constexpr FieldSchema either(std::uint32_t number, Kind kind) {
    return {number, kind, Label::singular, Message::entry, 1};
}
constexpr FieldSchema either(std::uint32_t number, Message message) {
    return {number, Kind::message, Label::singular, message, 1};
}
constexpr FieldSchema enumeration(std::uint32_t number, std::uint8_t last) {
    return {number, Kind::enumeration, Label::singular, Message::entry, 0, last};
}

constexpr FieldSchema kAttribute[] = {
    one(1, Kind::bytes),       one(2, Kind::float32),          one(3, Kind::int64),
    one(4, Kind::bytes),       one(5, Message::tensor),        one(6, Message::graph),
    many(7, Kind::float32),    many(8, Kind::int64),           many(9, Kind::bytes),
    many(10, Message::tensor), many(11, Message::graph),       one(13, Kind::bytes),
    one(14, Message::type),    many(15, Message::type),        enumeration(20, 14),
    one(21, Kind::bytes),      one(22, Message::sparseTensor), many(23, Message::sparseTensor)};
constexpr FieldSchema kValueInfo[] = {one(1, Kind::bytes), one(2, Message::type), one(3, Kind::bytes),
                                      many(4, Message::entry)};
constexpr FieldSchema kNode[] = {
    many(1, Kind::bytes),        many(2, Kind::bytes),         one(3, Kind::bytes), one(4, Kind::bytes),
    many(5, Message::attribute), one(6, Kind::bytes),          one(7, Kind::bytes), one(8, Kind::bytes),
    many(9, Message::entry),     many(10, Message::nodeDevice)};
constexpr FieldSchema kIntIntListEntry[] = {one(1, Kind::int64), many(2, Kind::int64)};
constexpr FieldSchema kNodeDevice[] = {one(1, Kind::bytes), many(2, Message::sharding), one(3, Kind::int32)};
constexpr FieldSchema kSharding[] = {one(1, Kind::bytes), many(2, Kind::int64),
                                     many(3, Message::intIntListEntry), many(4, Message::shardedDim)};
constexpr FieldSchema kShardedDim[] = {one(1, Kind::int64), many(2, Message::simpleShardedDim)};
constexpr FieldSchema kSimpleShardedDim[] = {either(1, Kind::int64), either(2, Kind::bytes),
                                             one(3, Kind::int64)};
constexpr FieldSchema kTrainingInfo[] = {one(1, Message::graph), one(2, Message::graph),
                                         many(3, Message::entry), many(4, Message::entry)};
constexpr FieldSchema kModel[] = {one(1, Kind::int64),         one(2, Kind::bytes),
                                  one(3, Kind::bytes),         one(4, Kind::bytes),
                                  one(5, Kind::int64),         one(6, Kind::bytes),
                                  one(7, Message::graph),      many(8, Message::opset),
                                  many(14, Message::entry),    many(20, Message::trainingInfo),
                                  many(25, Message::function), many(26, Message::device)};
constexpr FieldSchema kDevice[] = {one(1, Kind::bytes), one(2, Kind::int32), many(3, Kind::bytes)};
constexpr FieldSchema kEntry[] = {one(1, Kind::bytes), one(2, Kind::bytes)};
constexpr FieldSchema kAnnotation[] = {one(1, Kind::bytes), many(2, Message::entry)};
constexpr FieldSchema kGraph[] = {many(1, Message::node),          one(2, Kind::bytes),
                                  many(5, Message::tensor),        one(10, Kind::bytes),
                                  many(11, Message::valueInfo),    many(12, Message::valueInfo),
                                  many(13, Message::valueInfo),    many(14, Message::annotation),
                                  many(15, Message::sparseTensor), many(16, Message::entry)};
constexpr FieldSchema kTensor[] = {
    many(1, Kind::int64),     one(2, Kind::int32),       one(3, Message::segment), packed(4, Kind::float32),
    packed(5, Kind::int32),   many(6, Kind::bytes),      packed(7, Kind::int64),   one(8, Kind::bytes),
    one(9, Kind::bytes),      packed(10, Kind::float64), packed(11, Kind::uint64), one(12, Kind::bytes),
    many(13, Message::entry), enumeration(14, 1),        many(16, Message::entry)};
constexpr FieldSchema kSegment[] = {one(1, Kind::int64), one(2, Kind::int64)};
constexpr FieldSchema kSparseTensor[] = {one(1, Message::tensor), one(2, Message::tensor),
                                         many(3, Kind::int64)};
constexpr FieldSchema kShape[] = {many(1, Message::dimension)};
constexpr FieldSchema kDimension[] = {either(1, Kind::int64), either(2, Kind::bytes), one(3, Kind::bytes)};
constexpr FieldSchema kType[] = {either(1, Message::tensorType),  either(4, Message::sequenceType),
                                 either(5, Message::mapType),     one(6, Kind::bytes),
                                 either(7, Message::opaqueType),  either(8, Message::sparseTensorType),
                                 either(9, Message::optionalType)};
constexpr FieldSchema kTensorType[] = {one(1, Kind::int32), one(2, Message::shape)};
constexpr FieldSchema kSequenceType[] = {one(1, Message::type)};
constexpr FieldSchema kMapType[] = {one(1, Kind::int32), one(2, Message::type)};
constexpr FieldSchema kOpaqueType[] = {one(1, Kind::bytes), one(2, Kind::bytes)};
constexpr FieldSchema kOpset[] = {one(1, Kind::bytes), one(2, Kind::int64)};
constexpr FieldSchema kFunction[] = {
    one(1, Kind::bytes),          many(4, Kind::bytes),   many(5, Kind::bytes),
    many(6, Kind::bytes),         many(7, Message::node), one(8, Kind::bytes),
    many(9, Message::opset),      one(10, Kind::bytes),   many(11, Message::attribute),
    many(12, Message::valueInfo), one(13, Kind::bytes),   many(14, Message::entry)};

std::span<const FieldSchema> fieldsOf(Message message) {
    switch (message) {
    case Message::attribute: return kAttribute;
    case Message::valueInfo: return kValueInfo;
    case Message::node: return kNode;
    case Message::intIntListEntry: return kIntIntListEntry;
    case Message::nodeDevice: return kNodeDevice;
    case Message::sharding: return kSharding;
    case Message::shardedDim: return kShardedDim;
    case Message::simpleShardedDim: return kSimpleShardedDim;
    case Message::trainingInfo: return kTrainingInfo;
    case Message::model: return kModel;
    case Message::device: return kDevice;
    case Message::entry: return kEntry;
    case Message::annotation: return kAnnotation;
    case Message::graph: return kGraph;
    case Message::tensor: return kTensor;
    case Message::segment: return kSegment;
    case Message::sparseTensor: return kSparseTensor;
    case Message::shape: return kShape;
    case Message::dimension: return kDimension;
    case Message::type: return kType;
    case Message::tensorType:
    case Message::sparseTensorType: return kTensorType;
    case Message::sequenceType:
    case Message::optionalType: return kSequenceType;
    case Message::mapType: return kMapType;
    case Message::opaqueType: return kOpaqueType;
    case Message::opset: return kOpset;
    case Message::function: return kFunction;
    }
    return {};
}

/// The wire type of one element of a field.
WireType elementWireType(Kind kind) {
    switch (kind) {
    case Kind::int64:
    case Kind::int32:
    case Kind::uint64:
    case Kind::enumeration: return WireType::varint;
    case Kind::float32: return WireType::fixed32;
    case Kind::float64: return WireType::fixed64;
    case Kind::bytes:
    case Kind::message: return WireType::length;
    }
    return WireType::varint;
}

/// int32 fields keep the low half of what they are given, with its sign.
std::uint64_t narrowed(Kind kind, std::uint64_t value) {
    if (kind != Kind::int32 && kind != Kind::enumeration) return value;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
}

bool isPackedForm(const FieldSchema& schema, const Field& field) {
    return schema.label != Label::singular && elementWireType(schema.kind) != WireType::length &&
           field.type == WireType::length;
}

/// Would protobuf take the field for the one of the schema?
bool matches(const FieldSchema& schema, const Field& field) {
    if (isPackedForm(schema, field)) return true;
    if (field.type != elementWireType(schema.kind)) return false;
    if (schema.kind != Kind::enumeration) return true;
    return narrowed(schema.kind, field.value) <= schema.lastEnumerator;
}

bool arePackedNumbersCanonical(Kind kind, std::string_view bytes) {
    if (bytes.empty()) return false;
    if (kind == Kind::float32) return bytes.size() % 4 == 0;
    if (kind == Kind::float64) return bytes.size() % 8 == 0;
    bool isMinimal = true;
    while (!bytes.empty() && isMinimal) {
        const std::uint64_t value = takeVarint(bytes, isMinimal);
        if (value != narrowed(kind, value)) return false;
    }
    return isMinimal;
}

bool isCanonicalAt(Message message, std::string_view bytes, unsigned depth) {
    if (depth > kDeepest) throw Malformed{bytes.data(), "wire.deep-messages", 0, 0, 0, true};
    std::uint32_t last = 0;
    bool isInUnknown = false, hasOneof = false;
    Reader reader(bytes);
    for (Field field; reader.next(field);) {
        if (!field.isMinimal || field.type == WireType::group) return false;
        const FieldSchema* schema = fieldSchema(message, field.number);
        if (!schema || !matches(*schema, field)) {
            isInUnknown = true;
            continue;
        }
        if (isInUnknown || field.number < last) return false;
        if (field.number == last && schema->label != Label::repeated) return false;
        if (schema->oneof != 0 && std::exchange(hasOneof, true)) return false;
        last = field.number;
        if (isPackedForm(*schema, field)) {
            if (schema->label != Label::packed || !arePackedNumbersCanonical(schema->kind, field.payload))
                return false;
        } else if (schema->label == Label::packed ||
                   (isVarint(field) && field.value != narrowed(schema->kind, field.value))) {
            return false;
        } else if (schema->kind == Kind::message &&
                   !isCanonicalAt(schema->message, field.payload, depth + 1)) {
            return false;
        }
    }
    return true;
}

void appendUnknown(std::string& out, const Field& field) {
    appendTag(out, field.number, field.type);
    switch (field.type) {
    case WireType::varint: appendVarint(out, field.value); return;
    case WireType::length: appendVarint(out, field.payload.size()); break;
    case WireType::group: {
        Reader reader(field.payload);
        for (Field inner; reader.next(inner);)
            appendUnknown(out, inner);
        appendTag(out, field.number, WireType::endGroup);
        return;
    }
    default: break;
    }
    out += field.payload;
}

/// The elements of one field number, in the form they are written in.
class Canonicalizer {
  public:
    Canonicalizer(Message message, unsigned depth) : m_message(message), m_depth(depth) {}

    std::string run(std::string_view bytes) {
        if (m_depth > kDeepest) throw Malformed{bytes.data(), "wire.deep-messages", 0, 0, 0, true};
        Reader reader(bytes);
        for (Field field; reader.next(field);) {
            if (!isKnown(m_message, field))
                appendUnknown(m_unknown, field);
            else
                add(*fieldSchema(m_message, field.number), field);
        }
        std::string out;
        for (const FieldSchema& schema : fieldsOf(m_message)) {
            if (const auto at = m_elements.find(schema.number); at != m_elements.end())
                write(out, schema, at->second);
        }
        return out + m_unknown;
    }

  private:
    void add(const FieldSchema& schema, const Field& field) {
        if (schema.oneof != 0) {
            for (const FieldSchema& other : fieldsOf(m_message)) {
                if (other.oneof == schema.oneof && other.number != schema.number)
                    m_elements.erase(other.number);
            }
        }
        std::vector<std::string>& elements = m_elements[schema.number];
        if (isPackedForm(schema, field)) return addPacked(schema.kind, field, elements);
        if (schema.label == Label::singular && !elements.empty()) {
            if (schema.kind == Kind::message)
                merge(elements[0], field.payload);
            else
                elements[0] = element(schema.kind, field);
            return;
        }
        elements.push_back(element(schema.kind, field));
    }

    /// Parsing both in a row merges two messages, provided that each is whole by itself.
    static void merge(std::string& have, std::string_view more) {
        checkFields(have);
        checkFields(more);
        have += more;
    }

    static std::string element(Kind kind, const Field& field) {
        if (field.type != WireType::varint) return std::string(field.payload);
        std::string out;
        appendVarint(out, narrowed(kind, field.value));
        return out;
    }

    static void addPacked(Kind kind, const Field& field, std::vector<std::string>& elements) {
        std::string_view left = field.payload;
        const std::size_t width = kind == Kind::float32 ? 4 : kind == Kind::float64 ? 8 : 0;
        if (width != 0 && left.size() % width != 0) throw Malformed{left.data(), "wire.ends-in-list"};
        while (!left.empty()) {
            if (width != 0) {
                elements.emplace_back(left.substr(0, width));
                left.remove_prefix(width);
                continue;
            }
            bool ignored = true;
            std::string out;
            appendVarint(out, narrowed(kind, takeVarint(left, ignored)));
            elements.push_back(std::move(out));
        }
    }

    void write(std::string& out, const FieldSchema& schema, const std::vector<std::string>& elements) const {
        if (schema.label == Label::packed) {
            std::string all;
            for (const std::string& element : elements)
                all += element;
            if (!all.empty()) appendBytes(out, schema.number, all);
            return;
        }
        for (const std::string& element : elements) {
            if (schema.kind == Kind::message) {
                appendBytes(out, schema.number, Canonicalizer(schema.message, m_depth + 1).run(element));
            } else if (schema.kind == Kind::bytes) {
                appendBytes(out, schema.number, element);
            } else {
                appendTag(out, schema.number, elementWireType(schema.kind));
                out += element;
            }
        }
    }

    Message m_message;
    unsigned m_depth;
    std::map<std::uint32_t, std::vector<std::string>> m_elements;
    std::string m_unknown;
};

} // namespace

const FieldSchema* fieldSchema(Message message, std::uint32_t number) {
    const auto fields = fieldsOf(message);
    // Most messages number their fields 1, 2, 3 ...
    if (number <= fields.size() && fields[number - 1].number == number) return &fields[number - 1];
    const auto at =
        std::find_if(fields.begin(), fields.end(), [&](const FieldSchema& f) { return f.number == number; });
    return at == fields.end() ? nullptr : &*at;
}

bool isKnown(Message message, const Field& field) {
    const FieldSchema* schema = fieldSchema(message, field.number);
    return schema && matches(*schema, field);
}

bool isCanonical(Message message, std::string_view bytes) {
    return isCanonicalAt(message, bytes, 0);
}

std::string canonicalize(Message message, std::string_view bytes) {
    return Canonicalizer(message, 0).run(bytes);
}

} // namespace secateur::wire
