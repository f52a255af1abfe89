// SPDX-License-Identifier: Apache-2.0
// An If whose condition is a constant is the branch that it always takes: the branch's nodes and initializers
// move to where the If stands.
//   y = If(true) {then: a = Relu(x)}  =>  y = Relu(x)
#include "core/exec/branch_inlining.h"
#include "core/ir/walk.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <set>
#include <unordered_map>

namespace secateur {
namespace {

/// Gives values of the branch whose names others have, too, names of their own: behind the If there is one
/// scope. Bodies within count as well: they must not shadow.
void renameShared(Editor& editor, GraphId branch) {
    const Model& model = editor.model();
    std::set<std::uint32_t> inner;
    const std::vector<GraphId> graphs = graphsWithin(model, branch);
    for (const GraphId graph : graphs)
        inner.insert(graph.index);
    std::unordered_map<std::uint32_t, ValueId> names; // of the branch itself, by symbol
    std::vector<ValueId> shared;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (model.isAlive(value) && model.value(value).graph == branch && !model.name(value).empty())
            names.emplace(model.value(value).name.index, value);
    }
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (!model.isAlive(value) || inner.contains(model.value(value).graph.index)) continue;
        const auto at = names.find(model.value(value).name.index);
        if (at == names.end()) continue;
        shared.push_back(at->second);
        names.erase(at);
    }
    for (const ValueId value : shared)
        editor.rename(value, editor.freshName(model.name(value)));
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
    return RuleHit{
        {root},
        Reason(*condition != 0 ? "rule.inline-constant-if.why-then" : "rule.inline-constant-if.why-else",
               {root}),
        std::nullopt,
        [root, branch = *branch](RuleEdit& edit) -> Refusal {
            renameShared(edit.editor(), branch);
            if (inlineTakenBranch(edit.editor(), root)) return kDone;
            return Reason("rule.inline-constant-if.refused.branch", {root});
        }};
}

} // namespace

const Rule& inlineConstantIfRule() {
    static const Rule rule{"inline-constant-if", RuleGroup::structure, Exactness::exact, {"If"}, match};
    return rule;
}

} // namespace secateur
