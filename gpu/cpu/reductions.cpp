// SPDX-License-Identifier: Apache-2.0
//
// Operators that look along axes: Softmax, LogSoftmax, LayerNormalization, ReduceSum, ReduceMean, ReduceMax,
// ReduceMin; plain layout.
#include "gpu/cpu/factories.h"
#include "gpu/cpu/fast_math.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// A tensor as outer x length x inner, the axes in the middle.
struct Fold {
    std::int64_t outer = 1, length = 1, inner = 1;
};

Fold foldOf(const Shape& shape, std::size_t first, std::size_t behind) {
    Fold fold;
    for (std::size_t d = 0; d < shape.size(); ++d)
        (d < first ? fold.outer : d < behind ? fold.length : fold.inner) *= shape[d];
    return fold;
}

std::int64_t grainFor(std::int64_t cellsEach) {
    return std::max<std::int64_t>(1, (1 << 14) / std::max<std::int64_t>(cellsEach, 1));
}

template <bool isLog> class SoftmaxKernel : public CpuKernel {
  public:
    explicit SoftmaxKernel(Fold fold) : m_fold(fold) {}
    void run(const StepMemory& memory) override {
        const float* x = memory.floats(0);
        float* y = memory.result();
        memory.threads.forRange(
            m_fold.outer * m_fold.inner, grainFor(m_fold.length), [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t at = from; at < to; ++at) {
                    const std::int64_t start =
                        at / m_fold.inner * m_fold.length * m_fold.inner + at % m_fold.inner;
                    line(x + start, y + start);
                }
            });
    }

  private:
    void line(const float* x, float* y) const {
        const std::int64_t step = m_fold.inner;
        float most = x[0];
        for (std::int64_t i = 0; i < m_fold.length; ++i)
            most = x[i * step] > most || x[i * step] != x[i * step] ? x[i * step] : most;
        double sum = 0;
        for (std::int64_t i = 0; i < m_fold.length; ++i) {
            const float e = fast::Exp{}(x[i * step] - most);
            sum += static_cast<double>(e);
            y[i * step] = isLog ? x[i * step] - most : e;
        }
        const auto scale = static_cast<float>(1 / sum), shift = static_cast<float>(std::log(sum));
        for (std::int64_t i = 0; i < m_fold.length; ++i)
            y[i * step] = isLog ? y[i * step] - shift : y[i * step] * scale;
    }
    Fold m_fold;
};

template <bool isLog> Step softmax(const NodeFacts& facts) {
    if (facts.inputs.size() != 1 || !facts.isAllFloat() || !facts.wants(0)) return std::nullopt;
    constexpr std::int64_t kOneAxis = 13; // before, everything from the axis on was one line
    const Shape& shape = facts.inputs[0].shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    const bool isOld = facts.call.opset < kOneAxis;
    std::int64_t axis = facts.call.integer("axis", isOld ? 1 : -1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    const auto first = static_cast<std::size_t>(axis);
    PreparedStep step = ownStep(facts, std::make_unique<SoftmaxKernel<isLog>>(
                                           foldOf(shape, first, isOld ? shape.size() : first + 1)));
    step.request.outputs[0].overwrites = {0};
    return step;
}

class LayerNormalizationKernel : public CpuKernel {
  public:
    LayerNormalizationKernel(Fold fold, double epsilon, bool hasBias)
        : m_fold(fold), m_epsilon(epsilon), m_hasBias(hasBias) {}
    void run(const StepMemory& memory) override {
        const float *x = memory.floats(0), *scale = memory.floats(1);
        const float* bias = m_hasBias ? memory.floats(2) : nullptr;
        float* y = memory.result();
        const std::int64_t n = m_fold.length;
        memory.threads.forRange(m_fold.outer, grainFor(n), [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t at = from; at < to; ++at)
                line(x + at * n, scale, bias, y + at * n);
        });
    }

  private:
    void line(const float* x, const float* scale, const float* bias, float* y) const {
        const std::int64_t n = m_fold.length;
        double sum = 0, squares = 0;
        for (std::int64_t i = 0; i < n; ++i)
            sum += static_cast<double>(x[i]);
        const double mean = sum / static_cast<double>(n);
        for (std::int64_t i = 0; i < n; ++i) {
            const double d = static_cast<double>(x[i]) - mean;
            squares += d * d;
        }
        const auto factor = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(n) + m_epsilon));
        // The mean as two floats: rounded to one it is off by more than rows that lie close together spread.
        const auto middle = static_cast<float>(mean);
        const auto rest = static_cast<float>(mean - static_cast<double>(middle));
        for (std::int64_t i = 0; i < n; ++i)
            y[i] = ((x[i] - middle) - rest) * factor * scale[i] + (bias == nullptr ? 0.0F : bias[i]);
    }
    Fold m_fold;
    double m_epsilon;
    bool m_hasBias;
};

