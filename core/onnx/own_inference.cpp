// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/own_inference.h"

#include "core/messages/sentences.h"

#include <onnx/defs/schema.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace secateur::own {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;
using Shape = onnx::TensorShapeProto;

/// The type of an input where it is a tensor, else null.
const onnx::TypeProto_Tensor* tensorAt(const GraphAwareContext& context, std::size_t index) {
    if (index >= context.getNumInputs()) return nullptr;
    const onnx::TypeProto* type = context.getInputType(index);
    return type && type->has_tensor_type() ? &type->tensor_type() : nullptr;
}

const Shape* shapeAt(const GraphAwareContext& context, std::size_t index) {
    const onnx::TypeProto_Tensor* tensor = tensorAt(context, index);
    return tensor && tensor->has_shape() ? &tensor->shape() : nullptr;
}

std::int32_t elementAt(const GraphAwareContext& context, std::size_t index) {
    const onnx::TypeProto_Tensor* tensor = tensorAt(context, index);
    return tensor ? tensor->elem_type() : onnx::TensorProto::UNDEFINED;
}

onnx::TypeProto_Tensor* outputAt(GraphAwareContext& context, std::size_t index) {
    return context.hasOutput(index) ? context.getOutputType(index)->mutable_tensor_type() : nullptr;
}

std::int64_t integer(const GraphAwareContext& context, const char* name, std::int64_t otherwise) {
    const auto* attribute = context.getAttribute(name);
    return attribute && attribute->has_i() ? attribute->i() : otherwise;
}

/// The next word of `text`, which moves behind it.
std::string_view nextWord(std::string_view& text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

/// The number at the front of `text`, which moves behind it.
std::size_t nextNumber(std::string_view& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) throw std::logic_error(std::string(message("inference.broken-rule")));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

void complete(onnx::TypeProto_Tensor& output, const onnx::TypeProto_Tensor& from, bool takesElement,
              bool takesShape) {
    if (takesElement && output.elem_type() == onnx::TensorProto::UNDEFINED)
        output.set_elem_type(from.elem_type());
    if (!takesShape || !from.has_shape()) return;
    if (!output.has_shape()) {
        *output.mutable_shape() = from.shape();
        return;
    }
    if (output.shape().dim_size() != from.shape().dim_size()) return;
    for (int i = 0; i < from.shape().dim_size(); ++i) {
        if (!output.shape().dim(i).has_dim_value() && from.shape().dim(i).has_dim_value()) {
            *output.mutable_shape()->mutable_dim(i) = from.shape().dim(i);
        }
    }
}

std::int32_t elementNamed(std::string_view name) {
    if (name == "bool") return onnx::TensorProto::BOOL;
    if (name == "int64") return onnx::TensorProto::INT64;
    if (name == "float") return onnx::TensorProto::FLOAT;
    if (name == "string") return onnx::TensorProto::STRING;
    throw std::logic_error(std::string(message("inference.broken-rule")));
}

/// "=0|1shape", see byRule.
void likeInputs(GraphAwareContext& context, onnx::TypeProto_Tensor& output, std::string_view word) {
    const std::size_t first = nextNumber(word);
    if (const auto* from = tensorAt(context, first)) complete(output, *from, true, true);
    if (word.empty()) return;
    word.remove_prefix(1);
    const std::size_t second = nextNumber(word);
    if (const auto* from = tensorAt(context, second))
        complete(output, *from, word != "shape", word != "element");
}

void applyWord(GraphAwareContext& context, std::size_t index, std::string_view word) {
    onnx::TypeProto_Tensor* output = word == "-" ? nullptr : outputAt(context, index);
    if (!output) return;
    if (word.front() == '=') return likeInputs(context, *output, word.substr(1));
    const std::size_t split = word.find_first_of("=[");
    output->set_elem_type(elementNamed(word.substr(0, split)));
    std::string_view rest = word.substr(split);
    if (rest.front() == '=') {
        rest.remove_prefix(1);
        if (const Shape* shape = shapeAt(context, nextNumber(rest))) *output->mutable_shape() = *shape;
        return;
    }
    Shape& shape = *output->mutable_shape();
    if (rest == "[1]")
        shape.add_dim()->set_dim_value(1);
    else if (rest == "[?]")
        shape.add_dim();
}

void applyRule(GraphAwareContext& context, std::string_view rule, std::size_t first) {
    for (std::size_t i = first; i < context.getNumOutputs(); ++i) {
        const std::string_view word = nextWord(rule);
        if (word.empty()) return;
        applyWord(context, i, word);
    }
}

void runStandard(GraphAwareContext& context, std::string_view op, int version) {
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(std::string(op), version, "");
    if (schema && schema->has_type_and_shape_inference_function())
        schema->GetTypeAndShapeInferenceFunction()(context);
}

Dimension known(std::int64_t value) {
    Dimension dim;
    dim.set_dim_value(value);
    return dim;
}

std::size_t normalAxis(std::int64_t axis, int rank) {
    const std::int64_t positive = axis < 0 ? axis + rank : axis;
    if (positive < 0 || positive >= rank)
        throw std::runtime_error(std::string(message("inference.bad-axis")));
    return static_cast<std::size_t>(positive);
}

std::string reductionOf(const GraphAwareContext& context) {
    const auto* attribute = context.getAttribute("reduction");
    return attribute && attribute->has_s() ? attribute->s() : "mean";
}

} // namespace

