// SPDX-License-Identifier: Apache-2.0
//
// A wrong pass, for tests of what must notice it.
#pragma once

#include "core/ir/walk.h"
#include "core/rewrite/pass.h"

#include <string>

namespace secateur::testing {

/// Swaps the operands of every Add and of every Sub: right for the one, wrong for the other.
class SwapOperandsPass final : public Pass {
  public:
    explicit SwapOperandsPass(bool isOnByDefault) {
        m_info.id = "swap-operands";
        m_info.titleId = m_info.summaryId = m_info.beforeAfterId = "pass.drop-loss.title";
        m_info.gainId = m_info.costId = m_info.whenId = "pass.drop-loss.title";
        m_info.isOnByDefault = isOnByDefault;
    }
    [[nodiscard]] const PassInfo& info() const override { return m_info; }

    Result<void> run(PassContext& context) const override {
        const Model& model = context.model();
        for (const NodeId node : nodesWithin(model, model.mainGraph())) {
            if (model.op(node) != "Add" && model.op(node) != "Sub") continue;
            RewriteRecord request;
            request.rule = m_info.id;
            request.root = node;
            request.matched = {node};
            request.reason = Reason("text.nodes", {std::int64_t{1}});
            context.rewrite(request, [&](Editor& editor, RewriteRecord&) {
                editor.setInputs(node, {model.input(node, 1), model.input(node, 0)});
                return kDone;
            });
        }
        return {};
    }

  private:
    PassInfo m_info;
};

} // namespace secateur::testing
