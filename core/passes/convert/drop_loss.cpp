// SPDX-License-Identifier: Apache-2.0
// Removes losses and metrics that no output depends on, with the forward nodes that only they read. Where the
// log probabilities of a loss are still wanted, the loss becomes the LogSoftmax that it computes them with.
//   logits, labels -> SoftmaxCrossEntropyLoss -> loss  =>  logits
//   logits, labels -> SoftmaxCrossEntropyLoss -> -, log_prob  =>  logits -> LogSoftmax -> log_prob
// Exact for removals, and for the second form up to the last bit. A loss that is itself an output stays.
#include "core/analysis/reachability.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/removal.h"

namespace secateur {
namespace {

/// A loss operator with log probabilities as its second result.
bool isSoftmaxLoss(const Model& model, NodeId node) {
    const std::string_view op = model.op(node);
    if (model.isDefaultDomain(node))
        return op == "SoftmaxCrossEntropyLoss" || op == "SparseSoftmaxCrossEntropy";
    if (model.domain(node) != "com.microsoft") return false;
    return op == "SoftmaxCrossEntropyLossInternal" || op == "SoftmaxCrossEntropyLoss" ||
           op == "SoftmaxCrossEntropy" || op == "SparseSoftmaxCrossEntropy";
}

/// SoftmaxCrossEntropyLoss normalizes over the class axis 1; the older two over the last axis.
bool isOverLastAxis(const Model& model, NodeId node) {
    return model.op(node) == "SoftmaxCrossEntropy" || model.op(node) == "SparseSoftmaxCrossEntropy";
}

class LogProbabilities {
  public:
    LogProbabilities(PassContext& context, std::string_view rule)
        : m_context(context), m_model(context.model()), m_rule(rule) {}

    void run() {
        std::vector<NodeId> losses;
        for (const NodeId node : convertibleNodes(m_model)) {
            const bool isWanted = isSoftmaxLoss(m_model, node) && isResultRead(m_model, node, 1) &&
                                  !isResultRead(m_model, node, 0);
            if (isWanted) losses.push_back(node);
        }
        if (losses.empty()) return;
        std::vector<ValueId> roots;
        for (const ValueId output : m_model.graphOutputs(m_model.mainGraph()))
            roots.push_back(output);
        const Reachability reach =
            findReachable(m_model, roots); // a loss that only a gradient reads goes later, or stays
        for (const NodeId node : losses) {
            if (reach.isReached(node)) convert(node);
        }
    }

  private:
    void convert(NodeId node) {
        const std::int64_t opset = opsetOf(m_model, node);
        const std::optional<std::int64_t> rank = rankOf(m_context.types(), m_model.input(node, 0));
        const bool isLast = isOverLastAxis(m_model, node);
        // Below opset 13 LogSoftmax flattens to two axes: right where only the last axis lies behind the cut.
        const bool isPlain = opset >= 13 || (rank && (isLast || *rank == 2));
        if (!isPlain && !rank) return m_context.miss(m_rule, node, Reason("drop-loss.miss.rank", {node}));
        const std::int64_t axis = !isLast ? 1 : rank ? *rank - 1 : -1;

        RewriteRecord request;
        request.rule = m_rule;
        request.root = node;
        request.matched = {node};
        request.reason = Reason("drop-loss.log-probabilities", {node, m_model.output(node, 1)});
        request.exactness = Exactness::value;
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) {
            const ValueId scores = m_model.input(node, 0);
            const ValueId old = m_model.output(node, 1);
            const std::vector<ValueId> read = allReadBy(m_model, node);
            ValueId now;
            if (isPlain) {
                now = addNode(editor, node, "LogSoftmax", {scores}, m_model.name(old),
                              {Attribute::of("axis", axis)});
            } else {
                const ValueId sum = addNode(editor, node, "ReduceLogSumExp", {scores}, "log_sum_exp",
                                            {Attribute::of("axes", std::vector<std::int64_t>{axis}),
                                             Attribute::of("keepdims", std::int64_t{1})});
                now = addNode(editor, node, "Sub", {scores, sum}, m_model.name(old));
            }
            retire(editor, node, takeOver(editor, node, 1, now));
            eraseDeadProducers(editor, read, node, record);
            return kDone;
        });
    }

    PassContext& m_context;
    const Model& m_model;
    std::string_view m_rule;
};

class DropLoss final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo("drop-loss", Exactness::exact);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const RemovalPlan plan{info().id, {Role::loss, Role::metric, Role::forward}, {}, {}};
        if (Result<void> done = removeUnreached(context, plan); !done) return done;
        LogProbabilities(context, info().id).run();
        return {};
    }
};

} // namespace

const Pass& dropLossPass() {
    static const DropLoss pass;
    return pass;
}

} // namespace secateur
