// SPDX-License-Identifier: Apache-2.0
//
// Operators that draw random numbers: ONNX Dropout (every opset), Bernoulli, RandomNormal(Like),
// RandomUniform(Like), Multinomial; com.microsoft BiasDropout, TrainableDropout and the gradient DropoutGrad.
// Numbers come from the run's seed and the node (its `seed` attribute where it has one), the same on every
// machine.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"
#include "core/kernels/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace secateur {
namespace {

/// The node's own numbers where it names a seed, else the run's.
RandomStream streamOf(const KernelCall& call) {
    if (const Attribute* seed = call.attribute("seed")) {
        if (const auto* number = std::get_if<float>(&seed->value)) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, number, sizeof bits);
            return RandomStream(mixSeed(bits, 0));
        }
        if (const auto* number = std::get_if<std::int64_t>(&seed->value))
            return RandomStream(mixSeed(static_cast<std::uint64_t>(*number), 0));
    }
    return RandomStream(call.random->next());
}

/// One number of an optional input, or `otherwise`.
Result<double> numberIn(const KernelCall& call, std::size_t slot, double otherwise) {
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr) return otherwise;
    if (given->count() != 1 || computeTypeOf(given->type()) == ComputeType::none)
        return call.fail("exec.needs-one-element", {std::to_string(slot), shapeText(given->shape())});
    return readAll<double>(*given).front();
}

struct DropoutRule {
    double ratio = 0.5;
    bool isTraining = false;
};

/// By opset: is_test up to 6, never training from 7 to 11, an input from 12 on.
Result<DropoutRule> dropoutRule(const KernelCall& call, std::size_t ratioSlot) {
    constexpr std::int64_t kNeverTrains = 7, kByInput = 12;
    DropoutRule rule;
    const bool isStandard = call.model->isDefaultDomain(call.node) && call.model->op(call.node) == "Dropout";
    if (isStandard && call.opset < kByInput) {
        rule.ratio = static_cast<double>(call.real("ratio", 0.5F));
        rule.isTraining = call.opset < kNeverTrains && call.integer("is_test", 0) == 0;
    } else {
        rule.ratio = TRY(numberIn(call, ratioSlot, 0.5));
        // TrainableDropout has no such input: it always trains.
        const bool always = call.model->op(call.node) == "TrainableDropout";
        rule.isTraining = always || TRY(numberIn(call, ratioSlot + 1, 0)) != 0;
    }
    if (call.mode != RunMode::asWritten) rule.isTraining = false;
    if (!(rule.ratio >= 0 && rule.ratio < 1))
        return call.fail("exec.bad-ratio", {std::to_string(rule.ratio)});
    return rule;
}

/// x with elements dropped by `rule` and the rest scaled up, and the mask of what stays.
Result<void> drop(const KernelCall& call, const TensorData& x, const DropoutRule& rule) {
    TensorData mask = TRY(call.make(ElementType::boolean, x.shape()));
    const auto stays = mask.as<std::uint8_t>();
    const bool drops = rule.isTraining && rule.ratio > 0;
    if (drops) {
        RandomStream random = streamOf(call);
        for (std::uint8_t& cell : stays)
            cell = random.uniform() >= rule.ratio ? 1 : 0;
    } else {
        std::fill(stays.begin(), stays.end(), std::uint8_t{1});
    }
    TensorData y = x;
    if (drops) {
        y = TRY(call.make(x.type(), x.shape()));
        if (!isFloating(x.type())) return call.noCodeFor(x.type());
        auto cells = readAll<double>(x);
        const double scale = 1 / (1 - rule.ratio);
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = stays[i] != 0 ? cells[i] * scale : 0;
        writeAll(y, cells);
    }
    call.setOutput(0, std::move(y));
    if (!call.wants(1)) return {};
    // Before opset 10 the mask has the type of the data.
    constexpr std::int64_t kMaskIsBoolean = 10;
    if (call.model->isDefaultDomain(call.node) && call.opset < kMaskIsBoolean && isFloating(x.type())) {
        TensorData typed = TRY(call.make(x.type(), x.shape()));
        writeAll(typed, readAll<double>(mask));
        mask = std::move(typed);
    }
    call.setOutput(1, std::move(mask));
    return {};
}

Result<void> runDropout(const KernelCall& call) {
    return drop(call, *TRY(call.tensor(0)), TRY(dropoutRule(call, 1)));
}

/// com.microsoft BiasDropout(X, bias, residual, ratio, training_mode): dropout of X + bias, plus the
/// residual.
Result<void> runBiasDropout(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    TensorData bias = *TRY(call.tensor(1));
    TensorData sum = TRY(call.make(x->type(), TRY(broadcastOf(call, *x, bias))));
    TRY(withAllowed<Allowed::floating>(call, x->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(*x, bias, sum, kernels::Add{});
        return {};
    }));
    TRY(drop(call, sum, TRY(dropoutRule(call, 3))));
    const TensorData* residual = TRY(call.optionalTensor(2));
    if (residual == nullptr) return {};
    const TensorData dropped = *call.outputs[0].tensor();
    if (broadcastShape(dropped.shape(), residual->shape()) != dropped.shape())
        return call.fail("exec.no-broadcast", {shapeText(dropped.shape()), shapeText(residual->shape())});
    TensorData y = TRY(call.make(x->type(), dropped.shape()));
    TRY(withAllowed<Allowed::floating>(call, x->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(dropped, *residual, y, kernels::Add{});
        return {};
    }));
    call.setOutput(0, std::move(y));
    return {};
}

