// SPDX-License-Identifier: Apache-2.0
// Removes what learns from gradients: optimizer and accumulator nodes that no output depends on, and
// training_info.
//   dw -> InPlaceAccumulatorV2 -> done  =>  dw
// Exact: no output is computed differently. Their inputs (moments, buffers, learning rate) go with
// drop-training-state.
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/empty_graph.h"
#include "core/passes/convert/removal.h"

namespace secateur {
namespace {

/// training_info holds whole graphs of its own; they may name values of the main graph, so they go first.
void dropTrainingInfo(PassContext& context, std::string_view rule) {
    const auto infos = context.model().header().trainingInfos;
    if (infos.empty()) return;
    RewriteRecord request;
    request.rule = rule;
    request.reason = Reason("drop-optimizer.training-info", {static_cast<std::int64_t>(infos.size())});
    context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
        for (const TrainingInfo& info : infos) {
            // The algorithm may read what the initialization makes, and never the other way round.
            for (const GraphId graph : {info.algorithm, info.initialization}) {
                if (!graph.isNone()) emptyGraph(editor, graph);
            }
        }
        ModelHeader header = editor.model().header();
        header.trainingInfos.clear();
        editor.setModelHeader(std::move(header));
        return kDone;
    });
}

class DropOptimizer final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo("drop-optimizer", Exactness::exact);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        dropTrainingInfo(context, info().id);
        const RemovalPlan plan{info().id,
                               {Role::optimizer, Role::accumulator},
                               {Role::backward, Role::recompute, Role::loss, Role::metric, Role::forward},
                               {}};
        return removeUnreached(context, plan);
    }
};

} // namespace

const Pass& dropOptimizerPass() {
    static const DropOptimizer pass;
    return pass;
}

} // namespace secateur
