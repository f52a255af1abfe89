// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/empty_graph.h"

#include <vector>

namespace secateur {

void emptyGraph(Editor& editor, GraphId graph) {
    const Model& model = editor.model();
    editor.setGraphOutputs(graph, {}, {});
    for (NodeId at = model.graph(graph).tail; !at.isNone(); at = model.graph(graph).tail)
        editor.eraseNode(at);
    editor.setGraphInputs(graph, {});
    const std::vector<ValueId> initializers = model.graph(graph).initializers;
    for (const ValueId value : initializers) {
        if (model.isAlive(value)) editor.eraseValue(value);
    }
}

} // namespace secateur