Step layerNormalization(const NodeFacts& facts) {
    if (facts.inputs.size() < 2 || !facts.isAllFloat() || !facts.wants(0) || facts.wants(1) || facts.wants(2))
        return std::nullopt;
    const Shape& shape = facts.inputs[0].shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t axis = facts.call.integer("axis", -1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    const Fold fold = foldOf(shape, static_cast<std::size_t>(axis), shape.size());
    if (facts.inputs[1].count() != fold.length || (facts.has(2) && facts.inputs[2].count() != fold.length))
        return std::nullopt;
    PreparedStep step =
        ownStep(facts, std::make_unique<LayerNormalizationKernel>(
                           fold, static_cast<double>(facts.call.real("epsilon", 1e-5F)), facts.has(2)));
    step.request.outputs[0].overwrites = {0};
    return step;
}

enum class Reduction : std::uint8_t { sum, mean, maximum, minimum };

template <Reduction kind> class ReductionKernel : public CpuKernel {
  public:
    explicit ReductionKernel(Fold fold) : m_fold(fold) {}
    void run(const StepMemory& memory) override {
        const float* x = memory.floats(0);
        float* y = memory.result();
        memory.threads.forRange(
            m_fold.outer * m_fold.inner, grainFor(m_fold.length), [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t at = from; at < to; ++at)
                    y[at] = reduced(x + at / m_fold.inner * m_fold.length * m_fold.inner + at % m_fold.inner);
            });
    }

  private:
    [[nodiscard]] float reduced(const float* x) const {
        const std::int64_t step = m_fold.inner;
        if constexpr (kind == Reduction::sum || kind == Reduction::mean) {
            double sum = 0;
            for (std::int64_t i = 0; i < m_fold.length; ++i)
                sum += static_cast<double>(x[i * step]);
            return static_cast<float>(kind == Reduction::sum ? sum
                                                             : sum / static_cast<double>(m_fold.length));
        }
        float found = x[0];
        for (std::int64_t i = 0; i < m_fold.length; ++i) {
            const float next = x[i * step];
            const bool isBetter = kind == Reduction::maximum ? next > found : next < found;
            found = isBetter || next != next ? next : found;
        }
        return found;
    }
    Fold m_fold;
};

/// The axes, an attribute or a constant input; none where they are not known, or not side by side.
std::optional<std::pair<std::size_t, std::size_t>> axesOf(const NodeFacts& facts) {
    const std::size_t rank = facts.inputs[0].shape.size();
    std::vector<std::int64_t> axes;
    if (facts.has(1)) {
        const OperandFacts& given = facts.inputs[1];
        if (given.constant == nullptr || given.type != ElementType::int64) return std::nullopt;
        const auto cells = given.constant->as<std::int64_t>();
        axes.assign(cells.begin(), cells.end());
    } else if (const auto* listed = facts.call.integers("axes")) {
        axes = *listed;
    }
    if (axes.empty()) {
        if (facts.call.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
        return std::pair{std::size_t{0}, rank};
    }
    for (std::int64_t& axis : axes)
        if (axis < 0) axis += static_cast<std::int64_t>(rank);
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != axes[0] + static_cast<std::int64_t>(i)) return std::nullopt;
    if (axes.front() < 0 || axes.back() >= static_cast<std::int64_t>(rank)) return std::nullopt;
    return std::pair{static_cast<std::size_t>(axes.front()), static_cast<std::size_t>(axes.back()) + 1};
}

template <Reduction kind> Step reduction(const NodeFacts& facts) {
    if (!facts.has(0) || !facts.inputs[0].isFloat() || !facts.wants(0) || facts.inputs[0].count() == 0 ||
        facts.inputs[0].shape.empty())
        return std::nullopt;
    const auto axes = axesOf(facts);
    if (!axes) return std::nullopt;
    const Fold fold = foldOf(facts.inputs[0].shape, axes->first, axes->second);
    if (facts.outputs[0].count() != fold.outer * fold.inner) return std::nullopt;
    PreparedStep step = ownStep(facts, std::make_unique<ReductionKernel<kind>>(fold));
    for (std::size_t slot = 1; slot < step.request.inputs.size(); ++slot)
        step.request.inputs[slot] = kHeldByStep;
    return step;
}

constexpr FactoryEntry kReductions[] = {
    {"LayerNormalization", &layerNormalization},
    {"LogSoftmax", &softmax<true>},
    {"ReduceMax", &reduction<Reduction::maximum>},
    {"ReduceMean", &reduction<Reduction::mean>},
    {"ReduceMin", &reduction<Reduction::minimum>},
    {"ReduceSum", &reduction<Reduction::sum>},
    {"Softmax", &softmax<false>},
};

} // namespace

std::span<const FactoryEntry> reductionFactories() {
    return kReductions;
}

} // namespace secateur
