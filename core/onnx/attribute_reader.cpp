// SPDX-License-Identifier: Apache-2.0
// The attributes of a node. Its value is in one of ten fields; which one, `type` says.
#include "core/onnx/model_reader.h"
#include "core/onnx/presence.h"
#include "core/onnx/tensor_wire.h"

#include <bit>
#include <cstring>

namespace secateur {

using wire::Field;
using wire::isLength;
using wire::isVarint;
using wire::Message;
using wire::Reader;

namespace {

constexpr std::size_t kLargestShared =
    256; // bytes of an attribute list that is looked up among those seen before

/// The field that holds the value of an attribute of this type; 0 for types whose value stays serialized.
std::uint32_t fieldOfType(AttributeType type) {
    switch (type) {
    case AttributeType::float_: return 2;
    case AttributeType::int_: return 3;
    case AttributeType::string: return 4;
    case AttributeType::tensor: return 5;
    case AttributeType::graph: return 6;
    case AttributeType::floats: return 7;
    case AttributeType::ints: return 8;
    case AttributeType::strings: return 9;
    case AttributeType::tensors: return 10;
    case AttributeType::graphs: return 11;
    default: return 0;
    }
}

AttributeType typeOfField(std::uint32_t field) {
    constexpr AttributeType kTypes[] = {AttributeType::float_, AttributeType::int_,    AttributeType::string,
                                        AttributeType::tensor, AttributeType::graph,   AttributeType::floats,
                                        AttributeType::ints,   AttributeType::strings, AttributeType::tensors,
                                        AttributeType::graphs};
    return field >= 2 && field <= 11 ? kTypes[field - 2] : AttributeType::undefined;
}

float readFloat(std::string_view bytes) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::vector<float> readFloats(std::string_view message, std::uint32_t number) {
    std::vector<float> values;
    Reader reader(message);
    for (Field field; reader.next(field);) {
        if (field.number != number) continue;
        if (field.type == wire::WireType::fixed32) values.push_back(readFloat(field.payload));
        if (!isLength(field)) continue;
        if (field.payload.size() % 4 != 0) throw wire::Malformed{field.payload.data(), "wire.ends-in-list"};
        for (std::size_t i = 0; i < field.payload.size(); i += 4)
            values.push_back(readFloat(field.payload.substr(i)));
    }
    return values;
}

std::vector<std::int64_t> readInts(std::string_view message, std::uint32_t number) {
    std::vector<std::int64_t> values;
    Reader reader(message);
    for (Field field; reader.next(field);) {
        if (field.number != number) continue;
        if (isVarint(field)) values.push_back(static_cast<std::int64_t>(field.value));
        if (!isLength(field)) continue;
        bool ignored = true;
        for (std::string_view left = field.payload; !left.empty();) {
            values.push_back(static_cast<std::int64_t>(wire::takeVarint(left, ignored)));
        }
    }
    return values;
}

std::vector<std::string_view> readPayloads(std::string_view message, std::uint32_t number) {
    std::vector<std::string_view> payloads;
    Reader reader(message);
    for (Field field; reader.next(field);) {
        if (field.number == number && isLength(field)) payloads.push_back(field.payload);
    }
    return payloads;
}

bool isValueField(std::uint32_t number) {
    return number >= 2 && number <= 11;
}

} // namespace

/// What an attribute says besides its value, and which value fields it has.
struct ModelReader::AttributeFields {
    std::string_view name, reference;
    bool hasName = false, hasReference = false, hasType = false;
    std::int32_t type = 0;
    std::int32_t unknownType = 0;
    std::uint32_t present = 0; ///< bit n: value field n is there
    std::string rest;
};

void ModelReader::readAttributes(NodeId node, std::size_t begin, std::string_view inARow) {
    const std::size_t count = m_attributeSpans.size() - begin;
    if (count == 0) return;
    const bool mayShare =
        !inARow.empty() && inARow.size() <= kLargestShared && m_source.isInFile(inARow.data());
    if (mayShare) {
        if (const auto at = m_knownAttributes.find(inARow); at != m_knownAttributes.end()) {
            m_attributeSpans.resize(begin);
            m_editor.shareAttributes(node, at->second);
            return;
        }
    }
    const std::size_t graphs = m_model.graphIdCount();
    AttributeList list;
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Enter here(*this, "attribute", i, m_attributeSpans[begin + i]);
        list.push_back(readAttribute(m_attributeSpans[begin + i], m_model.node(node).graph, node));
    }
    m_attributeSpans.resize(begin);
    auto shared = std::make_shared<const AttributeList>(std::move(list));
    const bool hasBodies = m_model.graphIdCount() != graphs;
    if (hasBodies)
        m_resolver.noteBody(node);
    else if (mayShare)
        m_knownAttributes.emplace(inARow, shared);
    m_editor.shareAttributes(node, std::move(shared));
}

