// SPDX-License-Identifier: Apache-2.0
// Tensors, as ModelWriter writes them.
#include "core/onnx/external_data.h"
#include "core/onnx/model_writer.h"
#include "core/onnx/presence.h"
#include "core/onnx/tensor_wire.h"

namespace secateur {

using wire::Message;
using wire::Rest;

namespace {

std::string_view textOf(const ByteRef& bytes) {
    return {reinterpret_cast<const char*>(bytes.data), bytes.size};
}

bool isPlaceKey(std::string_view key) {
    return key == "location" || key == "offset" || key == "length";
}

} // namespace

void ModelWriter::writeTensor(const Tensor& tensor, std::string_view name) {
    const auto planned = m_plan.places.find(&tensor);
    const ExternalPlace* place = planned == m_plan.places.end() ? nullptr : &planned->second;
    const bool isExternal = place || tensor.encoding == Tensor::Encoding::external;
    Rest rest(m_writer, Message::tensor, tensor.rest);
    for (const std::int64_t dim : tensor.dims)
        m_writer.varint(1, static_cast<std::uint64_t>(dim));
    if ((tensor.presence & presence::tensor::kTypeAbsent) == 0 || tensor.type != ElementType::undefined) {
        m_writer.varint(2, static_cast<std::uint64_t>(static_cast<std::int64_t>(tensor.type)));
    }
    if (isExternal) {
        rest.upTo(8);
        writeText(8, name, tensor.presence & presence::tensor::kNameGiven);
        writeExternal(tensor, place, rest);
    } else {
        writeElements(tensor, name, rest);
        rest.upTo(14);
        if (tensor.presence & presence::tensor::kLocationGiven) m_writer.varint(14, 0);
    }
    rest.finish();
}

/// Fields 4 to 11: the elements, in one of eight of them, and in their midst the name.
void ModelWriter::writeElements(const Tensor& tensor, std::string_view name, Rest& rest) {
    const auto typed =
        tensor.encoding == Tensor::Encoding::typed ? static_cast<std::uint32_t>(tensor.typedField) : 0U;
    const auto writeTyped = [&](std::uint32_t number) {
        rest.upTo(number);
        if (typed == number) m_writer.bytes(number, textOf(tensor.payload));
    };
    writeTyped(4);
    writeTyped(5);
    rest.upTo(6);
    if (tensor.encoding == Tensor::Encoding::strings) {
        for (const std::string& text : tensor.strings)
            m_writer.bytes(6, text);
    }
    writeTyped(7);
    rest.upTo(8);
    writeText(8, name, tensor.presence & presence::tensor::kNameGiven);
    rest.upTo(9);
    if (tensor.encoding == Tensor::Encoding::raw) m_writer.bytes(9, textOf(tensor.payload));
    if (tensor.encoding == Tensor::Encoding::splat) {
        const std::uint64_t elements = tensor.elementCount().value_or(0);
        m_writer.repeated(9, textOf(tensor.payload),
                          tensor.byteSize().value_or(elements * tensor.payload.size));
    }
    writeTyped(10);
    writeTyped(11);
}

/// Fields 13 and 14. Entries that hold more than a key and a value are kept serialized as long as they say
/// the same.
void ModelWriter::writeExternal(const Tensor& tensor, const ExternalPlace* place, Rest& rest) {
    bool ignored = true;
    const Entries kept = readEntries(tensor.rest, 13, ignored);
    const bool restHasEntries = !place && !kept.empty() && kept == tensor.external;
    if (!restHasEntries) rest.leaveOut(13);
    rest.upTo(13);
    if (place) {
        writeEntry(13, "location", m_plan.location);
        writeEntry(13, "offset", std::to_string(place->offset));
        writeEntry(13, "length", std::to_string(place->length));
        for (const auto& [key, value] : tensor.external) {
            if (!isPlaceKey(key)) writeEntry(13, key, value);
        }
    } else if (!restHasEntries) {
        for (const auto& [key, value] : tensor.external)
            writeEntry(13, key, value);
    }
    rest.upTo(14);
    m_writer.varint(14, 1);
}

/// The name of a sparse tensor is that of its values; the message is kept as it is but for that.
void ModelWriter::writeSparseTensor(const Tensor& tensor, std::string_view name) {
    const std::string_view message = textOf(tensor.payload);
    const auto values = wire::findBytes(message, 1);
    if (!values || wire::findBytes(*values, 8).value_or("") == name) {
        m_writer.raw(message);
        return;
    }
    std::string renamed(*values);
    wire::appendBytes(renamed, 8, name); // the last one counts
    m_writer.bytes(1, wire::canonicalize(Message::tensor, renamed));
    wire::Reader reader(message);
    for (wire::Field field; reader.next(field);) {
        if (field.number != 1) m_writer.raw(field.whole);
    }
}

} // namespace secateur
