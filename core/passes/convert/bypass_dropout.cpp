// SPDX-License-Identifier: Apache-2.0
// Takes Dropout out, in every version and in the fused forms of com.microsoft: readers get the data itself,
// readers of the mask get a mask that keeps everything, in the mask's own type.
//   y, mask = Dropout(x, ratio, training_mode)  =>  y = x, mask = all true
// Exact where the node does not drop anything (inference mode, or ratio 0), else the conversion to evaluation
// mode. It leaves alone: Dropout of opset 7 to 11 whose mask is read, because runtimes disagree on that mask.
#include "core/analysis/operator_mode.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/removal.h"

#include <string>

namespace secateur {
namespace {

constexpr std::string_view kRule = "bypass-dropout";
constexpr std::size_t kNoSlot = DropoutForm::kNoSlot;

std::string reasonId(DropoutMode mode) {
    switch (mode) {
    case DropoutMode::inference: return "bypass-dropout.inference";
    case DropoutMode::zeroRatio: return "bypass-dropout.zero-ratio";
    case DropoutMode::training: return "bypass-dropout.training";
    case DropoutMode::computed: return "bypass-dropout.computed";
    }
    return {};
}

class Bypass {
  public:
    Bypass(PassContext& context, NodeId node, const DropoutForm& form)
        : m_context(context), m_model(context.model()), m_node(node), m_form(form) {}

    void run() {
        const DropoutMode mode = dropoutMode(m_model, m_node, m_form);
        if (std::optional<Reason> why = whyNot()) return m_context.miss(kRule, m_node, std::move(*why));
        RewriteRecord request;
        request.rule = kRule;
        request.root = m_node;
        request.matched = {m_node};
        request.reason = Reason(reasonId(mode), {m_node});
        const bool isExact = mode == DropoutMode::inference || mode == DropoutMode::zeroRatio;
        request.exactness = isExact ? Exactness::exact : Exactness::conversion;
        m_context.rewrite(std::move(request),
                          [&](Editor& editor, RewriteRecord& record) { return apply(editor, record); });
    }

  private:
    bool hasMask() const { return isResultRead(m_model, m_node, 1); }
    ValueId data() const { return m_model.input(m_node, 0); }

    std::optional<Reason> whyNot() const {
        const std::int64_t opset = opsetOf(m_model, m_node);
        if (data().isNone()) return Reason("bypass-dropout.miss.no-data", {m_node});
        const bool hasArithmetic = m_form.bias != kNoSlot;
        if (hasArithmetic && opset < 7) return Reason("bypass-dropout.miss.opset", {m_node, std::int64_t{7}});
        if (m_form.hasSoftmax && !isSoftmaxPlain(opset))
            return Reason("bypass-dropout.miss.softmax-axis", {m_node});
        if (!hasMask()) return std::nullopt;
        if (m_model.isDefaultDomain(m_node) && opset >= 7 && opset < 12) {
            return Reason("bypass-dropout.miss.mask-unsettled", {m_node, m_model.output(m_node, 1)});
        }
        const Type& type = m_context.types().type(data());
        const bool isStatic = type.elementCount().has_value() && scalarTensor(type.element, 1) != nullptr;
        if (m_form.mask == MaskKind::likeData && !isStatic)
            return Reason("bypass-dropout.miss.mask-shape", {m_node});
        if (m_form.mask != MaskKind::likeData && opset < 9)
            return Reason("bypass-dropout.miss.opset", {m_node, std::int64_t{9}});
        return std::nullopt;
    }

    /// The fused softmax covers the axes from `axis` on; one Softmax does so below opset 13, or over the last
    /// axis.
    bool isSoftmaxPlain(std::int64_t opset) const {
        const std::int64_t axis = m_model.intAttribute(m_node, "axis", 1);
        const auto rank = rankOf(m_context.types(), data());
        return opset < 13 || axis == -1 || (rank && axis == *rank - 1);
    }

