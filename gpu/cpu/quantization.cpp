// SPDX-License-Identifier: Apache-2.0
//
// ONNX QuantizeLinear, DequantizeLinear (one scale, or one for each position of an axis; 8 bits; in any
// layout), DynamicQuantizeLinear.
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;
constexpr std::int64_t kGrain = 1 << 15;

/// A tensor as lines of elements that share one scale: outer x dim x inner.
struct ScaleLines {
    std::int64_t lines = 1, dim = 1, inner = 1;
};

std::optional<ScaleLines> linesOf(const NodeFacts& facts) {
    const Shape& shape = facts.inputs[0].shape;
    const OperandFacts& scale = facts.inputs[1];
    if (scale.count() == 1 && scale.shape.size() <= 1) return ScaleLines{1, 1, facts.inputs[0].count()};
    std::int64_t axis = facts.call.integer("axis", 1);
    if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size()) || scale.shape.size() != 1 ||
        scale.count() != shape[static_cast<std::size_t>(axis)])
        return std::nullopt;
    ScaleLines lines{1, scale.count(), 1};
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (static_cast<std::int64_t>(d) <= axis) lines.lines *= shape[d];
        if (static_cast<std::int64_t>(d) > axis) lines.inner *= shape[d];
    }
    return lines;
}

/// Calls work(line, from, to): the elements of one line, all of one scale.
template <typename Work> void forLines(const ScaleLines& lines, ThreadPool& threads, Work work) {
    if (lines.lines == 1) {
        threads.forRange(lines.inner, kGrain, [&](std::int64_t from, std::int64_t to) { work(0, from, to); });
        return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / lines.inner);
    threads.forRange(lines.lines, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t line = first; line < last; ++line)
            work(line % lines.dim, line * lines.inner, (line + 1) * lines.inner);
    });
}

template <typename Cell> float zeroPointAt(const StepMemory& memory, std::int64_t at) {
    const bool isGiven = memory.inputs.size() > 2 && memory.inputs[2] != nullptr;
    return isGiven ? static_cast<float>(reinterpret_cast<const Cell*>(memory.inputs[2])[at]) : 0.0F;
}

template <typename Cell> class QuantizeKernel : public CpuKernel {
  public:
    explicit QuantizeKernel(ScaleLines lines) : m_lines(lines) {}
    void run(const StepMemory& memory) override {
        const float *x = memory.floats(0), *scales = memory.floats(1);
        Cell* y = reinterpret_cast<Cell*>(memory.outputs[0]);
        forLines(m_lines, memory.threads, [&](std::int64_t which, std::int64_t from, std::int64_t to) {
            constexpr float kLow = std::numeric_limits<Cell>::min(), kHigh = std::numeric_limits<Cell>::max();
            const float scale = scales[which], zero = zeroPointAt<Cell>(memory, which);
            constexpr float kShift = 12582912.0F; // 1.5 * 2^23: adding it rounds halves to even
            for (std::int64_t i = from; i < to; ++i) {
                const float quotient = x[i] / scale;
                const float near = quotient < -1e6F ? -1e6F : quotient > 1e6F ? 1e6F : quotient;
                const float step = (near + kShift - kShift) + zero;
                const float low = step < kLow ? kLow : step, inside = low > kHigh ? kHigh : low;
                y[i] = static_cast<Cell>(static_cast<int>(quotient != quotient ? zero : inside));
            }
        });
    }

  private:
    ScaleLines m_lines;
};

template <typename Cell> class DequantizeKernel : public CpuKernel {
  public:
    explicit DequantizeKernel(ScaleLines lines) : m_lines(lines) {}
    void run(const StepMemory& memory) override {
        const Cell* x = reinterpret_cast<const Cell*>(memory.inputs[0]);
        const float* scales = memory.floats(1);
        float* y = memory.result();
        forLines(m_lines, memory.threads, [&](std::int64_t which, std::int64_t from, std::int64_t to) {
            const float scale = scales[which], zero = zeroPointAt<Cell>(memory, which);
            for (std::int64_t i = from; i < to; ++i)
                y[i] = (static_cast<float>(x[i]) - zero) * scale;
        });
    }

  private:
    ScaleLines m_lines;
};

/// Scale and zero point as a pair of the same size.
bool hasScales(const NodeFacts& facts, ElementType quantized) {
    const bool hasZero = facts.has(2);
    return facts.inputs.size() >= 2 && facts.has(0) && facts.has(1) && facts.wants(0) &&
           facts.inputs[1].isFloat() && facts.inputs[0].count() > 0 &&
           facts.call.integer("block_size", 0) == 0 &&
           (!hasZero ||
            (facts.inputs[2].type == quantized && facts.inputs[2].count() == facts.inputs[1].count()));
}

