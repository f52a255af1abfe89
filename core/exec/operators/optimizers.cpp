// SPDX-License-Identifier: Apache-2.0
//
// What training does with gradients: com.microsoft InPlaceAccumulator(V2), ZeroGradient, Group, PassThrough,
// IsAllFinite, IsFinite, All, MixedPrecisionScale, SGDOptimizer(V2), AdamWOptimizer; ai.onnx.preview.training
// Adagrad, Adam, Momentum; BroadcastGradientArgs. Updates are results; nothing is changed in place.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

/// A boolean result of one element, with rank 1 as the training operators declare it, or 0.
Result<void> setFlag(const KernelCall& call, std::size_t slot, bool value, Shape shape) {
    TensorData flag = TRY(call.make(ElementType::boolean, std::move(shape)));
    flag.as<std::uint8_t>()[0] = value ? 1 : 0;
    call.setOutput(slot, std::move(flag));
    return {};
}

/// The flag in an optional input; `otherwise` where it is omitted.
Result<bool> flagIn(const KernelCall& call, std::size_t slot, bool otherwise) {
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr || given->count() == 0) return otherwise;
    if (given->type() != ElementType::boolean) return call.noCodeFor(given->type());
    return given->as<std::uint8_t>()[0] != 0;
}

Result<double> numberIn(const KernelCall& call, std::size_t slot) {
    const TensorData* given = TRY(call.tensor(slot));
    if (given->count() != 1 || computeTypeOf(given->type()) == ComputeType::none)
        return call.fail("exec.needs-one-element", {std::to_string(slot), shapeText(given->shape())});
    return readAll<double>(*given).front();
}

Result<std::vector<double>> numbersLike(const KernelCall& call, std::size_t slot, const TensorData& like) {
    const TensorData* given = TRY(call.tensor(slot));
    if (given->count() != like.count() || !isFloating(given->type()))
        return call.fail("exec.shapes-differ", {shapeText(like.shape()), shapeText(given->shape())});
    return readAll<double>(*given);
}

Result<void> setLike(const KernelCall& call, std::size_t slot, const TensorData& like,
                     const std::vector<double>& numbers) {
    TensorData made = TRY(call.make(like.type(), like.shape()));
    writeAll(made, numbers);
    call.setOutput(slot, std::move(made));
    return {};
}

/// InPlaceAccumulatorV2(buffer, value, overwrite) -> done, buffer.
Result<void> runAccumulatorV2(const KernelCall& call) {
    const TensorData* buffer = TRY(call.tensor(0));
    const auto value = TRY(numbersLike(call, 1, *buffer));
    auto sum = readAll<double>(*buffer);
    const bool overwrites = TRY(flagIn(call, 2, false));
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = overwrites ? value[i] : sum[i] + value[i];
    TRY(setFlag(call, 0, true, {1}));
    return call.wants(1) ? setLike(call, 1, *buffer, sum) : Result<void>();
}

/// InPlaceAccumulator(buffer, value, update) -> buffer.
Result<void> runAccumulator(const KernelCall& call) {
    const TensorData* buffer = TRY(call.tensor(0));
    const auto value = TRY(numbersLike(call, 1, *buffer));
    auto sum = readAll<double>(*buffer);
    if (TRY(flagIn(call, 2, true))) {
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += value[i];
    }
    return setLike(call, 0, *buffer, sum);
}

Result<void> runZeroGradient(const KernelCall& call) {
    const TensorData* gradient = TRY(call.tensor(0));
    call.setOutput(0, TRY(call.make(gradient->type(), gradient->shape())));
    return {};
}

Result<void> runGroup(const KernelCall& call) {
    return setFlag(call, 0, true, {});
}

Result<void> runPassThrough(const KernelCall& call) {
    for (std::size_t i = 0; i < call.outputs.size() && i < call.inputs.size(); ++i)
        call.setOutput(i, call.inputs[i]);
    return {};
}

