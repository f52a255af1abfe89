// SPDX-License-Identifier: Apache-2.0
#include "core/picture/input_labels.h"

#include "core/onnx/schemas.h"
#include "core/picture/model_text.h"

#include <optional>

namespace secateur {
namespace {

constexpr std::size_t kPlain = 2; ///< inputs that need no names to be told apart

std::vector<std::string> namesInSchema(const Model& model, NodeId node) {
    const auto version = model.opsetVersion(model.domain(node));
    if (!version) return {};
    std::optional<OperatorSchema> schema = schemaOf(model.domain(node), model.op(node), *version);
    const bool isPlain =
        !schema || schema->maxInputs == OperatorSchema::kAnyNumber || schema->inputNames.size() <= kPlain;
    return isPlain ? std::vector<std::string>() : std::move(schema->inputNames);
}

} // namespace

std::string_view InputLabels::of(const Model& model, NodeId node, std::size_t slot) {
    const std::string_view op = model.op(node);
    if (hasInputLabels(op)) return inputLabel(op, slot);
    std::string key(model.domain(node));
    key.append(1, ':').append(op);
    const auto [at, isNew] = m_names.try_emplace(std::move(key));
    if (isNew) at->second = namesInSchema(model, node);
    return slot < at->second.size() ? std::string_view(at->second[slot]) : std::string_view();
}

} // namespace secateur
