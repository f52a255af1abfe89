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
    return make(editor, before, scalarTensor(type, number), hint);
}

ValueId SharedScalars::make(Editor& editor, NodeId before, const TensorPtr& tensor, std::string_view hint) {
    const bool isShared = enclosingFunction(m_model, m_model.node(before).graph).isNone();
    const auto bytes = tensor->elementCount() == 1U ? rawBytes(*tensor) : std::nullopt;
    if (!isShared || !bytes) return makeConstant(editor, before, hint, tensor);
    const std::string content(reinterpret_cast<const char*>(bytes->data), bytes->size);
    Known& known = m_known[{tensor->type, tensor->dims, content}];
    // A rewrite that was taken back takes its scalars along, and their ids may stand for something else
    // since.
    const bool isThere = m_model.isAlive(known.value) && m_model.value(known.value).tensor == known.tensor;
    if (!known.tensor || !isThere) known = {makeConstant(editor, before, hint, tensor), tensor};
    return known.value;
}

ValueId SharedScalars::make(Editor& editor, NodeId before, ValueId like, double number,
                            std::string_view hint) {
    const ElementType type = elementOf(m_types, like);
    if (type != ElementType::undefined) return make(editor, before, type, number, hint);
    const ValueId plain = make(editor, before, ElementType::float32, number, hint);
    return addNode(editor, before, "CastLike", {plain, like}, hint);
}

Refusal writeBody(TwinContext& context, Editor& editor, NodeId node) {
    const auto made = context.bodies.inlineAt(editor, node);
    if (made) return kDone;
    return Reason("standard-operators.miss.body", {node, made.error().message});
}

TwinContext::TwinContext(const Model& m, const TypeTable& table)
    : model(m), types(table), scalars(m, table),
      bodies(table, [this](Editor& editor, NodeId before, std::string_view hint, const TensorPtr& tensor) {
          return scalars.make(editor, before, tensor, hint);
      }) {}

} // namespace secateur
