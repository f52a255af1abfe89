// SPDX-License-Identifier: Apache-2.0
// Turns BatchNormalization in training mode, and BatchNormInternal of com.microsoft, into inference: Y comes
// from the running mean and variance. By version: `is_test` up to opset 6, one result from 7 to 13, no
// `training_mode` from 14.
//   Y, m', v' = BatchNormalization(x, s, b, m, v; training_mode=1)  =>  Y = BatchNormalization(x, s, b, m, v)
// Conversion: Y changes. Where the running statistics look untrained (mean 0 and variance 1 everywhere) or
// are computed, batch statistics may be what the network means, so it asks; option batch-norm answers. It
// never trims the results of a node that stays in training mode: in opsets 7 to 13 that would change Y.
#include "core/analysis/operator_mode.h"
#include "core/ir/constants.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/removal.h"
#include "core/passes/convert/weight_source.h"

#include <algorithm>
#include <string>

namespace secateur {
namespace {

constexpr std::string_view kRule = "freeze-batch-norm";

/// The contents of a value that no run changes, looked up through Identity nodes and defaults of inputs.
TensorPtr contentsOf(const Model& model, ValueId value) {
    while (!value.isNone()) {
        if (model.isInitializer(value)) return model.value(value).tensor;
        if (const TensorPtr tensor = constantOf(model, value)) return tensor;
        const NodeId producer = model.producer(value);
        if (producer.isNone() || !model.isOp(producer, "Identity")) return nullptr;
        value = model.input(producer, 0);
    }
    return nullptr;
}

/// Is every element `number`? False where the contents cannot be read.
bool isFilledWith(const Tensor& tensor, double number) {
    const auto numbers = asDoubles(tensor);
    return numbers && !numbers->empty() &&
           std::all_of(numbers->begin(), numbers->end(), [&](double x) { return x == number; });
}

enum class Statistics : std::uint8_t { trained, given, untrained, computed, missing };

/// One BatchNormalization that trains.
class Freezing {
  public:
    Freezing(PassContext& context, NodeId node, const WeightSource* weights)
        : m_context(context), m_model(context.model()), m_node(node), m_weights(weights) {}

    /// Where the running statistics are, and what they look like.
    Statistics statistics() {
        const ValueId mean = m_model.input(m_node, 3), variance = m_model.input(m_node, 4);
        if (mean.isNone() || variance.isNone()) return Statistics::missing;
        const TensorPtr means = contentsOf(m_model, mean), variances = contentsOf(m_model, variance);
        const bool areKnown = means && variances;
        if (areKnown && (!isFilledWith(*means, 0) || !isFilledWith(*variances, 1)))
            return Statistics::trained;
        if (findUpdated(mean, variance)) return Statistics::trained;
        if (areKnown) return Statistics::untrained;
        return isGiven(mean) && isGiven(variance) ? Statistics::given : Statistics::computed;
    }

    /// A reason why the node cannot become an inference node, whatever the statistics are.
    std::optional<Reason> whyNot() const {
        const std::int64_t opset = opsetOf(m_model, m_node);
        if (opset <= 8 && !isBatchNormInternal(m_model, m_node) &&
            m_model.intAttribute(m_node, "spatial", 1) == 0) {
            return Reason("freeze-batch-norm.miss.spatial", {m_node});
        }
        for (std::size_t slot = 3; slot < m_model.outputs(m_node).size(); ++slot) {
            if (isResultRead(m_model, m_node, slot)) {
                return Reason("freeze-batch-norm.miss.statistics-read",
                              {m_node, m_model.output(m_node, slot)});
            }
        }
        const TypeTable& types = m_context.types();
        const ElementType x = elementOf(types, m_model.input(m_node, 0)),
                          scale = elementOf(types, m_model.input(m_node, 1));
        const bool isMixed = x != ElementType::undefined && scale != ElementType::undefined && x != scale;
        if (isBatchNormInternal(m_model, m_node) && isMixed && opset < 15)
            return Reason("freeze-batch-norm.miss.mixed-types", {m_node});
        return std::nullopt;
    }

    void freeze(Statistics kind) {
        const char* reason = kind == Statistics::trained ? "freeze-batch-norm.trained"
                             : kind == Statistics::given ? "freeze-batch-norm.given"
                                                         : "freeze-batch-norm.as-asked";
        RewriteRecord request =
            requestFor(Reason(reason, {m_node, m_model.input(m_node, 3), m_model.input(m_node, 4)}));
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
            if (m_newMean) {
                editor.setInput(
                    m_node, 3,
                    makeConstant(editor, m_node, m_model.name(m_model.output(m_node, 1)), m_newMean));
                editor.setInput(
                    m_node, 4,
                    makeConstant(editor, m_node, m_model.name(m_model.output(m_node, 2)), m_newVariance));
            }
            for (std::size_t slot = 1; slot <= 2;
                 ++slot) { // in inference the running statistics stay what they are
                const ValueId running = m_model.output(m_node, slot);
                if (running.isNone()) continue;
                if (Refusal why = readInstead(editor, running, m_model.input(m_node, slot + 2))) return why;
                record.equalValues.emplace_back(running, m_model.input(m_node, slot + 2));
            }
            NodeId frozen = m_node;
            if (isBatchNormInternal(m_model, m_node))
                frozen = replaceNode(editor, m_node, "BatchNormalization", 1);
            else
                keepResults(editor, m_node, 1);
            editor.removeAttribute(frozen, "training_mode");
            if (opsetOf(m_model, frozen) <= 6)
                editor.setAttribute(frozen, Attribute::of("is_test", std::int64_t{1}));
            return kDone;
        });
    }