void byRule(GraphAwareContext& context, std::string_view rule) {
    applyRule(context, rule, 0);
}

void pairwise(GraphAwareContext& context, std::string_view rule) {
    const std::size_t offset = nextNumber(rule);
    for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
        if (!context.hasOutput(i) || i + offset >= context.getNumInputs()) continue;
        if (const onnx::TypeProto* type = context.getInputType(i + offset)) *context.getOutputType(i) = *type;
    }
}

void byStandard(GraphAwareContext& context, std::string_view rule) {
    const std::string_view op = nextWord(rule);
    std::string_view version = nextWord(rule);
    runStandard(context, op, static_cast<int>(nextNumber(version)));
    applyRule(context, rule, 0);
}

namespace {

/// Elements of vectors that are laid one behind the other, as far as they are known: exporters put shapes
/// together so.
void concatElements(GraphAwareContext& context) {
    Shape all;
    bool isAnyKnown = false;
    for (std::size_t i = 0; i < context.getNumInputs(); ++i) {
        const Shape* shape = shapeAt(context, i);
        if (!shape || shape->dim_size() != 1 || !shape->dim(0).has_dim_value()) return;
        const std::int64_t length = shape->dim(0).dim_value();
        const Shape* elements = context.partialValue(i);
        const bool isKnown = elements && elements->dim_size() == length;
        if (length < 0 || length + all.dim_size() > kElementLimit) return;
        for (int k = 0; k < static_cast<int>(length); ++k) {
            auto* made = all.add_dim();
            if (isKnown) *made = elements->dim(k);
        }
        isAnyKnown |= isKnown && length > 0;
    }
    if (isAnyKnown) context.setPartialValue(0, std::move(all));
}

} // namespace

void concatTraining(GraphAwareContext& context, std::string_view) {
    runStandard(context, "Concat", 13);
    concatElements(context);
    onnx::TypeProto_Tensor* lengths = context.getNumOutputs() > 1 ? outputAt(context, 1) : nullptr;
    if (!lengths) return;
    lengths->set_elem_type(onnx::TensorProto::INT64);
    lengths->mutable_shape()->add_dim()->set_dim_value(static_cast<std::int64_t>(context.getNumInputs()));
    Shape value;
    for (std::size_t i = 0; i < context.getNumInputs(); ++i) {
        const Shape* shape = shapeAt(context, i);
        if (!shape || shape->dim_size() == 0) return;
        const std::size_t axis = normalAxis(integer(context, "axis", 0), shape->dim_size());
        *value.add_dim() = shape->dim(static_cast<int>(axis));
    }
    context.setPartialValue(1, std::move(value));
}

void splitTraining(GraphAwareContext& context, std::string_view) {
    const Shape* input = shapeAt(context, 0);
    const Shape* lengths = context.partialValue(1);
    for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
        onnx::TypeProto_Tensor* output = outputAt(context, i);
        if (!output) continue;
        output->set_elem_type(elementAt(context, 0));
        if (!input) continue;
        *output->mutable_shape() = *input;
        const auto axis = static_cast<int>(normalAxis(integer(context, "axis", 0), input->dim_size()));
        const bool isKnown = lengths && static_cast<int>(i) < lengths->dim_size();
        *output->mutable_shape()->mutable_dim(axis) =
            isKnown ? lengths->dim(static_cast<int>(i)) : Dimension();
    }
}

