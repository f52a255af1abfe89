// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/operator_traits.h"

#include <cstdint>
#include <span>
#include <vector>

namespace secateur {

/// The main graph as a list of positions in topological order, for analyses that sweep over it: forwards
/// (from inputs to outputs) or backwards. What happens in bodies counts for the node that holds them:
/// captures are inputs of that node. Nodes that hang in a cycle come last. Borrows the model; stale once the
/// model is edited.
class GraphIndex {
  public:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    using Flags = std::vector<bool>; ///< one by position

    explicit GraphIndex(const Model& model);

    [[nodiscard]] const Model& model() const { return m_model; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_nodes.size()); }
    [[nodiscard]] NodeId node(std::uint32_t position) const { return m_nodes[position]; }
    /// Of the node itself or of the node of the main graph that holds it; kNone for nodes elsewhere.
    [[nodiscard]] std::uint32_t position(NodeId node) const;
    /// Of the node that makes `value`; kNone for inputs and initializers.
    [[nodiscard]] std::uint32_t producer(ValueId value) const {
        return value.isNone() ? kNone : m_producer[value.index];
    }
    /// Inputs, omitted ones included (none ids), then captured values.
    [[nodiscard]] std::span<const ValueId> inputs(std::uint32_t position) const {
        return {m_inputs.data() + m_inputBegin[position],
                m_inputBegin[position + 1] - m_inputBegin[position]};
    }
    /// Of the operator; of a call: of all operators of the function's body together.
    [[nodiscard]] const OperatorTraits& traits(std::uint32_t position) const { return m_traits[position]; }
    [[nodiscard]] bool isOp(std::uint32_t position, std::string_view op) const {
        return m_model.op(m_nodes[position]) == op;
    }

    /// Everything the values depend on.
    [[nodiscard]] Flags coneOf(std::span<const ValueId> values) const;
    /// Everything that depends on the flagged nodes, these included.
    [[nodiscard]] Flags behind(Flags seeds) const;
    /// Everything that depends on the flagged values (by ValueId index).
    [[nodiscard]] Flags behindValues(const std::vector<bool>& values) const;
    /// Nodes whose results no graph input without a value of its own can change (constants and what is made
    /// of them).
    [[nodiscard]] const Flags& constantNodes() const { return m_isConstant; }

  private:
    void orderNodes();
    void findProducers();
    void readInputs();
    void readTraits();
    void findConstants();

    const Model& m_model;
    std::vector<NodeId> m_nodes;
    std::vector<std::uint32_t> m_position; ///< by NodeId index, main graph only
    std::vector<std::uint32_t> m_producer; ///< by ValueId index
    std::vector<std::uint32_t> m_inputBegin;
    std::vector<ValueId> m_inputs;
    std::vector<OperatorTraits> m_traits;
    Flags m_isConstant;
};

} // namespace secateur