Result<void> runIsAllFinite(const KernelCall& call) {
    const bool onlyInfinite = call.integer("isinf_only", 0) != 0,
               onlyNan = call.integer("isnan_only", 0) != 0;
    bool isFine = true;
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot) {
        const TensorData* x = TRY(call.tensor(slot));
        if (!isFloating(x->type())) return call.noCodeFor(x->type());
        for (const double number : readAll<double>(*x)) {
            if ((std::isinf(number) && !onlyNan) || (std::isnan(number) && !onlyInfinite)) isFine = false;
        }
    }
    return setFlag(call, 0, isFine, {});
}

Result<void> runIsFinite(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (!isFloating(x->type())) return call.noCodeFor(x->type());
    TensorData y = TRY(call.make(ElementType::boolean, x->shape()));
    const auto numbers = readAll<double>(*x);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        y.as<std::uint8_t>()[i] = std::isfinite(numbers[i]) ? 1 : 0;
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runAll(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->type() != ElementType::boolean) return call.noCodeFor(x->type());
    const auto cells = x->as<std::uint8_t>();
    return setFlag(call, 0, std::all_of(cells.begin(), cells.end(), [](std::uint8_t c) { return c != 0; }),
                   {});
}

/// MixedPrecisionScale(scale, X...) -> each times the scale, in the type `to`; as one tensor with
/// fuse_outputs.
Result<void> runMixedPrecisionScale(const KernelCall& call) {
    const double scale = TRY(numberIn(call, 0));
    const auto type =
        static_cast<ElementType>(call.integer("to", static_cast<std::int64_t>(ElementType::float32)));
    if (!isFloating(type)) return call.noCodeFor(type);
    std::vector<double> fused;
    const bool fuses = call.integer("fuse_outputs", 0) != 0;
    for (std::size_t slot = 1; slot < call.inputs.size(); ++slot) {
        const TensorData* x = TRY(call.tensor(slot));
        auto numbers = readAll<double>(*x);
        for (double& number : numbers)
            number *= scale;
        fused.insert(fused.end(), numbers.begin(), numbers.end());
        if (fuses) continue;
        TensorData y = TRY(call.make(type, x->shape()));
        writeAll(y, numbers);
        call.setOutput(slot - 1, std::move(y));
    }
    if (!fuses) return {};
    TensorData y = TRY(call.make(type, {static_cast<std::int64_t>(fused.size())}));
    writeAll(y, fused);
    call.setOutput(0, std::move(y));
    return {};
}

/// SGDOptimizer(rate, weights, gradients) -> weights, gradients (as the step taken).
Result<void> runSgd(const KernelCall& call) {
    const double rate = TRY(numberIn(call, 0));
    const TensorData* weights = TRY(call.tensor(1));
    auto gradients = TRY(numbersLike(call, 2, *weights)), numbers = readAll<double>(*weights);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        gradients[i] *= -rate;
        numbers[i] += gradients[i];
    }
    TRY(setLike(call, 0, *weights, numbers));
    return call.wants(1) ? setLike(call, 1, *weights, gradients) : Result<void>();
}

/// The tensors of a sequence input, or the one tensor.
Result<std::vector<TensorData>> tensorsIn(const KernelCall& call, std::size_t slot) {
    std::vector<TensorData> tensors;
    const SequenceData* sequence = slot < call.inputs.size() ? call.inputs[slot].sequence() : nullptr;
    if (sequence == nullptr) {
        tensors.push_back(*TRY(call.tensor(slot)));
        return tensors;
    }
    for (const RuntimeValue& item : sequence->items) {
        if (item.tensor() == nullptr)
            return call.fail("exec.needs-tensor", {std::to_string(slot), item.text()});
        tensors.push_back(*item.tensor());
    }
    return tensors;
}

/// Puts the tensors back as a sequence where the input is one.
void setTensors(const KernelCall& call, std::size_t slot, std::size_t inputSlot,
                std::vector<TensorData> tensors) {
    if (call.inputs[inputSlot].sequence() == nullptr) {
        call.setOutput(slot, std::move(tensors.front()));
        return;
    }
    auto sequence = std::make_shared<SequenceData>();
    for (TensorData& tensor : tensors) {
        sequence->element = tensor.type();
        sequence->items.emplace_back(std::move(tensor));
    }
    call.setOutput(slot, std::shared_ptr<const SequenceData>(std::move(sequence)));
}