void shapedByValue(GraphAwareContext& context, std::string_view rule) {
    const std::size_t holder = nextNumber(rule);
    rule.remove_prefix(1);
    const std::size_t element = nextNumber(rule);
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    output->set_elem_type(elementAt(context, element));
    if (const Shape* value = context.partialValue(holder)) {
        *output->mutable_shape() = *value;
    } else if (const Shape* shape = shapeAt(context, holder); shape && shape->dim_size() == 1) {
        const Dimension& rank = shape->dim(0);
        if (!rank.has_dim_value() || rank.dim_value() > 64) return;
        output->mutable_shape();
        for (std::int64_t i = 0; i < rank.dim_value(); ++i)
            output->mutable_shape()->add_dim();
    }
}

// --- convolutions and pooling ---

void convGrad(GraphAwareContext& context, std::string_view rule) {
    const bool isTransposed = rule == "1";
    applyRule(context, "=1 =2", 0);
    onnx::TypeProto_Tensor* bias = context.getNumOutputs() > 2 ? outputAt(context, 2) : nullptr;
    if (!bias) return;
    bias->set_elem_type(elementAt(context, 2));
    Dimension channels;
    if (const Shape* weight = shapeAt(context, 2); weight && weight->dim_size() >= 2) {
        // Conv holds its output channels first; ConvTranspose second, divided among the groups.
        channels = isTransposed ? weight->dim(1) * integer(context, "group", 1) : weight->dim(0);
    } else if (const Shape* gradient = shapeAt(context, 0); gradient && gradient->dim_size() >= 2) {
        channels = gradient->dim(1);
    }
    *bias->mutable_shape()->add_dim() = channels;
}

void averagePoolGrad(GraphAwareContext& context, std::string_view) {
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    output->set_elem_type(elementAt(context, 0));
    const Shape* gradient = shapeAt(context, 0);
    if (!gradient) return;
    // Pooling keeps batch and channels; how large the pooled dimensions were, its result does not tell.
    for (int i = 0; i < gradient->dim_size(); ++i) {
        Dimension& dim = *output->mutable_shape()->add_dim();
        if (i < 2) dim = gradient->dim(i);
    }
}

void maxPoolGrad(GraphAwareContext& context, std::string_view rule) {
    if (const onnx::TypeProto* pooled = context.typeBehind(1, "MaxPool", 1, 0))
        *context.getOutputType(0) = *pooled;
    else
        averagePoolGrad(context, rule);
}

// --- normalization, losses, dropout ---

void layerNormalization(GraphAwareContext& context, std::string_view rule) {
    applyRule(context, "=0", 0);
    const std::size_t statistics = nextNumber(rule);
    const std::int32_t element = elementAt(context, 0);
    const bool isDouble = element == onnx::TensorProto::DOUBLE;
    const Shape* input = shapeAt(context, 0);
    for (std::size_t i = 1; i <= statistics && i < context.getNumOutputs(); ++i) {
        onnx::TypeProto_Tensor* output = outputAt(context, i);
        if (!output) continue;
        output->set_elem_type(isDouble ? element
                                       : static_cast<std::int32_t>(integer(context, "stash_type", 1)));
        if (!input) continue;
        *output->mutable_shape() = *input;
        const std::size_t axis = normalAxis(integer(context, "axis", -1), input->dim_size());
        for (int d = static_cast<int>(axis); d < input->dim_size(); ++d) {
            *output->mutable_shape()->mutable_dim(d) = known(1);
        }
    }
}

void crossEntropy(GraphAwareContext& context, std::string_view rule) {
    std::int32_t element = static_cast<std::int32_t>(integer(context, "output_type", 0));
    if (element == onnx::TensorProto::UNDEFINED) element = elementAt(context, 0);
    if (onnx::TypeProto_Tensor* loss = outputAt(context, 0)) {
        loss->set_elem_type(element);
        if (reductionOf(context) != "none") {
            loss->mutable_shape();
        } else if (const Shape* labels = shapeAt(context, 1)) {
            *loss->mutable_shape() = *labels;
            // One-hot labels have the classes as last dimension.
            if (rule == "onehot" && labels->dim_size() > 0)
                loss->mutable_shape()->mutable_dim()->RemoveLast();
        }
    }
    onnx::TypeProto_Tensor* logProbability = context.getNumOutputs() > 1 ? outputAt(context, 1) : nullptr;
    if (!logProbability) return;
    logProbability->set_elem_type(element);
    if (const Shape* scores = shapeAt(context, 0)) *logProbability->mutable_shape() = *scores;
}

