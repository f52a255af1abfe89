// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/onnx/function_body.h"
#include "core/onnx/type_inference.h"
#include "core/passes/convert/node_parts.h"
#include "core/rewrite/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace secateur {

/// Scalars of a pass: each one is one initializer of the main graph, however many rewrites use it.
class SharedScalars {
  public:
    SharedScalars(const Model& model, const TypeTable& types) : m_model(model), m_types(types) {}

    /// Can a scalar of the element type of `like` be made for readers at `node`?
    [[nodiscard]] bool canMake(NodeId node, ValueId like) const;
    ValueId make(Editor& editor, NodeId before, ValueId like, double number, std::string_view hint);
    /// The same where the element type is given.
    ValueId make(Editor& editor, NodeId before, ElementType type, double number, std::string_view hint);
    /// The same for a tensor of one element; larger ones are not shared.
    ValueId make(Editor& editor, NodeId before, const TensorPtr& tensor, std::string_view hint);

  private:
    const Model& m_model;
    const TypeTable& m_types;
    struct Known {
        ValueId value;
        TensorPtr tensor; ///< tells `value` from another one that has its id since a rewrite was taken back
    };
    /// Element type, shape and bytes.
    using Key = std::tuple<ElementType, std::vector<std::int64_t>, std::string>;
    std::map<Key, Known> m_known;
};

/// What the makers of twins work with.
struct TwinContext {
    TwinContext(const Model& m, const TypeTable& table);
    TwinContext(const TwinContext&) = delete;
    TwinContext& operator=(const TwinContext&) = delete;

    const Model& model;
    const TypeTable& types;
    SharedScalars scalars;
    FunctionBodies bodies; ///< with their constants in `scalars`
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
    /// Puts one or several nodes in the place of this one, which goes. Its results stay the values they are.
    Refusal (*apply)(TwinContext&, Editor&, NodeId);
    /// Same values for the same inputs, or up to the last bit.
    Exactness exactness;
};

/// Puts the body of the node's operator in its place.
Refusal writeBody(TwinContext& context, Editor& editor, NodeId node);

[[nodiscard]] std::span<const OperatorTwin>
trainingTwins(); ///< ConcatTraining, SplitTraining, LSTMTraining ...
[[nodiscard]] std::span<const OperatorTwin> activationTwins(); ///< Gelu and kin, BiasSoftmax
[[nodiscard]] std::span<const OperatorTwin> matMulTwins();     ///< FusedMatMul and kin
[[nodiscard]] std::span<const OperatorTwin>
normalizationTwins(); ///< LayerNormalization before opset 17 and kin
} // namespace secateur
