// SPDX-License-Identifier: Apache-2.0
// Gives parameters that are graph inputs their contents from a file of weights, by name, and takes them off
// the inputs.
//   inputs x, w; checkpoint w  =>  input x, initializer w
// Conversion: a caller no longer passes the weights. An input whose type or shape disagrees with the file
// stays, with the reason; inputs that nothing reads are left to drop-training-state.
#include "core/analysis/training_signs.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/weight_source.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace secateur {
namespace {

constexpr std::string_view kRule = "attach-weights";

bool fits(const Type& declared, const Tensor& tensor) {
    if (!declared.isTensor()) return declared.kind == Type::Kind::none;
    if (declared.element != ElementType::undefined && declared.element != tensor.type) return false;
    if (!declared.hasShape) return true;
    if (declared.dims.size() != tensor.dims.size()) return false;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
        if (declared.dims[i].value && *declared.dims[i].value != tensor.dims[i]) return false;
    }
    return true;
}

constexpr std::size_t kShownNames = 4;

class Attachment {
  public:
    Attachment(PassContext& context, const WeightSource& source)
        : m_context(context), m_model(context.model()), m_main(m_model.mainGraph()), m_source(source) {}

    void run() {
        std::vector<std::string> unknown;
        for (const ValueId input : m_model.graphInputs(m_main)) {
            if (!m_model.hasUses(input) || m_model.isInitializer(input)) continue;
            const std::string name(m_model.name(input));
            const TensorPtr tensor = m_source.find(name);
            if (!tensor) {
                if (isParameter(input)) unknown.push_back(name);
            } else if (!fits(m_model.declaredType(input), *tensor)) {
                m_context.miss(kRule, {},
                               Reason("attach-weights.miss.type",
                                      {input, m_model.declaredType(input).text(), tensor->asType().text()}));
            } else {
                m_found.emplace_back(input, tensor);
            }
        }
        if (!unknown.empty()) {
            m_context.miss(kRule, {},
                           Reason("attach-weights.miss.unknown", {static_cast<std::int64_t>(unknown.size()),
                                                                  quotedList(unknown, kShownNames)}));
        }
        if (m_found.empty()) {
            m_context.miss(
                kRule, {},
                Reason("attach-weights.miss.nothing", {static_cast<std::int64_t>(m_source.tensors.size())}));
            return;
        }
        attach();
    }

  private:
    /// Does the network read the input where it reads weights, or as a bias? A batch of data, which no file
    /// of weights holds, is nothing to warn about.
    bool isParameter(ValueId input) {
        const Type& type = m_model.declaredType(input);
        const bool isFixed =
            type.isTensor() && isFloatingPoint(type.element) && type.elementCount().has_value();
        if (!isFixed) return false;
        if (!m_signs) m_signs = findTrainingSigns(GraphIndex(m_model), m_context.types());
        if (m_signs->isWeight[input.index]) return true;
        if (type.dims.size() > 1) return false;
        static constexpr std::array<std::string_view, 4> kElementwise{"Add", "Div", "Mul", "Sub"};
        for (const Use use : m_model.uses(input)) {
            const bool isElementwise =
                m_model.isDefaultDomain(use.node) && std::find(kElementwise.begin(), kElementwise.end(),
                                                               m_model.op(use.node)) != kElementwise.end();
            if (!isElementwise) return false;
        }
        return true;
    }

    void attach() {
        RewriteRecord request;
        request.rule = kRule;
        request.reason = Reason("attach-weights.attach", {static_cast<std::int64_t>(m_found.size())});
        request.exactness = Exactness::conversion;
        for (const auto& [input, tensor] : m_found)
            request.valueReasons.emplace_back(input, Reason("attach-weights.input", {input}));
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            std::vector<bool> isParameter(m_model.valueIdCount(), false);
            for (const auto& [input, tensor] : m_found) {
                editor.setTensor(input, tensor);
                isParameter[input.index] = true;
            }
            const auto before = m_model.graphInputs(m_main);
            const std::vector<ValueId> all(before.begin(), before.end());
            std::vector<ValueId> inputs;
            for (const ValueId input : all) {
                if (!isParameter[input.index]) inputs.push_back(input);
            }
            editor.setGraphInputs(m_main, inputs);
            // Before IR version 4 the format wants initializers among the inputs, and they are constants all
            // the same.
            if (m_model.header().irVersion < 4) editor.setGraphInputs(m_main, all);
            return kDone;
        });
    }

    PassContext& m_context;
    const Model& m_model;
    GraphId m_main;
    const WeightSource& m_source;
    std::vector<std::pair<ValueId, TensorPtr>> m_found;
    std::optional<TrainingSigns> m_signs;
};

class AttachWeights final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::conversion);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        if (context.environment().weightsPath.empty()) return {};
        const WeightSource source = TRY(openWeights(context.environment().weightsPath));
        Attachment(context, source).run();
        return {};
    }
};

} // namespace

const Pass& attachWeightsPass() {
    static const AttachWeights pass;
    return pass;
}

} // namespace secateur
