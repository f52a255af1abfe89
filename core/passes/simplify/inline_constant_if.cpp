// SPDX-License-Identifier: Apache-2.0
// An If whose condition is a constant is the branch that it always takes: the branch's nodes and initializers
// move to where the If stands.
//   y = If(true) {then: a = Relu(x)}  =>  y = Relu(x)
#include "core/exec/branch_inlining.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <utility>
#include <vector>

namespace secateur {
namespace {

/// Gives values of the branch whose names others have, too, names of their own: behind the If there is one
/// scope, and bodies within must not shadow it.
void renameShared(const RuleView& view, Editor& editor, GraphId branch) {
    const Model& model = editor.model();
    std::vector<ValueId> shared;
    for (const NodeId node : model.nodes(branch)) {
        for (const ValueId result : model.outputs(node)) {
            if (!result.isNone() && !model.name(result).empty() && view.isNameShared(result))
                shared.push_back(result);
        }
    }
    for (const ValueId value : shared)
        editor.rename(value, editor.freshName(model.name(value)));
}

/// Has the branch something that only a graph of its own can have?
bool isBound(const Model& model, GraphId branch) {
    const Graph& graph = model.graph(branch);
    return !graph.sparseInitializers.empty() || !graph.header->quantization.empty();
}

Refusal inlineBranch(const RuleView& view, NodeId root, GraphId branch, RuleEdit& edit) {
    const Model& model = edit.model();
    std::vector<std::pair<ValueId, ValueId>> pairs;
    for (std::size_t i = 0; i < model.outputs(root).size(); ++i) {
        const ValueId old = model.output(root, i), now = model.input(model.graph(branch).exit, i);
        if (!old.isNone() && !now.isNone()) pairs.emplace_back(old, now);
    }
    renameShared(view, edit.editor(), branch);
    if (!inlineTakenBranch(edit.editor(), root))
        return Reason("rule.inline-constant-if.refused.branch", {root});
    for (const auto& [old, now] : pairs) {
        if (model.isAlive(now)) edit.standsFor(old, now);
    }
    return kDone;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto condition = view.scalar(model.input(root, 0));
    SECATEUR_PATTERN(condition.has_value());
    const Attribute* taken = model.attribute(root, *condition != 0 ? "then_branch" : "else_branch");
    const auto* branch = taken == nullptr ? nullptr : std::get_if<GraphId>(&taken->value);
    SECATEUR_PATTERN(branch != nullptr);
    // A function has no initializers to move those of the branch to.
    SECATEUR_PATTERN(enclosingFunction(model, model.node(root).graph).isNone() ||
                     model.graph(*branch).initializers.empty());
    SECATEUR_NEAR(!isBound(model, *branch), "rule.inline-constant-if.near.bound", root);
    Reason why("rule.inline-constant-if.why-then", {root});
    if (*condition == 0) why.id = "rule.inline-constant-if.why-else";
    return RuleHit{{root}, std::move(why), std::nullopt, [&view, root, branch = *branch](RuleEdit& edit) {
                       return inlineBranch(view, root, branch, edit);
                   }};
}

} // namespace

const Rule& inlineConstantIfRule() {
    static const Rule rule{"inline-constant-if", RuleGroup::structure, Exactness::exact, {"If"}, match};
    return rule;
}

} // namespace secateur
