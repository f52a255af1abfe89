// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule_edit.h"

#include <string>
#include <utility>

namespace secateur {

namespace {

/// What new values are called after.
std::string hintOf(const Model& model, NodeId root) {
    const ValueId result = model.output(root, 0);
    return result.isNone() ? std::string(model.op(root)) : std::string(model.name(result));
}

} // namespace

ValueId RuleEdit::node(std::string_view op, std::vector<ValueId> inputs, AttributeList attributes) {
    return addNode(m_editor, m_root, op, std::move(inputs), hintOf(model(), m_root), std::move(attributes));
}

ValueId RuleEdit::constant(TensorPtr tensor) {
    return makeConstant(m_editor, m_root, hintOf(model(), m_root) + "_constant", std::move(tensor));
}

ValueId RuleEdit::constant(const std::vector<std::int64_t>& numbers) {
    return constant(makeInt64Tensor({static_cast<std::int64_t>(numbers.size())}, numbers));
}

void RuleEdit::becomes(ValueId made) {
    retire(m_editor, m_root, takeOver(m_editor, m_root, 0, made));
}

Refusal RuleEdit::readInstead(ValueId value, std::size_t slot) {
    const ValueId old = model().output(m_root, slot);
    if (old.isNone()) return kDone;
    // An output would give it another name.
    if (m_view.isHeldByName(value) && model().isGraphOutput(old)) return Reason("rewrite.miss.held", {value});
    if (!m_editor.replace(old, value)) return Reason("rewrite.miss.output-is-input", {old});
    m_record.equalValues.emplace_back(old, value);
    return kDone;
}

void RuleEdit::readPast(ValueId old, ValueId value) {
    std::vector<Use> readers;
    for (const Use use : model().uses(old)) {
        if (model().node(use.node).kind == NodeKind::operation) readers.push_back(use);
    }
    for (const Use use : readers)
        m_editor.setInput(use.node, use.slot, value);
}

} // namespace secateur
