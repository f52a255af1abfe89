// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/rest_fields.h"

#include "core/onnx/tensor_wire.h"
#include "core/onnx/value_info_wire.h"
#include "core/onnx/wire.h"

#include <algorithm>
#include <initializer_list>

namespace secateur {
namespace {

// Field numbers of doc_string and metadata_props.
constexpr std::uint32_t kNodeDoc = 6, kNodeMetadata = 9, kInfoDoc = 3, kInfoMetadata = 4;
constexpr std::uint32_t kGraphMetadata = 16, kFunctionMetadata = 14;

RestFields readFields(std::string_view rest, std::uint32_t doc, std::uint32_t metadata) {
    RestFields fields;
    bool ignored = true;
    fields.docString = wire::findBytes(rest, doc).value_or(std::string_view());
    fields.metadata = readEntries(rest, metadata, ignored);
    return fields;
}

bool isOneOf(std::uint32_t number, std::initializer_list<std::uint32_t> numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::string without(std::string_view rest, std::initializer_list<std::uint32_t> numbers) {
    std::string out;
    wire::Reader reader(rest);
    for (wire::Field field; reader.next(field);) {
        if (!wire::isLength(field) || !isOneOf(field.number, numbers)) out += field.whole;
    }
    return out;
}

} // namespace

const std::string* RestFields::find(std::string_view key) const {
    const auto at =
        std::find_if(metadata.begin(), metadata.end(), [&](const auto& entry) { return entry.first == key; });
    return at == metadata.end() ? nullptr : &at->second;
}

RestFields nodeFields(const Model& model, NodeId node) {
    return readFields(model.text(model.node(node).rest), kNodeDoc, kNodeMetadata);
}

std::string_view nodeMetadata(const Model& model, NodeId node, std::string_view key) {
    constexpr std::uint32_t kKey = 1, kValue = 2; // of StringStringEntryProto
    wire::Reader reader(model.text(model.node(node).rest));
    for (wire::Field field; reader.next(field);) {
        if (!wire::isLength(field) || field.number != kNodeMetadata) continue;
        if (wire::findBytes(field.payload, kKey) == key)
            return wire::findBytes(field.payload, kValue).value_or(std::string_view());
    }
    return {};
}

RestFields graphFields(const Model& model, GraphId graph) {
    const GraphHeader& header = *model.graph(graph).header;
    const bool isFunction = model.graph(graph).kind == GraphKind::function;
    RestFields fields = readFields(header.rest, 0, isFunction ? kFunctionMetadata : kGraphMetadata);
    fields.docString = header.docString;
    return fields;
}

RestFields valueFields(const ValueInfo& info) {
    return readFields(info.verbatim, kInfoDoc, kInfoMetadata);
}

std::string nodeRestWithoutTexts(std::string_view rest) {
    return without(rest, {kNodeDoc, kNodeMetadata});
}

ValueInfoPtr infoWithoutTexts(const ValueInfoPtr& info) {
    if (!info || info->verbatim.empty()) return info;
    std::string body = without(info->verbatim, {kInfoDoc, kInfoMetadata});
    if (body.size() == info->verbatim.size()) return info;
    ValueInfo plain = *info;
    plain.verbatim.clear();
    if (valueInfoBody(plain) != body) plain.verbatim = std::move(body);
    return std::make_shared<const ValueInfo>(std::move(plain));
}

GraphHeader headerWithoutTexts(const GraphHeader& header, bool isFunction) {
    GraphHeader plain = header;
    plain.docString.clear();
    plain.rest = without(header.rest, {isFunction ? kFunctionMetadata : kGraphMetadata});
    return plain;
}

} // namespace secateur
