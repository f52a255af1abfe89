// SPDX-License-Identifier: Apache-2.0
#include "core/picture/model_text.h"

#include "core/ir/node_count.h"
#include "core/ir/tensor.h"
#include "core/messages/sentences.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace secateur {

namespace {

struct KindOf {
    std::string_view op;
    OperatorKind kind;
};

// Sorted by op; families and hues follow the palette that Netron made familiar.
constexpr auto kKinds = std::to_array<KindOf>({
    {"Attention", OperatorKind::attention},
    {"AveragePool", OperatorKind::pool},
    {"BatchNormInternal", OperatorKind::normalization},
    {"BatchNormalization", OperatorKind::normalization},
    {"BiasDropout", OperatorKind::dropout},
    {"BiasGelu", OperatorKind::activation},
    {"BiasSoftmaxDropout", OperatorKind::dropout},
    {"BitmaskDropout", OperatorKind::dropout},
    {"Cast", OperatorKind::transform},
    {"Celu", OperatorKind::activation},
    {"Clip", OperatorKind::activation},
    {"Concat", OperatorKind::tensor},
    {"ConcatTraining", OperatorKind::tensor},
    {"Constant", OperatorKind::constant},
    {"ConstantOfShape", OperatorKind::constant},
    {"Conv", OperatorKind::layer},
    {"ConvInteger", OperatorKind::layer},
    {"ConvTranspose", OperatorKind::layer},
    {"DequantizeLinear", OperatorKind::quantization},
    {"Dropout", OperatorKind::dropout},
    {"DynamicQuantizeLinear", OperatorKind::quantization},
    {"Elu", OperatorKind::activation},
    {"Embedding", OperatorKind::transform},
    {"Expand", OperatorKind::shape},
    {"FastGelu", OperatorKind::activation},
    {"Flatten", OperatorKind::shape},
    {"FusedMatMul", OperatorKind::layer},
    {"GRU", OperatorKind::layer},
    {"Gather", OperatorKind::transform},
    {"GatherElements", OperatorKind::transform},
    {"GatherND", OperatorKind::transform},
    {"Gelu", OperatorKind::activation},
    {"Gemm", OperatorKind::layer},
    {"GlobalAveragePool", OperatorKind::pool},
    {"GlobalLpPool", OperatorKind::pool},
    {"GlobalMaxPool", OperatorKind::pool},
    {"GroupNormalization", OperatorKind::normalization},
    {"HardSigmoid", OperatorKind::activation},
    {"HardSwish", OperatorKind::activation},
    {"Identity", OperatorKind::generic},
    {"If", OperatorKind::control},
    {"InstanceNormalization", OperatorKind::normalization},
    {"LRN", OperatorKind::normalization},
    {"LSTM", OperatorKind::layer},
    {"LSTMTraining", OperatorKind::layer},
    {"LayerNormalization", OperatorKind::normalization},
    {"LeakyRelu", OperatorKind::activation},
    {"LogSoftmax", OperatorKind::activation},
    {"Loop", OperatorKind::control},
    {"LpNormalization", OperatorKind::normalization},
    {"MatMul", OperatorKind::layer},
    {"MatMulInteger", OperatorKind::layer},
    {"MaxPool", OperatorKind::pool},
    {"MeanVarianceNormalization", OperatorKind::normalization},
    {"Mish", OperatorKind::activation},
    {"MultiHeadAttention", OperatorKind::attention},
    {"PRelu", OperatorKind::activation},
    {"Pad", OperatorKind::tensor},
    {"QLinearConv", OperatorKind::quantization},
    {"QLinearMatMul", OperatorKind::quantization},
    {"QuantizeLinear", OperatorKind::quantization},
    {"QuickGelu", OperatorKind::activation},
    {"RMSNormalization", OperatorKind::normalization},
    {"RNN", OperatorKind::layer},
    {"Relu", OperatorKind::activation},
    {"Reshape", OperatorKind::shape},
    {"Scan", OperatorKind::control},
    {"Selu", OperatorKind::activation},
    {"Shape", OperatorKind::shape},
    {"Sigmoid", OperatorKind::activation},
    {"SimplifiedLayerNormalization", OperatorKind::normalization},
    {"Size", OperatorKind::shape},
    {"SkipLayerNormalization", OperatorKind::normalization},
    {"Slice", OperatorKind::tensor},
    {"Softmax", OperatorKind::activation},
    {"Softplus", OperatorKind::activation},
    {"Softsign", OperatorKind::activation},
    {"Split", OperatorKind::tensor},
    {"SplitTraining", OperatorKind::tensor},
    {"Squeeze", OperatorKind::shape},
    {"Swish", OperatorKind::activation},
    {"Tanh", OperatorKind::activation},
    {"ThresholdedRelu", OperatorKind::activation},
    {"Tile", OperatorKind::tensor},
    {"Transpose", OperatorKind::transform},
    {"Unsqueeze", OperatorKind::shape},
});

/// Short names of inputs, by operator.
struct Labels {
    std::string_view op;
    std::array<std::string_view, 5> of;
};
constexpr auto kLabels = std::to_array<Labels>({
    {"BatchNormInternal", {"", "scale", "bias", "mean", "var"}},
    {"BatchNormalization", {"", "scale", "bias", "mean", "var"}},
    {"BatchNormalizationGrad", {"", "", "scale", "mean", "inv std"}},
    {"Clip", {"", "min", "max", "", ""}},
    {"Conv", {"", "W", "B", "", ""}},
    {"ConvGrad", {"", "", "W", "", ""}},
    {"ConvTranspose", {"", "W", "B", "", ""}},
    {"Dropout", {"", "ratio", "training", "", ""}},
    {"DropoutGrad", {"", "", "ratio", "training", ""}},
    {"Expand", {"", "shape", "", "", ""}},
    {"FusedMatMul", {"A", "B", "", "", ""}},
    {"Gather", {"data", "at", "", "", ""}},
    {"Gemm", {"A", "B", "C", "", ""}},
    {"InPlaceAccumulatorV2", {"buffer", "", "reset", "", ""}},
    {"LayerNormalization", {"", "scale", "bias", "", ""}},
    {"LayerNormalizationGrad", {"", "", "scale", "mean", "inv std"}},
    {"MatMul", {"A", "B", "", "", ""}},
    {"Pow", {"", "power", "", "", ""}},
    {"ReduceMean", {"", "axes", "", "", ""}},
    {"ReduceSum", {"", "axes", "", "", ""}},
    {"ReduceSumTraining", {"", "axes", "", "", ""}},
    {"Reshape", {"", "shape", "", "", ""}},
    {"Scale", {"", "by", "", "", ""}},
    {"Slice", {"", "starts", "ends", "axes", "steps"}},
    {"SoftmaxCrossEntropyLossGrad", {"dY", "", "", "weight", ""}},
    {"Squeeze", {"", "axes", "", "", ""}},
    {"Unsqueeze", {"", "axes", "", "", ""}},
});

const Labels* labelsOf(std::string_view op) {
    const auto at = std::lower_bound(kLabels.begin(), kLabels.end(), op,
                                     [](const Labels& row, std::string_view name) { return row.op < name; });
    return at != kLabels.end() && at->op == op ? &*at : nullptr;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out = "[";
    for (std::size_t i = 0; i < parts.size(); ++i)
        out.append(i == 0 ? "" : ",").append(parts[i]);
    return out + "]";
}

template <class T, class Text>
std::string listText(const std::vector<T>& values, std::size_t limit, Text text) {
    std::vector<std::string> parts;
    std::size_t length = 2;
    for (const T& value : values) {
        parts.push_back(text(value));
        length += parts.back().size() + 1;
        if (length <= limit) continue;
        parts.back() = "\xE2\x80\xA6"; // …
        break;
    }
    return joined(parts);
}

struct AttributeTextOf {
    const Model& model;
    std::size_t limit;

