// SPDX-License-Identifier: Apache-2.0
#include "core/report/file_parts.h"

#include "core/ir/walk.h"
#include "core/onnx/rest_fields.h"

#include <variant>

namespace secateur {
namespace {

std::uint64_t bytesOf(const RestFields& fields) {
    std::uint64_t bytes = fields.docString.size();
    for (const auto& [key, value] : fields.metadata)
        bytes += key.size() + value.size();
    return bytes;
}

} // namespace

std::uint64_t attributeTensorBytes(const Model& model) {
    std::uint64_t bytes = 0;
    const auto add = [&](const TensorPtr& tensor) {
        if (tensor) bytes += tensor->byteSize().value_or(0);
    };
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            if (!model.node(node).attributes) continue;
            for (const Attribute& attribute : model.attributes(node)) {
                if (const auto* one = std::get_if<TensorPtr>(&attribute.value)) add(*one);
                if (const auto* many = std::get_if<std::vector<TensorPtr>>(&attribute.value))
                    for (const TensorPtr& tensor : *many)
                        add(tensor);
            }
        }
    }
    return bytes;
}

std::uint64_t textBytes(const Model& model) {
    std::uint64_t bytes = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            const std::string_view rest = model.text(model.node(node).rest);
            if (!rest.empty()) bytes += rest.size() - nodeRestWithoutTexts(rest).size();
        }
    }
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        const ValueInfoPtr& info = model.value(value).info;
        if (model.isAlive(value) && info && !info->verbatim.empty()) bytes += bytesOf(valueFields(*info));
    }
    return bytes;
}

} // namespace secateur
