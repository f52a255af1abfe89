// SPDX-License-Identifier: Apache-2.0
// Removes what computes gradients: the nodes with the role backward or recompute that no output depends on,
// and forward nodes that only they read.
//   x -> Gemm -> loss; loss -> Gemm_grad -> dx  =>  x -> Gemm -> loss
// Exact: no output is computed differently. It does not touch what a kept node reads, nor the nodes of
// bodies.
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/removal.h"

namespace secateur {
namespace {

class PruneBackward final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo("prune-backward", Exactness::exact);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const RemovalPlan plan{
            info().id,
            {Role::backward, Role::recompute, Role::forward},
            {Role::loss, Role::metric}, // a loss that reads a gradient, as a gradient penalty does
            {Role::forward}};
        return removeUnreached(context, plan);
    }
};

} // namespace

const Pass& pruneBackwardPass() {
    static const PruneBackward pass;
    return pass;
}

} // namespace secateur
