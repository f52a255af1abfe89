// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/model_writer.h"

#include "core/onnx/presence.h"
#include "core/onnx/tensor_wire.h"
#include "core/onnx/value_info_wire.h"

#include <iterator>
#include <variant>

namespace secateur {

using wire::Message;
using wire::Rest;

namespace {

/// The field of AttributeProto for each alternative of Attribute::Value, in their order.
std::uint32_t fieldOfValue(const Attribute::Value& value) {
    constexpr std::uint32_t kFields[] = {0, 3, 2, 4, 5, 6, 8, 7, 9, 10, 11};
    static_assert(std::size(kFields) == std::variant_size_v<Attribute::Value>);
    return kFields[value.index()];
}

} // namespace

// --- model ---

void ModelWriter::write() {
    const ModelHeader& header = m_model.header();
    Rest rest(m_writer, Message::model, header.rest);
    bool ignored = true;
    const Entries kept = readEntries(header.rest, 14, ignored);
    const bool restHasMetadata = !kept.empty() && kept == header.metadata;
    if (!restHasMetadata) rest.leaveOut(14);
    if (header.hasIrVersion) m_writer.varint(1, static_cast<std::uint64_t>(header.irVersion));
    rest.upTo(7);
    m_writer.message(7, [&] { writeGraph(m_model.mainGraph()); });
    writeOpsets(8, header.opsets);
    rest.upTo(14);
    if (!restHasMetadata) {
        for (const auto& [key, value] : header.metadata)
            writeEntry(14, key, value);
    }
    rest.upTo(20);
    for (const TrainingInfo& info : header.trainingInfos)
        m_writer.message(20, [&] { writeTrainingInfo(info); });
    rest.upTo(25);
    for (const GraphId function : header.functions)
        m_writer.message(25, [&] { writeFunction(function); });
    rest.finish();
}

void ModelWriter::writeTrainingInfo(const TrainingInfo& info) {
    if (!info.initialization.isNone()) m_writer.message(1, [&] { writeGraph(info.initialization); });
    if (!info.algorithm.isNone()) m_writer.message(2, [&] { writeGraph(info.algorithm); });
    m_writer.raw(info.rest);
}

/// `rest` holds the import as it was given; what was edited since counts.
void ModelWriter::writeOpsets(std::uint32_t number, const std::vector<OpsetImport>& opsets) {
    for (const OpsetImport& opset : opsets) {
        bool hasDomain = !opset.domain.empty(), hasVersion = opset.rest.empty() || opset.version != 0;
        std::string unknown;
        wire::Reader reader(opset.rest);
        for (wire::Field field; reader.next(field);) {
            if (!wire::isKnown(Message::opset, field))
                unknown += field.whole;
            else if (field.number == 1)
                hasDomain = true;
            else
                hasVersion = true;
        }
        m_writer.message(number, [&] {
            if (hasDomain) m_writer.bytes(1, opset.domain);
            if (hasVersion) m_writer.varint(2, static_cast<std::uint64_t>(opset.version));
            m_writer.raw(unknown);
        });
    }
}

void ModelWriter::writeEntry(std::uint32_t number, std::string_view key, std::string_view value) {
    m_writer.message(number, [&] {
        m_writer.bytes(1, key);
        m_writer.bytes(2, value);
    });
}

// --- graphs ---

void ModelWriter::writeGraph(GraphId id) {
    const GraphHeader& header = *m_model.graph(id).header;
    Rest rest(m_writer, Message::graph, header.rest);
    for (const NodeId node : m_model.nodes(id))
        m_writer.message(1, [&] { writeNode(node); });
    writeText(2, header.name, header.presence & presence::header::kNameGiven);
    writeInitializers(id);
    rest.upTo(10);
    writeText(10, header.docString, header.presence & presence::header::kDocGiven);
    for (const ValueId value : m_model.graphInputs(id)) {
        if (!value.isNone()) writeValueInfo(11, m_model.name(value), m_model.value(value).info);
    }
    for (const OutputSlot& slot : *m_model.graph(id).outputs)
        writeValueInfo(12, m_model.text(slot.name), slot.info);
    writeValueInfos(13, id);
    for (const QuantizationAnnotation& annotation : header.quantization)
        writeAnnotation(annotation);
    writeSparse(id);
    rest.finish();
}

void ModelWriter::writeFunction(GraphId id) {
    const GraphHeader& header = *m_model.graph(id).header;
    Rest rest(m_writer, Message::function, header.rest);
    writeText(1, header.name, header.presence & presence::header::kNameGiven);
    for (const ValueId value : m_model.graphInputs(id)) {
        if (!value.isNone()) m_writer.bytes(4, m_model.name(value));
    }
    for (const OutputSlot& slot : *m_model.graph(id).outputs)
        m_writer.bytes(5, m_model.text(slot.name));
    for (const std::string& name : header.attributeNames)
        m_writer.bytes(6, name);
    for (const NodeId node : m_model.nodes(id))
        m_writer.message(7, [&] { writeNode(node); });
    writeText(8, header.docString, header.presence & presence::header::kDocGiven);
    writeOpsets(9, header.opsets);
    writeText(10, header.domain, header.presence & presence::header::kDomainGiven);
    for (const Attribute& attribute : header.attributeDefaults)
        m_writer.message(11, [&] { writeAttribute(attribute); });
    writeValueInfos(12, id);
    writeText(13, header.overload, header.presence & presence::header::kOverloadGiven);
    rest.finish();
}

const std::string& ModelWriter::bodyOf(const ValueInfoPtr& info) {
    const auto [at, isNew] = m_bodies.try_emplace(info.get());
    if (isNew) at->second = valueInfoBody(*info);
    return at->second;
}

void ModelWriter::writeValueInfo(std::uint32_t number, std::string_view name, const ValueInfoPtr& info) {
    m_writer.message(number, [&] {
        writeText(1, name, !info || (info->presence & presence::valueInfo::kNameAbsent) == 0);
        if (info) m_writer.raw(bodyOf(info));
    });
}

void ModelWriter::writeValueInfos(std::uint32_t number, GraphId id) {
    for (const ValueId value : m_model.graph(id).valueInfos) {
        const ValueInfoPtr& info = m_model.value(value).info;
        if (!m_model.isAlive(value) || !info || !info->isListed || m_model.value(value).graph != id) continue;
        writeValueInfo(number, m_model.name(value), info);
    }
}

void ModelWriter::writeAnnotation(const QuantizationAnnotation& annotation) {
    if (!annotation.tensor.isNone() && !m_model.isAlive(annotation.tensor)) return;
    m_writer.message(14, [&] {
        if (!annotation.tensor.isNone()) m_writer.bytes(1, m_model.name(annotation.tensor));
        for (const auto& [key, value] : annotation.parameters) {
            if (m_model.isAlive(value)) writeEntry(2, key, m_model.name(value));
        }
        m_writer.raw(annotation.rest);
    });
}

void ModelWriter::writeInitializers(GraphId id) {
    for (const ValueId initializer : m_model.graph(id).initializers) {
        const Value& value = m_model.value(initializer);
        const bool isMade =
            !value.producer.isNone() && m_model.node(value.producer).kind == NodeKind::operation;
        if (value.isErased || !value.tensor || isMade) continue;
        m_writer.message(5, [&] { writeTensor(*value.tensor, m_model.text(value.name)); });
    }
}

void ModelWriter::writeSparse(GraphId id) {
    for (const ValueId value : m_model.graph(id).sparseInitializers) {
        const TensorPtr& tensor = m_model.value(value).tensor;
        if (!m_model.isAlive(value) || !tensor) continue;
        m_writer.message(15, [&] { writeSparseTensor(*tensor, m_model.name(value)); });
    }
}

// --- nodes ---

void ModelWriter::writeNode(NodeId id) {
    const Node& node = m_model.node(id);
    Rest rest(m_writer, Message::node, m_model.text(node.rest));
    for (const ValueId value : m_model.inputs(id))
        m_writer.bytes(1, value.isNone() ? "" : m_model.name(value));
    for (const ValueId value : m_model.outputs(id))
        m_writer.bytes(2, value.isNone() ? "" : m_model.name(value));
    writeText(3, m_model.text(node.name), node.presence & presence::node::kNameGiven);
    writeText(4, m_model.text(node.op), (node.presence & presence::node::kOpAbsent) == 0);
    for (const Attribute& attribute : m_model.attributes(id))
        m_writer.message(5, [&] { writeAttribute(attribute); });
    rest.upTo(7);
    writeText(7, m_model.text(node.domain), node.presence & presence::node::kDomainGiven);
    writeText(8, m_model.text(node.overload), node.presence & presence::node::kOverloadGiven);
    rest.finish();
}

void ModelWriter::writeAttribute(const Attribute& attribute) {
    Rest rest(m_writer, Message::attribute, attribute.rest);
    writeText(1, attribute.name, (attribute.presence & presence::attribute::kNameAbsent) == 0);
    rest.upTo(fieldOfValue(attribute.value));
    writeAttributeValue(attribute);
    rest.upTo(20);
    const auto type = static_cast<std::int32_t>(attribute.type);
    if ((attribute.presence & presence::attribute::kTypeAbsent) == 0 && type >= 0 && type <= 14) {
        m_writer.varint(20, static_cast<std::uint64_t>(type));
    }
    writeText(21, attribute.reference, attribute.presence & presence::attribute::kReferenceGiven);
    rest.finish();
}

void ModelWriter::writeAttributeValue(const Attribute& attribute) {
    const bool isAbsent = (attribute.presence & presence::attribute::kValueAbsent) != 0;
    const std::uint32_t field = fieldOfValue(attribute.value);
    struct Visitor {
        ModelWriter& out;
        std::uint32_t field;
        bool isAbsent;

        void operator()(std::monostate) const {}
        void operator()(std::int64_t value) const {
            if (!isAbsent || value != 0) out.m_writer.varint(field, static_cast<std::uint64_t>(value));
        }
        void operator()(float value) const {
            if (!isAbsent || value != 0) out.m_writer.float32(field, value);
        }
        void operator()(const std::string& value) const { out.writeText(field, value, !isAbsent); }
        void operator()(const TensorPtr& value) const {
            out.m_writer.message(field, [&] { out.writeTensor(*value, value->name); });
        }
        void operator()(GraphId value) const {
            out.m_writer.message(field, [&] { out.writeGraph(value); });
        }
        void operator()(const std::vector<std::int64_t>& values) const {
            for (const std::int64_t value : values)
                out.m_writer.varint(field, static_cast<std::uint64_t>(value));
        }
        void operator()(const std::vector<float>& values) const {
            for (const float value : values)
                out.m_writer.float32(field, value);
        }
        void operator()(const std::vector<std::string>& values) const {
            for (const std::string& value : values)
                out.m_writer.bytes(field, value);
        }
        void operator()(const std::vector<TensorPtr>& values) const {
            for (const TensorPtr& value : values)
                (*this)(value);
        }
        void operator()(const std::vector<GraphId>& values) const {
            for (const GraphId value : values)
                (*this)(value);
        }
    };
    std::visit(Visitor{*this, field, isAbsent}, attribute.value);
}

} // namespace secateur