    Refusal apply(Editor& editor, RewriteRecord& record) const {
        const std::vector<ValueId> read = allReadBy(m_model, m_node);
        ValueId now = makeData(editor);
        const bool isMade = m_form.bias != kNoSlot; // else it is the data itself
        const ValueId result = isMade ? takeOver(editor, m_node, 0, now) : ValueId();
        if (!result.isNone()) now = result;
        for (const std::size_t slot : {std::size_t{0}, std::size_t{2}}) {
            if (slot == 2 && !m_form.hasSoftmax) break;
            const ValueId old = m_model.output(m_node, slot);
            if (old.isNone()) continue;
            if (Refusal why = readInstead(editor, old, now)) return why;
            record.equalValues.emplace_back(old, now);
        }
        if (hasMask()) {
            if (Refusal why = readInstead(editor, m_model.output(m_node, 1), makeMask(editor))) return why;
        }
        retire(editor, m_node, result);
        eraseDeadProducers(editor, read, m_node, record);
        return kDone;
    }

    ValueId makeData(Editor& editor) const {
        if (m_form.bias == kNoSlot) return data();
        const std::string hint(m_model.name(m_model.output(m_node, 0)));
        ValueId sum = addNode(editor, m_node, "Add", {data(), m_model.input(m_node, m_form.bias)}, hint);
        const ValueId residual =
            m_form.residual == kNoSlot ? ValueId() : m_model.input(m_node, m_form.residual);
        if (!residual.isNone()) sum = addNode(editor, m_node, "Add", {sum, residual}, hint);
        if (!m_form.hasSoftmax) return sum;
        const std::int64_t axis = m_model.intAttribute(m_node, "axis", 1);
        return addNode(editor, m_node, "Softmax", {sum}, hint, {Attribute::of("axis", axis)});
    }

    ValueId makeMask(Editor& editor) const {
        const std::string hint(m_model.name(m_model.output(m_node, 1)));
        if (m_form.mask == MaskKind::likeData) return makeStaticMask(editor, hint);
        if (m_form.mask == MaskKind::boolean) {
            const ValueId shape = addNode(editor, m_node, "Shape", {data()}, "mask_shape");
            return filled(editor, shape, hint, scalarTensor(ElementType::boolean, 1, {1}));
        }
        const ValueId size = addNode(editor, m_node, "Size", {data()}, "mask_size");
        const ValueId more = makeConstant(editor, m_node, "mask_round_up", makeInt64Tensor({1}, {31}));
        const ValueId word = makeConstant(editor, m_node, "mask_word", makeInt64Tensor({1}, {32}));
        const ValueId padded = addNode(editor, m_node, "Add", {size, more}, "mask_size");
        const ValueId words = addNode(editor, m_node, "Div", {padded, word}, "mask_words");
        return filled(editor, words, hint, scalarTensor(ElementType::uint32, 4294967295.0, {1}));
    }

    ValueId filled(Editor& editor, ValueId shape, const std::string& hint, TensorPtr value) const {
        return addNode(editor, m_node, "ConstantOfShape", {shape}, hint,
                       {Attribute::of("value", std::move(value))});
    }

    ValueId makeStaticMask(Editor& editor, const std::string& hint) const {
        const Type& type = m_context.types().type(data());
        const TensorPtr one = scalarTensor(type.element, 1);
        Tensor ones;
        ones.type = type.element;
        for (const Dim& dim : type.dims)
            ones.dims.push_back(*dim.value);
        ones.encoding = Tensor::Encoding::splat;
        if (one) ones.payload = one->payload;
        return makeConstant(editor, m_node, hint, std::make_shared<const Tensor>(std::move(ones)));
    }

    PassContext& m_context;
    const Model& m_model;
    NodeId m_node;
    DropoutForm m_form;
};

class BypassDropout final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::conversion);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        for (const NodeId node : convertibleNodes(context.model())) {
            if (context.work().isCancelled()) return cancelled();
            if (!context.model().isAlive(node)) continue;
            if (const auto form = dropoutForm(context.model(), node)) Bypass(context, node, *form).run();
        }
        return {};
    }
};

} // namespace

const Pass& bypassDropoutPass() {
    static const BypassDropout pass;
    return pass;
}

} // namespace secateur
