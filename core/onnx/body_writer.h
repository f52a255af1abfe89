// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Writes nodes with one result each in front of a node that they will replace.
class BodyWriter {
  public:
    BodyWriter(Editor& editor, NodeId replaced);

    /// A node of the default domain; its result.
    ValueId op(std::string_view name, std::initializer_list<ValueId> inputs, AttributeList attributes = {});
    /// A number as a scalar of a floating-point type (float, double, float16, bfloat16).
    ValueId scalar(double value, ElementType type);
    /// Constant contents: an initializer, or a Constant node inside a function.
    ValueId constant(std::string_view hint, TensorPtr tensor);
    /// Results of `replaced` are read from `results` from now on, and it goes.
    void finish(const std::vector<ValueId>& results);

    [[nodiscard]] Editor& editor() { return m_editor; }
    [[nodiscard]] NodeId replaced() const { return m_replaced; }
    [[nodiscard]] std::string freshName(std::string_view part);
    void note(NodeId made) { m_made.push_back(made); }
    [[nodiscard]] std::vector<NodeId> takeMade() { return std::move(m_made); }

  private:
    [[nodiscard]] bool isInFunction() const;

    Editor& m_editor;
    NodeId m_replaced;
    std::string m_stem; // of the names it makes
    std::vector<NodeId> m_made;
};

} // namespace secateur
