// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/schemas.h"

#include "core/ir/domains.h"
#include "core/onnx/own_schemas.h"

#include <onnx/defs/schema.h>

namespace secateur {
namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string slotName(const std::vector<std::string>& names, int most, std::size_t slot) {
    if (slot + 1 < names.size() || (slot + 1 == names.size() && most != OperatorSchema::kAnyNumber))
        return names[slot];
    if (names.empty() || most != OperatorSchema::kAnyNumber) return {};
    return names.back() + " " + std::to_string(slot + 1 - names.size());
}

OperatorSchema fromStandard(const onnx::OpSchema& schema) {
    OperatorSchema out;
    out.domain = schema.domain();
    out.op = schema.Name();
    out.sinceVersion = schema.SinceVersion();
    out.minInputs = schema.min_input();
    out.maxInputs = schema.max_input();
    out.minOutputs = schema.min_output();
    out.maxOutputs = schema.max_output();
    for (const auto& input : schema.inputs()) {
        out.inputNames.push_back(input.GetName());
        out.inputTypes.push_back(input.GetTypeStr());
        out.isLastInputMixed = !input.GetIsHomogeneous();
    }
    for (const auto& output : schema.outputs())
        out.outputNames.push_back(output.GetName());
    out.isDeprecated = schema.Deprecated();
    out.isStandard = true;
    return out;
}

OperatorSchema fromOwn(const OwnSchema& schema) {
    OperatorSchema out;
    out.domain = schema.domain;
    out.op = schema.op;
    out.sinceVersion = schema.sinceVersion;
    out.minInputs = schema.minInputs;
    out.maxInputs = schema.maxInputs;
    out.minOutputs = schema.minOutputs;
    out.maxOutputs = schema.maxOutputs;
    out.inputNames = words(schema.inputs);
    out.outputNames = words(schema.outputs);
    return out;
}

} // namespace

std::string OperatorSchema::inputName(std::size_t slot) const {
    return slotName(inputNames, maxInputs, slot);
}
std::string OperatorSchema::outputName(std::size_t slot) const {
    return slotName(outputNames, maxOutputs, slot);
}

std::optional<OperatorSchema> schemaOf(std::string_view domain, std::string_view op,
                                       std::int64_t opsetVersion) {
    const std::string plain(plainDomain(domain));
    const onnx::OpSchema* standard =
        onnx::OpSchemaRegistry::Schema(std::string(op), static_cast<int>(opsetVersion), plain);
    if (standard) return fromStandard(*standard);
    const OwnSchema* own = findOwnSchema(plain, op);
    if (own && own->sinceVersion <= opsetVersion) return fromOwn(*own);
    return std::nullopt;
}

} // namespace secateur
