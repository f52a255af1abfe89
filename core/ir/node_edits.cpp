// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_edits.h"

#include <algorithm>
#include <utility>

namespace secateur {

GraphId enclosingFunction(const Model& model, GraphId graph) {
    for (GraphId at = graph; !at.isNone(); at = model.graph(at).parent) {
        if (model.graph(at).kind == GraphKind::function) return at;
    }
    return {};
}

ValueId makeConstant(Editor& editor, NodeId before, std::string_view hint, TensorPtr tensor) {
    const Model& model = editor.model();
    // Before IR version 4 every initializer must be listed as an input, and inputs are what callers know.
    const bool hasInitializers =
        model.header().irVersion >= 4 && enclosingFunction(model, model.node(before).graph).isNone();
    if (hasInitializers) {
        return editor.createInitializer(model.mainGraph(), editor.freshName(hint), std::move(tensor));
    }
    return addNode(editor, before, "Constant", {}, hint, {Attribute::of("value", std::move(tensor))});
}

ValueId addNode(Editor& editor, NodeId before, std::string_view op, std::vector<ValueId> inputs,
                std::string_view hint, AttributeList attributes) {
    const std::string result = editor.freshName(hint);
    const NodeSpec spec{std::string(op), "", "", std::move(inputs), {result}, std::move(attributes)};
    const NodeId node = editor.createNode(editor.model().node(before).graph, spec, before);
    return editor.model().output(node, 0);
}

NodeId replaceNode(Editor& editor, NodeId node, std::string_view op, std::size_t results) {
    const Model& model = editor.model();
    NodeSpec spec{std::string(op), "", std::string(model.name(node)), {}, {}, {}};
    for (const ValueId input : model.inputs(node))
        spec.inputs.push_back(input);
    const NodeId made = editor.createNode(model.node(node).graph, spec, node);
    editor.setNodeRest(made, model.text(model.node(node).rest));
    if (model.node(node).attributes) editor.shareAttributes(made, model.node(node).attributes);
    std::size_t count = std::min(results, model.outputs(node).size());
    while (results != SIZE_MAX && count > 0 && model.output(node, count - 1).isNone())
        --count;
    const bool endsOmitted = count > 0 && model.output(node, count - 1).isNone();
    if (endsOmitted) editor.setOutputs(made, std::vector<ValueId>(count)); // omitted slots count, too
    for (std::size_t slot = 0; slot < count; ++slot) {
        const ValueId result = model.output(node, slot);
        if (!result.isNone()) editor.takeResult(made, slot, result);
    }
    editor.eraseNode(node);
    return made;
}

AttributeList attributesWithout(const Model& model, NodeId node,
                                std::initializer_list<std::string_view> names) {
    AttributeList attributes = model.attributes(node);
    std::erase_if(attributes, [&](const Attribute& attribute) {
        return std::find(names.begin(), names.end(), attribute.name) != names.end();
    });
    return attributes;
}

ValueId takeOver(Editor& editor, NodeId node, std::size_t slot, ValueId made) {
    const Model& model = editor.model();
    const ValueId result = model.output(node, slot);
    if (result.isNone()) return {};
    editor.takeResult(model.producer(made), model.value(made).resultIndex, result);
    return result;
}

void retire(Editor& editor, NodeId node, ValueId result) {
    const Model& model = editor.model();
    if (!result.isNone()) {
        const NodeId heir = model.producer(result);
        editor.setNodeName(heir, model.name(node));
        editor.setNodeRest(heir, model.text(model.node(node).rest));
    }
    editor.eraseNode(node);
}

} // namespace secateur
