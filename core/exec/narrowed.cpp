// SPDX-License-Identifier: Apache-2.0
#include "core/exec/narrowed.h"

#include "core/analysis/reachability.h"
#include "core/ir/editor.h"

#include <utility>
#include <vector>

namespace secateur {

void narrowTo(Model& model, std::span<const ValueId> values) {
    const GraphId main = model.mainGraph();
    Editor editor(model);
    std::vector<OutputSlot> slots;
    for (const ValueId value : values)
        slots.push_back({model.value(value).name, model.value(value).info});
    editor.setGraphOutputs(main, values, std::move(slots));
    const Reachability needed = findReachable(model, values);
    std::vector<NodeId> idle;
    for (const NodeId node : model.nodes(main))
        if (!needed.isReached(node)) idle.push_back(node);
    editor.eraseNodes(idle);
}

ValueId valueNamed(const Model& model, std::string_view name) {
    if (name.empty()) return {};
    const auto& slots = *model.graph(model.mainGraph()).outputs;
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (model.text(slots[i].name) == name) return model.graphOutputs(model.mainGraph())[i];
    return model.findValue(name, model.mainGraph());
}

} // namespace secateur