Result<TensorData> tensorOf(const KernelCall& call, const TensorData& like,
                            const std::vector<double>& numbers) {
    TensorData made = TRY(call.make(like.type(), like.shape()));
    writeAll(made, numbers);
    return made;
}

/// SGDOptimizerV2(rate, weights, gradients, update) -> done, weights.
Result<void> runSgdV2(const KernelCall& call) {
    const double rate = TRY(numberIn(call, 0));
    const auto weights = TRY(tensorsIn(call, 1)), gradients = TRY(tensorsIn(call, 2));
    const bool updates = TRY(flagIn(call, 3, true));
    if (weights.size() != gradients.size())
        return call.fail("exec.sequence-lengths",
                         {std::to_string(weights.size()), std::to_string(gradients.size())});
    std::vector<TensorData> made;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        auto numbers = readAll<double>(weights[k]);
        const auto g = readAll<double>(gradients[k]);
        if (g.size() != numbers.size())
            return call.fail("exec.shapes-differ",
                             {shapeText(weights[k].shape()), shapeText(gradients[k].shape())});
        for (std::size_t i = 0; updates && i < numbers.size(); ++i)
            numbers[i] -= rate * g[i];
        made.push_back(TRY(tensorOf(call, weights[k], numbers)));
    }
    TRY(setFlag(call, 0, updates, {1}));
    if (!made.empty()) setTensors(call, 1, 1, std::move(made));
    return {};
}

/// AdamWOptimizer(rate, step, weights, gradients, moments 1, moments 2, update) -> done, weights, moments.
/// Mode 0 decays the weights before the step (PyTorch's), 1 after it (as Hugging Face's).
Result<void> runAdamW(const KernelCall& call) {
    const double rate = TRY(numberIn(call, 0)), step = TRY(numberIn(call, 1));
    const auto weights = TRY(tensorsIn(call, 2)), gradients = TRY(tensorsIn(call, 3));
    const auto firsts = TRY(tensorsIn(call, 4)), seconds = TRY(tensorsIn(call, 5));
    const bool updates = TRY(flagIn(call, 6, true));
    const auto alpha = static_cast<double>(call.real("alpha", 0.9F)),
               beta = static_cast<double>(call.real("beta", 0.999F));
    const auto epsilon = static_cast<double>(call.real("epsilon", 1e-8F)),
               decay = static_cast<double>(call.real("weight_decay", 1e-2F));
    const bool isMode0 = call.integer("adam_mode", 0) == 0, corrects = call.integer("correct_bias", 1) != 0;
    const double first = corrects ? 1 - std::pow(alpha, step) : 1,
                 second = corrects ? 1 - std::pow(beta, step) : 1;
    if (gradients.size() != weights.size() || firsts.size() != weights.size() ||
        seconds.size() != weights.size())
        return call.fail("exec.sequence-lengths",
                         {std::to_string(weights.size()), std::to_string(gradients.size())});
    std::vector<TensorData> newWeights, newFirsts, newSeconds;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        auto w = readAll<double>(weights[k]), m = readAll<double>(firsts[k]), v = readAll<double>(seconds[k]);
        const auto g = readAll<double>(gradients[k]);
        if (g.size() != w.size() || m.size() != w.size() || v.size() != w.size())
            return call.fail("exec.shapes-differ",
                             {shapeText(weights[k].shape()), shapeText(gradients[k].shape())});
        for (std::size_t i = 0; updates && i < w.size(); ++i) {
            if (isMode0) w[i] -= w[i] * rate * decay;
            m[i] = alpha * m[i] + (1 - alpha) * g[i];
            v[i] = beta * v[i] + (1 - beta) * g[i] * g[i];
            const double spread = isMode0 ? std::sqrt(v[i] / second) + epsilon : std::sqrt(v[i]) + epsilon;
            const double length = isMode0 ? rate / first : rate * std::sqrt(second) / first;
            w[i] -= length * m[i] / spread;
            if (!isMode0) w[i] -= rate * decay * w[i];
        }
        newWeights.push_back(TRY(tensorOf(call, weights[k], w)));
        newFirsts.push_back(TRY(tensorOf(call, firsts[k], m)));
        newSeconds.push_back(TRY(tensorOf(call, seconds[k], v)));
    }
    TRY(setFlag(call, 0, updates, {1}));
    if (newWeights.empty()) return {};
    setTensors(call, 1, 2, std::move(newWeights));
    setTensors(call, 2, 4, std::move(newFirsts));
    setTensors(call, 3, 5, std::move(newSeconds));
    return {};
}