void bitmaskDropout(GraphAwareContext& context, std::string_view) {
    applyRule(context, "=0", 0);
    onnx::TypeProto_Tensor* mask = context.getNumOutputs() > 1 ? outputAt(context, 1) : nullptr;
    if (!mask) return;
    mask->set_elem_type(onnx::TensorProto::UINT32);
    Dimension words; // one bit per element, 32 in a word
    if (const Shape* data = shapeAt(context, 0)) {
        const Dimension elements = onnx::multiplyDims(*data, 0, data->dim_size());
        if (elements.has_dim_value()) words = known((elements.dim_value() + 31) / 32);
    }
    *mask->mutable_shape()->add_dim() = words;
}

// --- recurrent layers ---

void recurrentTraining(GraphAwareContext& context, std::string_view rule) {
    const auto gates = static_cast<std::int64_t>(nextNumber(rule));
    const bool isLstm = gates == 4;
    runStandard(context, isLstm ? "LSTM" : "GRU", 14);
    const std::int32_t element = elementAt(context, 0);
    const std::int64_t hidden = integer(context, "hidden_size", 0);
    const auto* direction = context.getAttribute("direction");
    const bool isBoth = direction && direction->s() == "bidirectional";
    // [length, directions, batch, units]: all cell states (LSTM only), then the gates.
    const auto write = [&](std::size_t index, std::int64_t units) {
        onnx::TypeProto_Tensor* output = index < context.getNumOutputs() ? outputAt(context, index) : nullptr;
        if (!output) return;
        output->set_elem_type(element);
        const Shape* input = shapeAt(context, 0);
        Shape& shape = *output->mutable_shape();
        shape.Clear();
        *shape.add_dim() = input && input->dim_size() == 3 ? input->dim(0) : Dimension();
        *shape.add_dim() = known(isBoth ? 2 : 1);
        *shape.add_dim() = input && input->dim_size() == 3 ? input->dim(1) : Dimension();
        *shape.add_dim() = units > 0 ? known(units) : Dimension();
    };
    if (isLstm) write(3, hidden);
    write(isLstm ? 4 : 2, gates * hidden);
}

void recurrentGrad(GraphAwareContext& context, std::string_view rule) {
    const auto gates = static_cast<std::int64_t>(nextNumber(rule));
    applyRule(context, "=0 =1 =2", 0);
    const std::int32_t element = elementAt(context, 0);
    const std::int64_t hidden = integer(context, "hidden_size", 0);
    const Shape* weight = shapeAt(context, 1);
    const Shape* input = shapeAt(context, 0);
    const Dimension directions = weight && weight->dim_size() == 3 ? weight->dim(0) : Dimension();
    for (std::size_t i = 3; i < context.getNumOutputs(); ++i) {
        onnx::TypeProto_Tensor* output = outputAt(context, i);
        if (!output) continue;
        output->set_elem_type(element);
        Shape& shape = *output->mutable_shape();
        *shape.add_dim() = directions;
        if (i == 3) { // bias of input and recurrence, side by side
            *shape.add_dim() = hidden > 0 ? known(2 * gates * hidden) : Dimension();
        } else {
            *shape.add_dim() = input && input->dim_size() == 3 ? input->dim(1) : Dimension();
            *shape.add_dim() = hidden > 0 ? known(hidden) : Dimension();
        }
    }
}

// --- products ---

