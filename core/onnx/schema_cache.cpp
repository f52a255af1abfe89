// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/schema_cache.h"

#include "core/ir/domains.h"

namespace secateur {
namespace {

/// The oldest version of an operator that `version` does not have yet; null when no version has it.
const onnx::OpSchema* laterSchema(const std::string& op, const std::string& domain, int version) {
    const onnx::OpSchema* latest = onnx::OpSchemaRegistry::Schema(op, domain);
    if (!latest || latest->SinceVersion() <= version)
        return nullptr; // removed from the standard, not missing yet
    for (int later = version + 1; later < latest->SinceVersion(); ++later) {
        if (const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(op, later, domain)) return schema;
    }
    return latest;
}

} // namespace

SchemaCache::SchemaCache(const Model& model) : m_model(model), m_functions(model) {}

const SchemaEntry& SchemaCache::find(GraphId root, NodeId id) {
    const Node& node = m_model.node(id);
    const Key key{root.index, node.op.index, node.domain.index, node.overload.index};
    const auto at = m_entries.find(key);
    return at != m_entries.end() ? at->second : m_entries.emplace(key, make(root, id)).first->second;
}

void SchemaCache::takeStandard(SchemaEntry& entry, const onnx::OpSchema& schema) const {
    entry.standard = &schema;
    entry.minInputs = schema.min_input();
    entry.maxInputs = schema.max_input();
    entry.minOutputs = schema.min_output();
    entry.maxOutputs = schema.max_output();
    if (schema.has_type_and_shape_inference_function())
        entry.infer = schema.GetTypeAndShapeInferenceFunction();
    if (schema.has_data_propagation_function()) entry.propagate = schema.GetDataPropagationFunction();
}

SchemaEntry SchemaCache::make(GraphId root, NodeId node) const {
    SchemaEntry entry;
    const std::string op(m_model.op(node)), domain(plainDomain(m_model.domain(node)));
    const auto version = m_model.opsetVersion(domain, root);
    entry.isImported = version.has_value();
    entry.version = version.value_or(0);
    const onnx::OpSchema* schema =
        version ? onnx::OpSchemaRegistry::Schema(op, static_cast<int>(*version), domain) : nullptr;
    entry.own = findOwnSchema(domain, op);
    if (schema) {
        takeStandard(entry, *schema);
        return entry;
    }
    if (const GraphId function = m_functions.calledBy(m_model, node); !function.isNone()) {
        entry.function = function;
        entry.own = nullptr;
        return entry;
    }
    if (entry.own) {
        entry.minInputs = entry.own->minInputs;
        entry.maxInputs = entry.own->maxInputs;
        entry.minOutputs = entry.own->minOutputs;
        entry.maxOutputs = entry.own->maxOutputs;
    } else if (const onnx::OpSchema* later = laterSchema(op, domain, static_cast<int>(entry.version))) {
        takeStandard(entry, *later);
        entry.isFromLaterOpset = true;
    }
    return entry;
}

} // namespace secateur