/// Tensors of the optimizers of ai.onnx.preview.training: rate, step count, then `kinds` groups of n tensors
/// each.
Result<std::size_t> groupSize(const KernelCall& call, std::size_t kinds) {
    if (call.inputs.size() < 2 + kinds || (call.inputs.size() - 2) % kinds != 0)
        return call.fail("exec.bad-groups", {std::to_string(kinds), std::to_string(call.inputs.size())});
    return (call.inputs.size() - 2) / kinds;
}

/// ai.onnx.preview.training Adagrad-1.
Result<void> runAdagrad(const KernelCall& call) {
    const std::size_t n = TRY(groupSize(call, 3));
    const double rate = TRY(numberIn(call, 0)), step = TRY(numberIn(call, 1));
    const auto decay = static_cast<double>(call.real("decay_factor", 0)),
               norm = static_cast<double>(call.real("norm_coefficient", 0));
    const auto epsilon = static_cast<double>(call.real("epsilon", 1e-6F));
    const double length = rate / (1 + step * decay);
    for (std::size_t k = 0; k < n; ++k) {
        const TensorData* x = TRY(call.tensor(2 + k));
        auto numbers = readAll<double>(*x), squares = TRY(numbersLike(call, 2 + 2 * n + k, *x));
        const auto g = TRY(numbersLike(call, 2 + n + k, *x));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double slope = g[i] + norm * numbers[i];
            squares[i] += slope * slope;
            numbers[i] -= length * slope / (std::sqrt(squares[i]) + epsilon);
        }
        TRY(setLike(call, k, *x, numbers));
        TRY(setLike(call, n + k, *x, squares));
    }
    return {};
}

/// ai.onnx.preview.training Adam-1.
Result<void> runAdam(const KernelCall& call) {
    const std::size_t n = TRY(groupSize(call, 4));
    const double rate = TRY(numberIn(call, 0)), step = TRY(numberIn(call, 1));
    const auto alpha = static_cast<double>(call.real("alpha", 0.9F)),
               beta = static_cast<double>(call.real("beta", 0.999F));
    const auto norm = static_cast<double>(call.real("norm_coefficient", 0)),
               after = static_cast<double>(call.real("norm_coefficient_post", 0));
    const auto epsilon = static_cast<double>(call.real("epsilon", 1e-6F));
    const double length =
        step > 0 ? rate * std::sqrt(1 - std::pow(beta, step)) / (1 - std::pow(alpha, step)) : rate;
    for (std::size_t k = 0; k < n; ++k) {
        const TensorData* x = TRY(call.tensor(2 + k));
        auto numbers = readAll<double>(*x), v = TRY(numbersLike(call, 2 + 2 * n + k, *x)),
             h = TRY(numbersLike(call, 2 + 3 * n + k, *x));
        const auto g = TRY(numbersLike(call, 2 + n + k, *x));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double slope = g[i] + norm * numbers[i];
            v[i] = alpha * v[i] + (1 - alpha) * slope;
            h[i] = beta * h[i] + (1 - beta) * slope * slope;
            numbers[i] -= length * v[i] / (std::sqrt(h[i]) + epsilon);
            numbers[i] *= 1 - after;
        }
        TRY(setLike(call, k, *x, numbers));
        TRY(setLike(call, n + k, *x, v));
        TRY(setLike(call, 2 * n + k, *x, h));
    }
    return {};
}