    std::string operator()(std::monostate) const { return "?"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(float value) const { return numberText(static_cast<double>(value)); }
    std::string operator()(const std::string& value) const {
        return "\"" + elideMiddle(printable(value), limit) + "\"";
    }
    std::string operator()(const TensorPtr& value) const { return value ? tensorText(*value, limit) : "?"; }
    std::string operator()(GraphId graph) const {
        std::vector<NodeId> nodes; // what lies in their bodies counts too, as where the body is opened
        for (const NodeId node : model.nodes(graph))
            nodes.push_back(node);
        return formatMessage("picture.body-size", {std::to_string(NodeCounter(model).of(nodes))});
    }
    std::string operator()(const std::vector<std::int64_t>& values) const {
        return listText(values, limit, [](std::int64_t v) { return std::to_string(v); });
    }
    std::string operator()(const std::vector<float>& values) const {
        return listText(values, limit, [](float v) { return numberText(static_cast<double>(v)); });
    }
    std::string operator()(const std::vector<std::string>& values) const {
        return listText(values, limit, [](const std::string& v) { return "\"" + printable(v) + "\""; });
    }
    std::string operator()(const std::vector<TensorPtr>& values) const {
        return std::to_string(values.size()) + " tensors";
    }
    std::string operator()(const std::vector<GraphId>& values) const {
        return std::to_string(values.size()) + " bodies";
    }
};

} // namespace

std::string numberText(double value) {
    std::array<char, 32> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6);
    return {buffer.data(), end.ptr};
}

