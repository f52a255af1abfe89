// SPDX-License-Identifier: Apache-2.0
// Removes the data of training that nothing reads any more: inputs that became unread (labels, gradient
// buffers, moments, lazy_reset_grad), unread initializers, second copies of one weight, unread results that
// only a backward half reads (Indices of MaxPool, statistics of LayerNormalization), functions without a
// call, opsets without an operator.
//   inputs x, labels, w.buffer  =>  input x
// Exact: no output is computed differently. An input that nothing read in the opened file stays: it is part
// of the interface. Results of a BatchNormalization in training mode are never trimmed: that would change the
// others.
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/removal.h"
#include "core/passes/convert/unread_data.h"

namespace secateur {
namespace {

class DropTrainingState final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo("drop-training-state", Exactness::exact);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const std::string_view rule = info().id;
        const RemovalPlan plan{rule, {Role::optimizer, Role::accumulator}, {}, {}};
        if (Result<void> done = removeUnreached(context, plan); !done) return done;
        trimUnreadResults(context, rule);
        dropUncalledFunctions(context, rule);
        dropUnreadInputs(context, rule);
        if (context.work().isCancelled()) return cancelled();
        dropUnreadInitializers(context, rule);
        shareEqualWeights(context, rule);
        dropUnusedOpsets(context, rule);
        return {};
    }
};

} // namespace

const Pass& dropTrainingStatePass() {
    static const DropTrainingState pass;
    return pass;
}

} // namespace secateur
