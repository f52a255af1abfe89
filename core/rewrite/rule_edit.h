// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/node_edits.h"
#include "core/rewrite/rule.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace secateur {

/// What a rule makes its change with. Nodes whose results nobody reads afterwards go by themselves.
class RuleEdit {
  public:
    RuleEdit(Editor& editor, RewriteRecord& record, const RuleView& view, NodeId root)
        : m_editor(editor), m_record(record), m_view(view), m_root(root) {}

    [[nodiscard]] const Model& model() const { return m_editor.model(); }
    [[nodiscard]] Editor& editor() { return m_editor; }

    /// A new node in front of the root; its one result, called after that of the root.
    ValueId node(std::string_view op, std::vector<ValueId> inputs, AttributeList attributes = {});
    /// A new constant for the root or for what is put in its place.
    ValueId constant(TensorPtr tensor);
    ValueId constant(const std::vector<std::int64_t>& numbers); ///< int64, one dimension

    /// The result of the root is made by the node of `made` (of this edit) from now on: it keeps its name,
    /// type and readers, and the node has the name of the root, which goes.
    void becomes(ValueId made);
    /// Readers of the root's result `slot` read `value`, which was there before.
    Refusal readInstead(ValueId value, std::size_t slot = 0);
    /// The same for those readers that are no outputs of graphs: `old` stays for these.
    void readPast(ValueId old, ValueId value);
    /// Says which value stands for an old one, where the edit was made by hand.
    void standsFor(ValueId old, ValueId now) { m_record.equalValues.emplace_back(old, now); }
    /// Another input for a node that stays what it is.
    void setInput(NodeId node, std::size_t slot, ValueId value) { m_editor.setInput(node, slot, value); }

  private:
    Editor& m_editor;
    RewriteRecord& m_record;
    const RuleView& m_view;
    NodeId m_root;
};

} // namespace secateur
