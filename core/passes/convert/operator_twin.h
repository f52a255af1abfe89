// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/onnx/type_inference.h"
#include "core/passes/convert/node_parts.h"
#include "core/rewrite/record.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// Types of values, those included that rewrites of this pass put in the place of others: the table of the
/// session only learns of them when the pass is done.
class KnownTypes {
  public:
    explicit KnownTypes(const TypeTable& types) : m_types(types) {}

    void note(const RewriteRecord& record) {
        for (const auto& [old, now] : record.equalValues)
            m_standsFor.emplace(now, old);
    }
    [[nodiscard]] std::optional<std::int64_t> rank(ValueId value) const {
        return rankOf(m_types, original(value));
    }
    [[nodiscard]] ElementType element(ValueId value) const { return elementOf(m_types, original(value)); }

  private:
    [[nodiscard]] ValueId original(ValueId value) const {
        const auto at = m_standsFor.find(value);
        return at == m_standsFor.end() ? value : at->second;
    }

    const TypeTable& m_types;
    std::map<ValueId, ValueId> m_standsFor;
};

/// Scalars of a pass: each one is one initializer of the main graph, however many rewrites use it.
class SharedScalars {
  public:
    SharedScalars(const Model& model, const KnownTypes& types) : m_model(model), m_types(types) {}

    /// Can a scalar of the element type of `like` be made for readers at `node`?
    [[nodiscard]] bool canMake(NodeId node, ValueId like) const;
    ValueId make(Editor& editor, NodeId before, ValueId like, double number, std::string_view hint);
    /// The same where the element type is given.
    ValueId make(Editor& editor, NodeId before, ElementType type, double number, std::string_view hint);

  private:
    const Model& m_model;
    const KnownTypes& m_types;
    std::map<std::pair<ElementType, double>, ValueId> m_known;
};

/// What the makers of twins work with.
struct TwinContext {
    TwinContext(const Model& m, const TypeTable& table) : model(m), types(table), scalars(m, types) {}
    TwinContext(const TwinContext&) = delete;
    TwinContext& operator=(const TwinContext&) = delete;

    const Model& model;
    KnownTypes types;
    SharedScalars scalars;
};

/// How an operator outside the standard, or outside the model's opset, is said in standard operators.
struct OperatorTwin {
    std::string_view domain, op;
    /// The default opset from which on the operator is a standard one, 0 if it is in none.
    std::int64_t standardSince;
    /// ONNX Runtime runs the operator as it is outside of training.
    bool hasRuntimeKernel;
    /// What stands in the way, or none.
    std::optional<Reason> (*whyNot)(const TwinContext&, NodeId);
    /// Rewrites the node in place, or puts others before it and erases it. False takes all back.
    bool (*apply)(TwinContext&, Editor&, NodeId, RewriteRecord&);
    /// Same values for the same inputs, or up to the last bit.
    Exactness exactness;
};

[[nodiscard]] std::span<const OperatorTwin>
trainingTwins(); ///< ConcatTraining, SplitTraining, LSTMTraining ...
[[nodiscard]] std::span<const OperatorTwin> activationTwins(); ///< Gelu and kin, BiasSoftmax
[[nodiscard]] std::span<const OperatorTwin> matMulTwins();     ///< FusedMatMul and kin
[[nodiscard]] std::span<const OperatorTwin>
normalizationTwins(); ///< LayerNormalization before opset 17 and kin

/// Lets the readers of result `slot` of `node` read `now`, and notes the pair.
bool replaceResult(Editor& editor, NodeId node, std::size_t slot, ValueId now, RewriteRecord& record);

} // namespace secateur
