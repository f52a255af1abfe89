// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/operator_mode.h"

#include "core/ir/constants.h"

#include <array>

namespace secateur {
namespace {

constexpr std::size_t kNoSlot = DropoutForm::kNoSlot;

constexpr std::array<DropoutForm, 6> kVendorForms{{
    {"BitmaskDropout", kNoSlot, kNoSlot, 1, 2, MaskKind::packed, false},
    {"DropoutInternal", kNoSlot, kNoSlot, 1, 2, MaskKind::boolean, false},
    {"TrainableDropout", kNoSlot, kNoSlot, 1, kNoSlot, MaskKind::boolean, false},
    {"BiasDropout", 1, 2, 3, 4, MaskKind::boolean, false},
    {"BitmaskBiasDropout", 1, 2, 3, 4, MaskKind::packed, false},
    {"BiasSoftmaxDropout", 1, kNoSlot, 2, kNoSlot, MaskKind::boolean, true},
}};
constexpr DropoutForm kStandardForm{"Dropout", kNoSlot, kNoSlot, 1, 2, MaskKind::boolean, false};
constexpr DropoutForm kOldForm{"Dropout", kNoSlot, kNoSlot, kNoSlot, kNoSlot, MaskKind::likeData, false};

std::int64_t opsetOf(const Model& model, NodeId node) {
    return model.opsetVersion("", model.node(node).graph).value_or(1);
}

} // namespace

std::optional<DropoutForm> dropoutForm(const Model& model, NodeId node) {
    if (model.isOp(node, "Dropout")) {
        const std::int64_t opset = opsetOf(model, node);
        if (opset >= 12) return kStandardForm;
        DropoutForm form = kOldForm;
        if (opset >= 10) form.mask = MaskKind::boolean;
        return form;
    }
    if (model.domain(node) != "com.microsoft") return std::nullopt;
    for (const DropoutForm& form : kVendorForms) {
        if (form.op == model.op(node)) return form;
    }
    return std::nullopt;
}

DropoutMode dropoutMode(const Model& model, NodeId node, const DropoutForm& form) {
    if (form.trainingMode == kNoSlot && form.ratio == kNoSlot) {
        const std::int64_t opset = opsetOf(model, node);
        const bool isInference = opset >= 7 || model.intAttribute(node, "is_test", 0) != 0;
        if (!isInference && model.floatAttribute(node, "ratio", 0.5F) == 0.0F) return DropoutMode::zeroRatio;
        return isInference ? DropoutMode::inference : DropoutMode::training;
    }
    const ValueId ratio = form.ratio == kNoSlot ? ValueId() : model.input(node, form.ratio);
    if (!ratio.isNone() && constantScalar(model, ratio) == 0.0) return DropoutMode::zeroRatio;
    if (form.trainingMode == kNoSlot) return DropoutMode::training;
    const ValueId mode = model.input(node, form.trainingMode);
    if (mode.isNone()) return DropoutMode::inference;
    const auto isTraining = constantIntegers(model, mode);
    if (!isTraining || isTraining->size() != 1) return DropoutMode::computed;
    return isTraining->front() == 0 ? DropoutMode::inference : DropoutMode::training;
}

bool isBatchNormInternal(const Model& model, NodeId node) {
    return model.domain(node) == "com.microsoft" && model.op(node) == "BatchNormInternal";
}

bool takesBatchStatistics(const Model& model, NodeId node) {
    if (isBatchNormInternal(model, node)) return model.intAttribute(node, "training_mode", 1) != 0;
    if (!model.isOp(node, "BatchNormalization")) return false;
    const std::int64_t opset = opsetOf(model, node);
    if (opset >= 14) return model.intAttribute(node, "training_mode", 0) != 0;
    if (opset >= 7) return model.outputs(node).size() > 1;
    return model.intAttribute(node, "is_test", 0) == 0;
}

} // namespace secateur