/// ai.onnx.preview.training Momentum-1, standard or Nesterov.
Result<void> runMomentum(const KernelCall& call) {
    const std::size_t n = TRY(groupSize(call, 3));
    const double rate = TRY(numberIn(call, 0)), step = TRY(numberIn(call, 1));
    const auto alpha = static_cast<double>(call.real("alpha", 0)),
               beta = static_cast<double>(call.real("beta", 0));
    const auto norm = static_cast<double>(call.real("norm_coefficient", 0));
    const std::string_view mode = call.text("mode", "standard");
    if (mode != "standard" && mode != "nesterov")
        return call.fail("exec.bad-attribute", {"mode", std::string(mode)});
    const double weight = step > 0 ? beta : 1;
    for (std::size_t k = 0; k < n; ++k) {
        const TensorData* x = TRY(call.tensor(2 + k));
        auto numbers = readAll<double>(*x), v = TRY(numbersLike(call, 2 + 2 * n + k, *x));
        const auto g = TRY(numbersLike(call, 2 + n + k, *x));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double slope = g[i] + norm * numbers[i];
            v[i] = alpha * v[i] + weight * slope;
            numbers[i] -= rate * (mode == "nesterov" ? slope + alpha * v[i] : v[i]);
        }
        TRY(setLike(call, k, *x, numbers));
        TRY(setLike(call, n + k, *x, v));
    }
    return {};
}

/// com.microsoft BroadcastGradientArgs(a shape, b shape) -> the axes along which each was broadcast.
Result<void> runBroadcastArgs(const KernelCall& call) {
    const auto a = TRY(call.integersIn(0)), b = TRY(call.integersIn(1));
    const auto shape = a && b ? broadcastShape(*a, *b) : std::nullopt;
    if (!shape) return call.fail("exec.no-broadcast", {a ? shapeText(*a) : "", b ? shapeText(*b) : ""});
    for (std::size_t slot = 0; slot < 2; ++slot) {
        if (!call.wants(slot)) continue;
        const auto& own = slot == 0 ? *a : *b;
        const std::size_t lead = shape->size() - own.size();
        std::vector<std::int64_t> axes;
        for (std::size_t d = shape->size(); d-- > 0;) {
            if (d < lead || (own[d - lead] == 1 && (*shape)[d] != 1))
                axes.push_back(static_cast<std::int64_t>(d));
        }
        TensorData list = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(axes.size())}));
        std::copy(axes.begin(), axes.end(), list.as<std::int64_t>().begin());
        call.setOutput(slot, std::move(list));
    }
    return {};
}

constexpr std::string_view kTraining = "ai.onnx.preview.training";

constexpr KernelEntry kOptimizers[] = {
    {kTraining, "Adagrad", 1, &runAdagrad},
    {kTraining, "Adam", 1, &runAdam},
    {kTraining, "Momentum", 1, &runMomentum},
    {"com.microsoft", "AdamWOptimizer", 1, &runAdamW},
    {"com.microsoft", "All", 1, &runAll},
    {"com.microsoft", "BroadcastGradientArgs", 1, &runBroadcastArgs},
    {"com.microsoft", "Group", 1, &runGroup},
    {"com.microsoft", "InPlaceAccumulator", 1, &runAccumulator},
    {"com.microsoft", "InPlaceAccumulatorV2", 1, &runAccumulatorV2},
    {"com.microsoft", "IsAllFinite", 1, &runIsAllFinite},
    {"com.microsoft", "IsFinite", 1, &runIsFinite},
    {"com.microsoft", "MixedPrecisionScale", 1, &runMixedPrecisionScale},
    {"com.microsoft", "PassThrough", 1, &runPassThrough},
    {"com.microsoft", "SGDOptimizer", 1, &runSgd},
    {"com.microsoft", "SGDOptimizerV2", 1, &runSgdV2},
    {"com.microsoft", "ZeroGradient", 1, &runZeroGradient},
};

} // namespace

std::span<const KernelEntry> optimizerKernels() {
    return kOptimizers;
}

} // namespace secateur
