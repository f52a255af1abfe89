// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/value_ranges.h"
#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {

/// What bounds rewrites.
struct RuleLimits {
    /// Bytes that constants may still add to the file: each rewrite takes what it adds, and gives back what
    /// it frees.
    std::uint64_t bytesLeft = 64 * 1024;
};

/// What the match of a rule reads: the model, and facts about it that are proven. A declaration of the file
/// about an inner value proves nothing, and is not handed out here.
class RuleView {
  public:
    RuleView(const Model& model, const RuleLimits& limits) : m_model(model), m_limits(limits) {}

    [[nodiscard]] const Model& model() const { return m_model; }
    [[nodiscard]] const RuleLimits& limits() const { return m_limits; }

    // --- types ---
    /// Kind none where nothing is proven.
    [[nodiscard]] const Type& type(ValueId value) const;
    /// undefined where it is not known, or `value` is no tensor.
    [[nodiscard]] ElementType element(ValueId value) const { return type(value).element; }
    /// Number of dimensions; none where it is not known, or `value` is no tensor.
    [[nodiscard]] std::optional<std::int64_t> rank(ValueId value) const;
    /// All dimensions, where each is a known number.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> staticShape(ValueId value) const;
    /// Are both tensors of the same rank, and each dimension the same number or the same symbol?
    [[nodiscard]] bool isSameShape(ValueId a, ValueId b) const;
    [[nodiscard]] bool isSameType(ValueId a, ValueId b) const {
        return element(a) != ElementType::undefined && element(a) == element(b);
    }
    /// A tensor of float64, float32, float16 or bfloat16?
    [[nodiscard]] bool isFloat(ValueId value) const;
    /// A tensor of integers of 8 to 64 bits, with a sign or without?
    [[nodiscard]] bool isInteger(ValueId value) const;
    /// Elements of a small integer tensor as far as they are known.
    [[nodiscard]] std::optional<std::vector<Dim>> elements(ValueId value) const;
    /// Floating-point operations of a node; none where they are not counted.
    [[nodiscard]] std::optional<double> flops(NodeId node) const;
    /// Values that the tensor can take.
    [[nodiscard]] ValueRange range(ValueId value) const;

    // --- constants ---
    /// What the value always is (constants.h); null where a run may give it something else.
    [[nodiscard]] TensorPtr constant(ValueId value) const;
    /// The integers in a constant, of any shape.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(ValueId value) const;
    /// The number in a constant of one element.
    [[nodiscard]] std::optional<double> scalar(ValueId value) const;
    /// The number that each element of a constant is, to the bit; none where they differ or there is none.
    [[nodiscard]] std::optional<double> uniform(ValueId value) const;

    // --- structure ---
    /// The node of operator `op` that makes `value`; none where something else does.
    [[nodiscard]] NodeId producer(ValueId value, std::string_view op) const;
    /// Is one input slot of one node of its own graph all that reads it?
    [[nodiscard]] bool isReadOnce(ValueId value) const;
    /// Version of the default opset where the node stands.
    [[nodiscard]] std::int64_t opset(NodeId node) const;
    /// Axes that the node gives as attribute, or as a constant in input `slot`; none where it gives none, or
    /// they are not known.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integersGiven(NodeId node, std::string_view name,
                                                                         std::size_t slot) const;
    /// Do the results depend on the inputs alone, bodies included, and does running it change nothing else?
    [[nodiscard]] bool isPure(NodeId node) const;
    /// May running the node change something beside its results: it has an effect, or nobody knows it, it
    /// itself or a node in its bodies or in a function that it calls?
    [[nodiscard]] bool hasEffect(NodeId node) const;
    /// Do other values, of whatever graph, have the name of this one? Names that were given since the first
    /// question are not shared: edits give fresh ones.
    [[nodiscard]] bool isNameShared(ValueId value) const;
    /// Is it a value that a person wants kept, or that quantization annotations or a Gradient name?
    [[nodiscard]] bool isHeldByName(ValueId value) const;

    // --- for the driver ---
    void setTypes(const TypeTable* types) { m_types = types; }
    void setHeld(std::vector<bool> held) { m_held = std::move(held); }
    /// Lets `value` stay under its name whatever the rules would do.
    void hold(ValueId value) {
        if (value.index >= m_held.size()) m_held.resize(value.index + 1, false);
        m_held[value.index] = true;
    }
    void forgetRanges() { m_ranges.clear(); }
    /// Lets one guard pass whatever it says: how tests see that each is needed.
    void switchOff(std::string_view guard) { m_off = guard; }
    [[nodiscard]] bool isOff(std::string_view guard) const { return !m_off.empty() && m_off == guard; }

  private:
    const Model& m_model;
    const RuleLimits& m_limits;
    const TypeTable* m_types = nullptr;
    std::vector<bool> m_held;
    mutable ValueRanges m_ranges;
    [[nodiscard]] std::optional<double> uniformNumber(const Tensor& tensor) const;
    /// By tensor, which is kept: another may get its address.
    mutable std::unordered_map<const Tensor*, std::pair<TensorPtr, std::optional<double>>> m_uniform;
    mutable std::vector<std::uint32_t> m_nameCounts; ///< by symbol, filled by the first question
    std::string m_off;
};

} // namespace secateur