void ModelReader::readAttributeField(const Field& field, AttributeFields& fields) {
    if (!wire::isKnown(Message::attribute, field)) {
        if (field.number == 20 && isVarint(field))
            fields.unknownType = static_cast<std::int32_t>(field.value);
        fields.rest += field.whole;
        return;
    }
    switch (field.number) {
    case 1:
        fields.name = field.payload;
        fields.hasName = true;
        return;
    case 20:
        fields.type = static_cast<std::int32_t>(field.value);
        fields.hasType = true;
        return;
    case 21:
        fields.reference = field.payload;
        fields.hasReference = true;
        return;
    default:
        if (isValueField(field.number))
            fields.present |= 1U << field.number;
        else
            fields.rest += field.whole;
        return;
    }
}

Attribute ModelReader::readAttribute(std::string_view bytes, GraphId graph, NodeId node) {
    AttributeFields fields;
    Reader reader(bytes);
    for (Field field; reader.next(field);)
        readAttributeField(field, fields);
    Attribute attribute;
    attribute.name = fields.name;
    attribute.reference = fields.reference;
    attribute.type = static_cast<AttributeType>(fields.type);
    if (!fields.hasName) attribute.presence |= presence::attribute::kNameAbsent;
    if (fields.hasReference && fields.reference.empty())
        attribute.presence |= presence::attribute::kReferenceGiven;
    std::uint32_t chosen = fieldOfType(attribute.type);
    if (!fields.hasType || attribute.type == AttributeType::undefined) {
        chosen = fields.present == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(fields.present));
    }
    if (!fields.hasType) {
        attribute.presence |= presence::attribute::kTypeAbsent;
        attribute.type = chosen != 0 ? typeOfField(chosen) : static_cast<AttributeType>(fields.unknownType);
    }
    if ((fields.present & ~(1U << chosen)) != 0) { // more values than one: the others are kept as they are
        Reader again(bytes);
        for (Field field; again.next(field);) {
            if (isValueField(field.number) && field.number != chosen &&
                wire::isKnown(Message::attribute, field)) {
                fields.rest += field.whole;
            }
        }
    }
    if (chosen != 0) readValue(bytes, chosen, fields, attribute, graph, node);
    attribute.rest = canonical(Message::attribute, std::move(fields.rest));
    return attribute;
}

void ModelReader::readValue(std::string_view bytes, std::uint32_t chosen, const AttributeFields& fields,
                            Attribute& out, GraphId graph, NodeId node) {
    const bool isGiven = (fields.present & (1U << chosen)) != 0;
    if (!isGiven && !out.reference.empty()) return;
    if (!isGiven && chosen <= 4) out.presence |= presence::attribute::kValueAbsent;
    if (chosen == 5 || chosen == 6) {
        if (!isGiven) return;
        std::string_view message;
        for (const std::string_view part : readPayloads(bytes, chosen))
            join(message, part);
        if (chosen == 5) {
            out.value = readAttributeTensor(message, out.name);
        } else {
            const Enter here(*this, "g", SIZE_MAX, message);
            out.value = readNewGraph(GraphKind::subgraph, graph, node, message);
        }
        return;
    }
    Field last;
    Reader reader(bytes);
    for (Field field; chosen <= 4 && reader.next(field);) {
        if (field.number == chosen && wire::isKnown(Message::attribute, field)) last = field;
    }
    switch (chosen) {
    case 2: out.value = isGiven ? readFloat(last.payload) : 0.0F; return;
    case 3: out.value = static_cast<std::int64_t>(last.value); return;
    case 4: out.value = std::string(last.payload); return;
    case 7: out.value = readFloats(bytes, chosen); return;
    case 8: out.value = readInts(bytes, chosen); return;
    default: break;
    }
    const auto payloads = readPayloads(bytes, chosen);
    if (chosen == 9) {
        out.value = std::vector<std::string>(payloads.begin(), payloads.end());
    } else if (chosen == 10) {
        std::vector<TensorPtr> tensors;
        for (const std::string_view payload : payloads)
            tensors.push_back(readAttributeTensor(payload, out.name));
        out.value = std::move(tensors);
    } else {
        std::vector<GraphId> graphs;
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            const Enter here(*this, "graphs", i, payloads[i]);
            graphs.push_back(readNewGraph(GraphKind::subgraph, graph, node, payloads[i]));
        }
        out.value = std::move(graphs);
    }
}

TensorPtr ModelReader::readAttributeTensor(std::string_view bytes, const std::string& name) {
    Tensor tensor = readTensor(bytes, m_source);
    if (tensor.encoding == Tensor::Encoding::external) m_external.attach(tensor, name, m_problems);
    return std::make_shared<const Tensor>(std::move(tensor));
}

} // namespace secateur
