// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/empty_graph.h"

#include <vector>

namespace secateur {

void emptyGraph(Editor& editor, GraphId graph) {
    const Model& model = editor.model();
    editor.setGraphOutputs(graph, {}, {});
    std::vector<NodeId> nodes;
    for (const NodeId node : model.nodes(graph))
        nodes.push_back(node);
    editor.eraseNodes(nodes);
    editor.setGraphInputs(graph, {});
    const std::vector<ValueId> initializers = model.graph(graph).initializers;
    for (const ValueId value : initializers) {
        if (model.isAlive(value)) editor.eraseValue(value);
    }
}

} // namespace secateur
