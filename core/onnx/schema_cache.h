// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds, once per operator, scope and version, who can infer it. Heavy: for .cpp files of core/onnx.

#include "core/ir/function_table.h"
#include "core/ir/model.h"
#include "core/onnx/own_schemas.h"

#include <onnx/defs/schema.h>

#include <cstdint>
#include <unordered_map>

namespace secateur {

/// Who describes an operator.
struct SchemaEntry {
    const onnx::OpSchema* standard = nullptr; ///< libonnx's
    const OwnSchema* own = nullptr;           ///< ours; besides `standard` where that one cannot infer
    GraphId function;                         ///< a function of the model
    onnx::InferenceFunction infer;            ///< empty: none
    onnx::DataPropagationFunction propagate;  ///< empty: none
    std::int64_t version = 0;                 ///< of the opset that the model imports
    int minInputs = 0, maxInputs = 0, minOutputs = 0, maxOutputs = 0;
    bool isFromLaterOpset = false; ///< the imported opset does not have the operator yet
    bool isImported = true;        ///< false: the model imports no opset of this domain

    [[nodiscard]] bool isKnown() const { return standard || own || !function.isNone(); }
};

class SchemaCache {
  public:
    explicit SchemaCache(const Model& model);

    /// The entry for a node that stands in root graph `root` or a body inside it. Stable.
    const SchemaEntry& find(GraphId root, NodeId node);

  private:
    struct Key {
        std::uint32_t root, op, domain, overload;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            const std::uint64_t mixed = (std::uint64_t(key.op) << 32 | key.domain) * 0x9E3779B97F4A7C15ULL;
            return static_cast<std::size_t>(mixed ^ key.root ^ (std::uint64_t(key.overload) << 20));
        }
    };
    [[nodiscard]] SchemaEntry make(GraphId root, NodeId node) const;
    void takeStandard(SchemaEntry& entry, const onnx::OpSchema& schema) const;

    const Model& m_model;
    FunctionTable m_functions;
    std::unordered_map<Key, SchemaEntry, Hash> m_entries; // looked up, never walked
};

} // namespace secateur