/// com.microsoft DropoutGrad(dY, mask, ratio, training_mode): what stayed, scaled alike.
Result<void> runDropoutGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* mask = TRY(call.tensor(1));
    const DropoutRule rule = TRY(dropoutRule(call, 2));
    const bool takesMode = call.inputs.size() > 3;
    if (!rule.isTraining && takesMode) {
        call.setOutput(0, *dy);
        return {};
    }
    if (mask->count() != dy->count() || mask->type() != ElementType::boolean || !isFloating(dy->type()))
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(mask->shape())});
    TensorData dx = TRY(call.make(dy->type(), dy->shape()));
    auto cells = readAll<double>(*dy);
    const auto stays = mask->as<std::uint8_t>();
    const double scale = 1 / (1 - rule.ratio);
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = stays[i] != 0 ? cells[i] * scale : 0;
    writeAll(dx, cells);
    call.setOutput(0, std::move(dx));
    return {};
}

/// A tensor of the element type that `dtype` names (else `otherwise`), each element drawn by `draw`.
template <typename Draw>
Result<void> fillDrawn(const KernelCall& call, Shape shape, ElementType otherwise, Draw draw) {
    const auto type = static_cast<ElementType>(call.integer("dtype", static_cast<std::int64_t>(otherwise)));
    if (computeTypeOf(type) == ComputeType::none) return call.noCodeFor(type);
    TensorData drawn = TRY(call.make(type, std::move(shape)));
    std::vector<double> numbers(static_cast<std::size_t>(drawn.count()));
    RandomStream random = streamOf(call);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = draw(random, i);
    writeAll(drawn, numbers);
    call.setOutput(0, std::move(drawn));
    return {};
}

/// The shape of the attribute, or with `isLike` that of input 0, whose type is then the default.
template <bool isLike> Result<std::pair<Shape, ElementType>> targetOf(const KernelCall& call) {
    if constexpr (isLike) {
        const TensorData* like = TRY(call.tensor(0));
        return std::pair(like->shape(), like->type());
    } else {
        const auto* shape = call.integers("shape");
        if (shape == nullptr) return call.fail("exec.bad-attribute", {"shape", ""});
        return std::pair(Shape(*shape), ElementType::float32);
    }
}

template <bool isLike> Result<void> runNormal(const KernelCall& call) {
    const auto [shape, type] = TRY(targetOf<isLike>(call));
    const auto mean = static_cast<double>(call.real("mean", 0)),
               scale = static_cast<double>(call.real("scale", 1));
    return fillDrawn(call, shape, type,
                     [&](RandomStream& random, std::size_t) { return mean + scale * random.normal(); });
}

template <bool isLike> Result<void> runUniform(const KernelCall& call) {
    const auto [shape, type] = TRY(targetOf<isLike>(call));
    const auto low = static_cast<double>(call.real("low", 0)),
               high = static_cast<double>(call.real("high", 1));
    return fillDrawn(call, shape, type, [&](RandomStream& random, std::size_t) {
        return low + (high - low) * random.uniform();
    });
}

Result<void> runBernoulli(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (computeTypeOf(x->type()) == ComputeType::none) return call.noCodeFor(x->type());
    const auto chances = readAll<double>(*x);
    return fillDrawn(call, x->shape(), x->type(), [&](RandomStream& random, std::size_t i) {
        return random.uniform() < chances[i] ? 1.0 : 0.0;
    });
}

/// ONNX Multinomial: classes drawn by unnormalized log probabilities.
Result<void> runMultinomial(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() != 2 || x->shape()[1] == 0 || !isFloating(x->type()))
        return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    const std::int64_t samples = call.integer("sample_size", 1);
    const auto logs = readAll<double>(*x);
    const auto classes = static_cast<std::size_t>(x->shape()[1]);
    if (samples < 1) return call.fail("exec.bad-attribute", {"sample_size", std::to_string(samples)});
    return fillDrawn(call, {x->shape()[0], samples}, ElementType::int32,
                     [&](RandomStream& random, std::size_t i) {
                         const double* row = logs.data() + i / static_cast<std::size_t>(samples) * classes;
                         const double most = *std::max_element(row, row + classes);
                         double total = 0;
                         for (std::size_t c = 0; c < classes; ++c)
                             total += std::exp(row[c] - most);
                         double left = random.uniform() * total;
                         std::size_t chosen = 0;
                         while (chosen + 1 < classes && (left -= std::exp(row[chosen] - most)) >= 0)
                             ++chosen;
                         return static_cast<double>(chosen);
                     });
}

constexpr KernelEntry kRandom[] = {
    {"", "Bernoulli", 15, &runBernoulli},
    {"", "Dropout", 1, &runDropout},
    {"", "Multinomial", 7, &runMultinomial},
    {"", "RandomNormal", 1, &runNormal<false>},
    {"", "RandomNormalLike", 1, &runNormal<true>},
    {"", "RandomUniform", 1, &runUniform<false>},
    {"", "RandomUniformLike", 1, &runUniform<true>},
    {"", "TrainableDropout", 1, &runDropout},
    {"com.microsoft", "BiasDropout", 1, &runBiasDropout},
    {"com.microsoft", "DropoutGrad", 1, &runDropoutGrad},
    {"com.microsoft", "TrainableDropoutGrad", 1, &runDropoutGrad},
};

} // namespace

std::span<const KernelEntry> randomKernels() {
    return kRandom;
}

} // namespace secateur