/// With one scale the layout of the operand stays: zeros that fill up blocks become the zero point, and zeros
/// again.
template <template <typename> class Kernel>
Step scaledStep(const NodeFacts& facts, ElementType quantized, ScaleLines lines) {
    const OperandFacts& x = facts.inputs[0];
    const LayoutCode layout = lines.lines == 1 ? x.layout : kPlainLayout;
    const auto cells = static_cast<std::int64_t>(elementCountOf(physicalShape(x.shape, layout)).value_or(0));
    if (lines.lines == 1) lines.inner = cells;
    PreparedStep step;
    if (quantized == ElementType::uint8)
        step = ownStep(facts, std::make_unique<Kernel<std::uint8_t>>(lines));
    else if (quantized == ElementType::int8)
        step = ownStep(facts, std::make_unique<Kernel<std::int8_t>>(lines));
    else
        return std::nullopt;
    step.request.inputs[0] = layout;
    step.request.outputs[0].layout = layout;
    step.request.outputs[0].bytes = static_cast<std::uint64_t>(cells) * cellBytes(facts.outputs[0].type);
    return step;
}

Step quantize(const NodeFacts& facts) {
    if (!facts.wants(0)) return std::nullopt;
    const ElementType type = facts.outputs[0].type;
    if (!hasScales(facts, type) || !facts.inputs[0].isFloat()) return std::nullopt;
    const auto lines = linesOf(facts);
    if (!lines) return std::nullopt;
    return scaledStep<QuantizeKernel>(facts, type, *lines);
}

Step dequantize(const NodeFacts& facts) {
    if (!facts.has(0)) return std::nullopt;
    const ElementType type = facts.inputs[0].type;
    if (!hasScales(facts, type) || !facts.outputs[0].isFloat()) return std::nullopt;
    const auto lines = linesOf(facts);
    if (!lines) return std::nullopt;
    return scaledStep<DequantizeKernel>(facts, type, *lines);
}

class DynamicQuantizeKernel : public CpuKernel {
  public:
    explicit DynamicQuantizeKernel(std::int64_t count) : m_count(count) {}
    void run(const StepMemory& memory) override {
        const float* x = memory.floats(0);
        const auto [low, high] = rangeOf(x);
        constexpr float kSteps = 255, kShift = 12582912.0F; // 1.5 * 2^23: adding it rounds halves to even
        const float scale = (high - low) / kSteps;
        const float start = -low / scale; // NaN where there is nothing but zeros, or an infinity
        const float zero = start == start ? std::nearbyint(std::clamp(start, 0.0F, kSteps)) : 0;
        auto* y = reinterpret_cast<std::uint8_t*>(memory.outputs[0]);
        memory.threads.forRange(m_count, kGrain, [&](std::int64_t from, std::int64_t to) {
            if (scale == 0) return std::fill(y + from, y + to, static_cast<std::uint8_t>(zero));
            for (std::int64_t i = from; i < to; ++i) {
                const float quotient = x[i] / scale;
                const float near = quotient < -1e6F ? -1e6F : quotient > 1e6F ? 1e6F : quotient;
                const float step = (near + kShift - kShift) + zero;
                const float least = step < 0 ? 0 : step, inside = least > kSteps ? kSteps : least;
                y[i] = static_cast<std::uint8_t>(static_cast<int>(quotient != quotient ? zero : inside));
            }
        });
        if (memory.outputs[1] != nullptr) *memory.result(1) = scale;
        if (memory.outputs[2] != nullptr)
            *reinterpret_cast<std::uint8_t*>(memory.outputs[2]) = static_cast<std::uint8_t>(zero);
    }

  private:
    /// The smallest and the largest number, and zero; NaN is passed over.
    [[nodiscard]] std::pair<float, float> rangeOf(const float* x) const {
        constexpr std::int64_t kLanes = 8;
        float low[kLanes] = {}, high[kLanes] = {};
        std::int64_t i = 0;
        for (; i + kLanes <= m_count; i += kLanes)
            for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                low[lane] = x[i + lane] < low[lane] ? x[i + lane] : low[lane];
                high[lane] = x[i + lane] > high[lane] ? x[i + lane] : high[lane];
            }
        for (; i < m_count; ++i) {
            low[0] = std::min(low[0], x[i]);
            high[0] = std::max(high[0], x[i]);
        }
        return {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
    }

    std::int64_t m_count;
};

Step dynamicQuantize(const NodeFacts& facts) {
    if (!facts.has(0) || !facts.inputs[0].isFloat() || facts.inputs[0].count() == 0 ||
        facts.outputs.size() != 3 || !facts.wants(0))
        return std::nullopt;
    return ownStep(facts, std::make_unique<DynamicQuantizeKernel>(facts.inputs[0].count()));
}

constexpr FactoryEntry kQuantization[] = {
    {"DequantizeLinear", &dequantize},
    {"DynamicQuantizeLinear", &dynamicQuantize},
    {"QuantizeLinear", &quantize},
};

} // namespace

std::span<const FactoryEntry> quantizationFactories() {
    return kQuantization;
}

} // namespace secateur