void fusedMatMul(GraphAwareContext& context, std::string_view rule) {
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    std::string_view word = rule;
    if (rule.empty())
        output->set_elem_type(elementAt(context, 0));
    else
        output->set_elem_type(elementAt(context, nextNumber(word) == 0 ? 0 : 2));
    const Shape *a = shapeAt(context, 0), *b = shapeAt(context, 1);
    if (!a || !b || a->dim_size() == 0 || b->dim_size() == 0) return;
    // transBatch moves the first dimension before the last but one, trans then swaps the last two.
    const auto arranged = [](Shape shape, bool isBatchTransposed, bool isTransposed) {
        const int rank = shape.dim_size();
        if (isBatchTransposed && rank >= 3) {
            for (int i = 0; i + 2 < rank; ++i)
                shape.mutable_dim()->SwapElements(i, i + 1);
        }
        if (isTransposed && rank >= 2) shape.mutable_dim()->SwapElements(rank - 2, rank - 1);
        return shape;
    };
    Shape left = arranged(*a, integer(context, "transBatchA", 0) != 0, integer(context, "transA", 0) != 0);
    Shape right = arranged(*b, integer(context, "transBatchB", 0) != 0, integer(context, "transB", 0) != 0);
    const bool isLeftVector = left.dim_size() == 1, isRightVector = right.dim_size() == 1;
    Shape leftBatch, rightBatch;
    for (int i = 0; i + 2 < left.dim_size(); ++i)
        *leftBatch.add_dim() = left.dim(i);
    for (int i = 0; i + 2 < right.dim_size(); ++i)
        *rightBatch.add_dim() = right.dim(i);
    Shape& shape = *output->mutable_shape();
    onnx::bidirectionalBroadcastShapeInference(leftBatch, rightBatch, shape);
    if (!isLeftVector) *shape.add_dim() = left.dim(left.dim_size() - 2);
    if (!isRightVector) *shape.add_dim() = right.dim(right.dim_size() - 1);
}

void matMulPacked(GraphAwareContext& context, std::string_view) {
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    output->set_elem_type(elementAt(context, 0));
    const Shape* input = shapeAt(context, 0);
    if (!input || input->dim_size() == 0) return;
    *output->mutable_shape() = *input;
    const std::int64_t columns = integer(context, "N", 0);
    *output->mutable_shape()->mutable_dim(input->dim_size() - 1) = columns > 0 ? known(columns) : Dimension();
}

// --- the rest ---

void mixedPrecisionScale(GraphAwareContext& context, std::string_view) {
    const auto element = static_cast<std::int32_t>(integer(context, "to", onnx::TensorProto::UNDEFINED));
    const bool isFused = integer(context, "fuse_outputs", 0) != 0;
    for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
        onnx::TypeProto_Tensor* output = outputAt(context, i);
        if (!output) continue;
        output->set_elem_type(element);
        if (isFused)
            output->mutable_shape()->add_dim(); // all inputs in one vector
        else if (const Shape* shape = shapeAt(context, i + 1))
            *output->mutable_shape() = *shape;
    }
}

void yieldOp(GraphAwareContext& context, std::string_view) {
    std::vector<bool> hasGradient(context.getNumInputs(), true);
    if (const auto* attribute = context.getAttribute("non_differentiable_outputs")) {
        for (const std::int64_t index : attribute->ints()) {
            if (index >= 0 && static_cast<std::size_t>(index) < hasGradient.size()) {
                hasGradient[static_cast<std::size_t>(index)] = false;
            }
        }
    }
    std::size_t output = 0;
    for (std::size_t i = 0; i < hasGradient.size() && output < context.getNumOutputs(); ++i) {
        if (!hasGradient[i]) continue;
        const onnx::TypeProto* type = context.getInputType(i);
        if (type && context.hasOutput(output)) *context.getOutputType(output) = *type;
        ++output;
    }
}

void broadcastFloat(GraphAwareContext& context, std::string_view rule) {
    const std::size_t first = nextNumber(rule);
    rule.remove_prefix(1);
    const Shape *a = shapeAt(context, first), *b = shapeAt(context, nextNumber(rule));
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    output->set_elem_type(elementAt(context, first));
    if (a && b) onnx::bidirectionalBroadcastShapeInference(*a, *b, *output->mutable_shape());
}

void tableRegressor(GraphAwareContext& context, std::string_view rule) {
    onnx::TypeProto_Tensor* output = outputAt(context, 0);
    if (!output) return;
    output->set_elem_type(onnx::TensorProto::FLOAT);
    const Shape* input = shapeAt(context, 0);
    *output->mutable_shape()->add_dim() = input && input->dim_size() == 2 ? input->dim(0) : Dimension();
    *output->mutable_shape()->add_dim() =
        known(rule.empty() ? 1 : integer(context, std::string(rule).c_str(), 1));
}

} // namespace secateur::own
