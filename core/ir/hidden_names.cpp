// SPDX-License-Identifier: Apache-2.0
#include "core/ir/hidden_names.h"

#include "core/ir/walk.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace secateur {
namespace {

/// Values of bodies by graph and name.
using Locals = std::unordered_map<std::uint64_t, ValueId>;

std::uint64_t keyOf(GraphId graph, Symbol name) {
    return std::uint64_t{graph.index} << 32U | name.index;
}

Locals localsOf(const Model& model) {
    Locals locals;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId id(i);
        if (!model.isAlive(id) || model.name(id).empty()) continue;
        const Value& value = model.value(id);
        if (!model.graph(value.graph).parent.isNone()) locals.emplace(keyOf(value.graph, value.name), id);
    }
    return locals;
}

} // namespace

std::vector<ValueId> valuesThatHideReads(const Model& model) {
    std::vector<GraphId> bodies;
    for (const GraphId graph : allGraphs(model)) {
        if (!model.graph(graph).parent.isNone()) bodies.push_back(graph);
    }
    if (bodies.empty()) return {};
    const Locals locals = localsOf(model);
    std::vector<ValueId> hiding;
    const auto look = [&](GraphId body, ValueId read) {
        if (read.isNone()) return;
        const Value& value = model.value(read);
        for (GraphId at = body; !at.isNone() && at != value.graph; at = model.graph(at).parent) {
            const auto found = locals.find(keyOf(at, value.name));
            if (found != locals.end() && found->second != read) hiding.push_back(found->second);
        }
    };
    for (const GraphId body : bodies) {
        for (const NodeId node : model.nodes(body)) {
            for (const ValueId read : model.inputs(node))
                look(body, read);
        }
        for (const ValueId read : model.graphOutputs(body))
            look(body, read);
    }
    std::sort(hiding.begin(), hiding.end(), [&](ValueId a, ValueId b) {
        return std::pair(model.value(a).graph.index, a.index) <
               std::pair(model.value(b).graph.index, b.index);
    });
    hiding.erase(std::unique(hiding.begin(), hiding.end()), hiding.end());
    return hiding;
}

void renameInBody(Editor& editor, ValueId value) {
    const Model& model = editor.model();
    const GraphId body = model.value(value).graph;
    const Symbol old = model.value(value).name;
    editor.rename(value, editor.freshName(model.name(value)));
    std::vector<OutputSlot> slots = *model.graph(body).outputs;
    std::vector<ValueId> outputs;
    bool isOutput = false;
    for (const ValueId output : model.graphOutputs(body)) {
        if (output == value && slots[outputs.size()].name == old) {
            slots[outputs.size()].name = model.value(value).name;
            isOutput = true;
        }
        outputs.push_back(output);
    }
    if (isOutput) editor.setGraphOutputs(body, outputs, std::move(slots));
}

} // namespace secateur
