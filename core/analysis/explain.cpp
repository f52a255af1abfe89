// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"

#include "core/analysis/removal_reasons.h"

#include <algorithm>

namespace secateur {
namespace {

/// The output slot's value that `node` fills in the main graph; none where it fills none.
ValueId outputFilledBy(const Model& model, NodeId node) {
    const NodeId exit = model.graph(model.mainGraph()).exit;
    for (const ValueId output : model.outputs(node)) {
        if (output.isNone()) continue;
        for (const Use use : model.uses(output))
            if (use.node == exit) return output;
    }
    return {};
}

ValueId targetOf(const Model& model, std::span<const ValueId> targets, NodeId node) {
    for (const ValueId target : targets)
        if (model.isAlive(target) && model.producer(target) == node) return target;
    return {};
}

ValueId firstOf(std::span<const ValueId> targets) {
    return targets.empty() ? ValueId() : targets.front();
}

Reason reasonForKeeping(const Model& model, std::span<const ValueId> targets, NodeId node,
                        const std::vector<NodeId>& path) {
    if (const ValueId target = targetOf(model, targets, node))
        return Reason("kept.makes-target", {node, target});
    const ValueId target = path.empty() ? ValueId() : targetOf(model, targets, path.back());
    if (path.size() < 2 || target.isNone()) return Reason("kept.holds-target", {node, firstOf(targets)});
    const NodeId reader = path[1];
    const bool isInside = model.isInside(model.node(node).graph, model.node(reader).graph) &&
                          model.node(node).graph != model.node(reader).graph;
    if (isInside) return Reason("kept.inside", {node, reader, target});
    if (path.size() == 2) return Reason("kept.feeds-target-next", {node, reader, target});
    return Reason("kept.feeds-target", {node, reader, target, static_cast<std::int64_t>(path.size() - 1)});
}

/// An accumulator of ONNX Runtime hands out first that it has added; the buffer itself is another output, if
/// any.
Reason endAtAccumulator(const Model& model, NodeId end, ValueId output) {
    const bool isFlag = model.declaredType(output).element == ElementType::boolean ||
                        (model.op(end) == "InPlaceAccumulatorV2" && model.output(end, 0) == output);
    return Reason(isFlag ? "end.accumulator-flag" : "end.accumulator", {end, output});
}

/// An output of an update: a new weight, or what the optimizer keeps for it.
Reason endAtUpdate(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId end,
                   ValueId output) {
    const ValueId weight = roles.servedBy(end);
    const bool isMoment = reasonForRemoval(model, roles, reach, end).id == "removed.writes-state";
    return Reason(isMoment ? "end.updated-moment" : "end.updated-weight", {end, output, weight});
}

Reason endOfDeadPath(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId end) {
    const Role role = roles.of(end);
    const ValueId output = outputFilledBy(model, end);
    if (output && role == Role::accumulator) return endAtAccumulator(model, end, output);
    if (output && role == Role::optimizer && roles.servedBy(end))
        return endAtUpdate(model, roles, reach, end, output);
    if (output) return Reason("end.other-output", {end, output});
    const auto outputs = model.outputs(end);
    const bool isRead =
        std::any_of(outputs.begin(), outputs.end(), [&](ValueId v) { return v && model.hasUses(v); });
    return Reason(isRead ? "end.cycle" : "end.unread", {end});
}

/// Fills in why a node is kept, and where `path` leads.
void tellNeed(Explanation& out, const Model& model, std::span<const ValueId> targets) {
    const NodeId last = out.path.empty() ? out.node : out.path.back();
    const ValueId target = targetOf(model, targets, last);
    out.reason = reasonForKeeping(model, targets, out.node, out.path);
    out.end = Reason("end.target", {last, target ? target : firstOf(targets)});
}

} // namespace

Explanation explainNode(const Model& model, const RoleTable& roles, const Reachability& reach,
                        const DeadEnds& ends, NodeId node, const Reason* fate) {
    const bool hasFate = fate != nullptr && !fate->id.empty();
    Explanation out;
    out.node = node;
    out.role = roles.of(node);
    out.twin = roles.sureTwinOf(node);
    const bool isReached = reach.isReached(node);
    out.isKept = isReached && fate == nullptr;
    if (isReached) {
        out.path = pathToTarget(reach, node);
        tellNeed(out, model, reach.targets);
        // What a rewrite took from the way to a target ends nowhere: others stand there now.
        out.stoodOnWay = fate != nullptr;
        const char* id = out.path.size() > 1 ? "end.stood-before" : "end.made-target";
        if (out.stoodOnWay) out.end = Reason(id, {node, out.end.arguments.back()});
    } else {
        out.path = ends.path(node);
        if (!hasFate) out.reason = reasonForRemoval(model, roles, reach, node);
        out.end = endOfDeadPath(model, roles, reach, out.path.back());
    }
    if (hasFate) out.reason = *fate;
    return out;
}

Explanation explainNeed(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId node) {
    Explanation out;
    out.node = node;
    out.role = roles.of(node);
    out.isKept = true;
    out.path = pathToTarget(reach, node);
    tellNeed(out, model, reach.targets);
    return out;
}

} // namespace secateur