    /// Keeps batch statistics, in the standard operator.
    void keepBatch() {
        if (!isBatchNormInternal(m_model, m_node))
            return m_context.miss(kRule, m_node, Reason("freeze-batch-norm.miss.as-asked", {m_node}));
        const std::int64_t opset = opsetOf(m_model, m_node);
        // Results 3 and 4 are no twins: the standard operator saves a variance, this one its inverse root.
        const bool isSavedRead = isResultRead(m_model, m_node, 3) || isResultRead(m_model, m_node, 4);
        // Opsets 7 to 13 tell training by the number of results alone.
        const bool isSilent = opset < 14 && m_model.outputs(m_node).size() < 2;
        if (opset < 7 || isSavedRead || isSilent)
            return m_context.miss(kRule, m_node, Reason("freeze-batch-norm.miss.no-training-twin", {m_node}));
        RewriteRecord request = requestFor(Reason("freeze-batch-norm.batch", {m_node}));
        request.exactness = Exactness::exact;
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            const NodeId made = replaceNode(editor, m_node, "BatchNormalization", opset < 14 ? SIZE_MAX : 3);
            if (opset < 14)
                editor.removeAttribute(made, "training_mode"); // there the results say it
            else
                editor.setAttribute(made, Attribute::of("training_mode", std::int64_t{1}));
            return kDone;
        });
    }

  private:
    RewriteRecord requestFor(Reason reason) const {
        RewriteRecord request;
        request.rule = kRule;
        request.root = m_node;
        request.matched = {m_node};
        request.reason = std::move(reason);
        request.exactness = Exactness::conversion;
        return request;
    }

    bool isGiven(ValueId value) const { return m_model.isGraphInput(value); }

    /// Trained statistics may be stored under the names of the node's results, which are the updated ones.
    bool findUpdated(ValueId mean, ValueId variance) {
        if (m_weights == nullptr) return false;
        const TensorPtr newMean = storedFor(1, mean), newVariance = storedFor(2, variance);
        if (!newMean || !newVariance) return false;
        m_newMean = newMean;
        m_newVariance = newVariance;
        return true;
    }

    /// The stored tensor called as a result of the node, where it has the type and shape of `old`.
    TensorPtr storedFor(std::size_t slot, ValueId old) const {
        const ValueId result = m_model.output(m_node, slot);
        const TensorPtr stored =
            result.isNone() ? nullptr : m_weights->find(std::string(m_model.name(result)));
        const Type& type = m_context.types().type(old);
        const bool fits = stored && type.isTensor() && type.element == stored->type &&
                          (!type.hasShape || type.dims.size() == stored->dims.size()) &&
                          (!type.elementCount() || type.elementCount() == stored->elementCount());
        return fits ? stored : nullptr;
    }

    PassContext& m_context;
    const Model& m_model;
    NodeId m_node;
    const WeightSource* m_weights;
    TensorPtr m_newMean, m_newVariance;
};

class FreezeBatchNorm final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::conversion,
                                               {{"batch-norm", {"ask", "running", "batch"}, "ask", ""}});
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const Model& model = context.model();
        const std::string answer = context.option(info(), "batch-norm");
        std::vector<NodeId> nodes;
        for (const NodeId node : convertibleNodes(model)) {
            const bool isOne = isBatchNormInternal(model, node) || model.isOp(node, "BatchNormalization");
            if (!isOne) continue;
            const Attribute* mode = model.attribute(node, "training_mode");
            if (mode != nullptr && !mode->reference.empty()) {
                context.miss(kRule, node, Reason("freeze-batch-norm.miss.attribute-of-call", {node}));
            } else if (isBatchNormInternal(model, node) || takesBatchStatistics(model, node)) {
                nodes.push_back(node);
            }
        }
        if (nodes.empty()) return {};
        std::optional<WeightSource> weights;
        if (!context.environment().weightsPath.empty())
            weights = TRY(openWeights(context.environment().weightsPath));
        std::vector<NodeId> doubtful;
        for (const NodeId node : nodes) {
            if (context.work().isCancelled()) return cancelled();
            convert(context, Freezing(context, node, weights ? &*weights : nullptr), node, answer, doubtful);
        }
        if (!doubtful.empty()) {
            const auto count = static_cast<std::int64_t>(doubtful.size());
            context.ask({Reason("freeze-batch-norm.ask", {count, doubtful.front()}),
                         "batch-norm",
                         {"running", "batch"},
                         doubtful});
        }
        return {};
    }

  private:
    static void convert(PassContext& context, Freezing freezing, NodeId node, const std::string& answer,
                        std::vector<NodeId>& doubtful) {
        const bool isTrained = takesBatchStatistics(context.model(), node);
        if (answer == "batch" && isTrained) return freezing.keepBatch();
        if (std::optional<Reason> why = freezing.whyNot()) return context.miss(kRule, node, std::move(*why));
        const Statistics kind = freezing.statistics();
        if (kind == Statistics::missing) {
            context.miss(kRule, node, Reason("freeze-batch-norm.miss.no-statistics", {node}));
            if (answer == "ask" && isTrained) doubtful.push_back(node);
            return;
        }
        const bool isDoubtful = kind == Statistics::untrained || kind == Statistics::computed;
        if (isDoubtful && isTrained && answer != "running") {
            context.miss(kRule, node,
                         Reason(kind == Statistics::untrained ? "freeze-batch-norm.miss.untrained"
                                                              : "freeze-batch-norm.miss.computed",
                                {node}));
            doubtful.push_back(node);
            return;
        }
        freezing.freeze(kind);
    }
};

} // namespace

const Pass& freezeBatchNormPass() {
    static const FreezeBatchNorm pass;
    return pass;
}

} // namespace secateur
