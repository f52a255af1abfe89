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

ValueId targetOf(const Model& model, const Reachability& reach, NodeId node) {
    for (const ValueId target : reach.targets)
        if (model.producer(target) == node) return target;
    return {};
}

Reason reasonForKeeping(const Model& model, const Reachability& reach, NodeId node,
                        const std::vector<NodeId>& path) {
    if (const ValueId target = targetOf(model, reach, node))
        return Reason("kept.makes-target", {node, target});
    const ValueId target = path.empty() ? ValueId() : targetOf(model, reach, path.back());
    if (path.size() < 2 || target.isNone()) return Reason("kept.holds-target", {node, firstTarget(reach)});
    const NodeId reader = path[1];
    const bool isInside = model.isInside(model.node(node).graph, model.node(reader).graph) &&
                          model.node(node).graph != model.node(reader).graph;
    if (isInside) return Reason("kept.inside", {node, reader, target});
    if (path.size() == 2) return Reason("kept.feeds-target-next", {node, reader, target});
    return Reason("kept.feeds-target", {node, reader, target, static_cast<std::int64_t>(path.size() - 1)});
}

Reason endOfDeadPath(const Model& model, const RoleTable& roles, NodeId end) {
    const Role role = roles.of(end);
    const ValueId output = outputFilledBy(model, end);
    if (output && role == Role::accumulator) return Reason("end.accumulator", {end, output});
    if (output && role == Role::optimizer && roles.servedBy(end))
        return Reason("end.updated-weight", {end, output, roles.servedBy(end)});
    if (output) return Reason("end.other-output", {end, output});
    const auto outputs = model.outputs(end);
    const bool isRead =
        std::any_of(outputs.begin(), outputs.end(), [&](ValueId v) { return v && model.hasUses(v); });
    return Reason(isRead ? "end.cycle" : "end.unread", {end});
}

Reason reasonOfRecord(const RewriteRecord& record, NodeId node) {
    for (const auto& [about, reason] : record.nodeReasons)
        if (about == node) return reason;
    return record.reason;
}

} // namespace

Explanation explainNode(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId node,
                        const RewriteRecord* record) {
    Explanation out;
    out.node = node;
    out.role = roles.of(node);
    out.twin = roles.twinOf(node);
    const bool isReached = reach.isReached(node);
    out.isKept = isReached && record == nullptr;
    if (isReached) {
        out.path = pathToTarget(reach, node);
        out.reason = reasonForKeeping(model, reach, node, out.path);
        const ValueId target = out.path.empty() ? ValueId() : targetOf(model, reach, out.path.back());
        out.end = Reason("end.target",
                         {out.path.empty() ? node : out.path.back(), target ? target : firstTarget(reach)});
    } else {
        out.path = pathToDeadEnd(model, node);
        out.reason = reasonForRemoval(model, roles, reach, node);
        out.end = endOfDeadPath(model, roles, out.path.back());
    }
    if (record != nullptr) {
        const Reason given = reasonOfRecord(*record, node);
        if (!given.id.empty()) out.reason = given;
    }
    return out;
}

} // namespace secateur
