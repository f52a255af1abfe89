// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/operator_twin.h"

#include "core/passes/convert/node_parts.h"

namespace secateur {

bool SharedScalars::canMake(NodeId node, ValueId like) const {
    const ElementType type = elementOf(m_types, like);
    if (type == ElementType::undefined) return opsetOf(m_model, node) >= 15; // through CastLike
    return scalarTensor(type, 0) != nullptr;
}

ValueId SharedScalars::make(Editor& editor, NodeId before, ElementType type, double number,
                            std::string_view hint) {
    const bool isShared = enclosingFunction(m_model, m_model.node(before).graph).isNone();
    if (!isShared) return makeConstant(editor, before, hint, scalarTensor(type, number));
    Known& known = m_known[{type, number}];
    // A rewrite that was taken back takes its scalars along, and their ids may stand for something else
    // since.
    const bool isThere = m_model.isAlive(known.value) && m_model.value(known.value).tensor == known.tensor;
    if (!known.tensor || !isThere) {
        known.tensor = scalarTensor(type, number);
        known.value = makeConstant(editor, before, hint, known.tensor);
    }
    return known.value;
}

ValueId SharedScalars::make(Editor& editor, NodeId before, ValueId like, double number,
                            std::string_view hint) {
    const ElementType type = elementOf(m_types, like);
    if (type != ElementType::undefined) return make(editor, before, type, number, hint);
    const ValueId plain = make(editor, before, ElementType::float32, number, hint);
    return addNode(editor, before, "CastLike", {plain, like}, hint);
}

} // namespace secateur