std::string attributeText(const Model& model, const Attribute& attribute, std::size_t limit) {
    if (!attribute.reference.empty()) return "from `" + printable(attribute.reference) + "`";
    return std::visit(AttributeTextOf{model, limit}, attribute.value);
}

Type shownType(const TypeTable& types, ValueId value) {
    const auto shown = [&](Type type, const auto& self) -> Type {
        for (Dim& dim : type.dims)
            if (types.isOwnSymbol(dim.symbol)) dim.symbol.clear();
        if (type.inner) type.inner = std::make_shared<const Type>(self(*type.inner, self));
        return type;
    };
    return shown(types.type(value), shown);
}

std::string typeText(const TypeTable& types, ValueId value) {
    return printable(shownType(types, value).text());
}

std::string tensorText(const Tensor& tensor, std::size_t limit) {
    constexpr std::size_t kFew = 6;
    if (tensor.type == ElementType::string || tensor.encoding == Tensor::Encoding::external)
        return tensor.asType().text();
    const bool isScalar = tensor.dims.empty();
    if (const auto integers = asIntegers(tensor, kFew)) {
        if (isScalar && integers->size() == 1) return std::to_string(integers->front());
        return listText(*integers, limit, [](std::int64_t v) { return std::to_string(v); });
    }
    if (const auto numbers = asDoubles(tensor, kFew)) {
        if (isScalar && numbers->size() == 1) return numberText(numbers->front());
        return listText(*numbers, limit, [](double v) { return numberText(v); });
    }
    return tensor.asType().text();
}

TensorSize tensorSize(const TypeTable& types, ValueId value) {
    const Type& type = types.type(value);
    TensorSize size;
    if (!type.isTensor() || !type.hasShape || elementBits(type.element) == 0) return size;
    double elements = 1;
    for (const Dim& dim : type.dims) {
        if (dim.isKnown()) {
            elements *= static_cast<double>(*dim.value);
            continue;
        }
        if (dim.symbol.empty() || types.isOwnSymbol(dim.symbol)) return {};
        if (!size.factor.empty()) size.factor += " \u00D7 ";
        size.factor += printable(dim.symbol);
    }
    size.bytes = std::ceil(elements * elementBits(type.element) / 8);
    return size;
}

std::string sizeText(const TensorSize& size) {
    if (size.bytes < 0) return {};
    std::string bytes = formatBytes(static_cast<std::uint64_t>(size.bytes));
    // "16.0 MiB" is "16 MiB" on a picture: room is short there.
    if (const std::size_t zero = bytes.find(".0 "); zero != std::string::npos) bytes.erase(zero, 2);
    return size.factor.empty() ? bytes : formatMessage("picture.symbolic-size", {size.factor, bytes});
}

OperatorKind operatorKindOf(std::string_view op, bool isKnownDomain) {
    const auto at = std::lower_bound(kKinds.begin(), kKinds.end(), op,
                                     [](const KindOf& row, std::string_view name) { return row.op < name; });
    if (at != kKinds.end() && at->op == op) return at->kind;
    return isKnownDomain ? OperatorKind::generic : OperatorKind::unknown;
}

bool hasInputLabels(std::string_view op) {
    return labelsOf(op) != nullptr;
}

std::string_view inputLabel(std::string_view op, std::size_t slot) {
    const Labels* labels = labelsOf(op);
    return labels != nullptr && slot < labels->of.size() ? labels->of[slot] : std::string_view();
}

} // namespace secateur
