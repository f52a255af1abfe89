// SPDX-License-Identifier: Apache-2.0
//
// ONNX MaxPool (without indices), AveragePool and their global forms by oneDNN, in the layout of the operand.
#include "core/exec/windows.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/onednn_kernel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

namespace secateur {
namespace {

using dnnl::memory;
using Step = std::optional<PreparedStep>;

/// The spatial dimensions of a tensor in any layout: planes x positions x lanes.
struct Planes {
    std::int64_t count = 1, lanes = 1;

    Planes(const Shape& shape, LayoutCode layout) {
        if (layout == kPlainLayout) {
            count = shape[0] * shape[1];
            return;
        }
        const Shape physical = physicalShape(shape, layout);
        count = layout == kChannelsLast ? physical[0] : physical[0] * physical[1];
        lanes = physical.back();
    }
};

/// The largest by oneDNN, which passes over NaN and knows nothing below the least finite number: an operand
/// with one that is not finite goes through loops that keep these.
class MaximumKernel : public CpuKernel {
  public:
    MaximumKernel(std::unique_ptr<CpuKernel> finite, Window window, Planes planes)
        : m_finite(std::move(finite)), m_window(std::move(window)), m_planes(planes) {}

    void run(const StepMemory& memory) override {
        if (isFinite(memory)) return m_finite->run(memory);
        const auto inputs = static_cast<std::int64_t>(m_window.inputCount());
        const auto outputs = static_cast<std::int64_t>(m_window.outputCount());
        memory.threads.forRange(m_planes.count, 1, [&](std::int64_t from, std::int64_t to) {
            std::vector<std::int64_t> places;
            for (std::int64_t position = 0; position < outputs; ++position) {
                m_window.placesAt(static_cast<std::size_t>(position), places);
                for (std::int64_t plane = from; plane < to; ++plane)
                    largest(memory.floats(0) + plane * inputs * m_planes.lanes, places,
                            memory.result() + (plane * outputs + position) * m_planes.lanes);
            }
        });
    }

  private:
    [[nodiscard]] bool isFinite(const StepMemory& memory) const {
        constexpr std::int64_t kGrain = 1 << 16; // elements
        constexpr std::uint32_t kExponent = 0x7F800000U;
        const float* x = memory.floats(0);
        std::atomic<bool> isFinite = true;
        const std::int64_t count =
            m_planes.count * static_cast<std::int64_t>(m_window.inputCount()) * m_planes.lanes;
        memory.threads.forRange(count, kGrain, [&](std::int64_t from, std::int64_t to) {
            std::uint32_t found = 0;
            for (std::int64_t i = from; i < to; ++i)
                found |= (std::bit_cast<std::uint32_t>(x[i]) & kExponent) == kExponent ? 1U : 0U;
            if (found != 0) isFinite = false;
        });
        return isFinite;
    }

    void largest(const float* x, const std::vector<std::int64_t>& places, float* y) const {
        std::fill_n(y, m_planes.lanes, -std::numeric_limits<float>::infinity());
        for (const std::int64_t place : places) {
            if (place < 0) continue;
            const float* cells = x + place * m_planes.lanes;
            for (std::int64_t lane = 0; lane < m_planes.lanes; ++lane)
                y[lane] = cells[lane] > y[lane] || cells[lane] != cells[lane] ? cells[lane] : y[lane];
        }
    }

    std::unique_ptr<CpuKernel> m_finite;
    Window m_window;
    Planes m_planes;
};

Step poolingStep(const NodeFacts& facts, dnnl::algorithm algorithm, const Window& window) {
    const OperandFacts& x = facts.inputs[0];
    const OperandFacts& y = facts.outputs[0];
    memory::dims dilations(window.dilations);
    for (auto& dilation : dilations)
        --dilation;
    const memory::desc from = descOf(x.shape, x.layout), to = descOf(y.shape, x.layout);
    const dnnl::pooling_v2_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, algorithm, from, to, memory::dims(window.strides),
         memory::dims(window.kernel), dilations, memory::dims(window.before), memory::dims(window.behind)},
        userScratchpad(), cpuEngine());
    auto kernel = std::make_unique<OnednnKernel>(dnnl::pooling_v2_forward(desc));
    kernel->takesInput(DNNL_ARG_SRC, 0, from);
    kernel->givesOutput(DNNL_ARG_DST, 0, to);
    kernel->usesWorkspace(desc.scratchpad_desc());
    StepRequest request = plainRequest(facts);
    request.inputs[0] = x.layout;
    request.outputs[0] = {canonical(y.shape, x.layout), layoutBytes(y.shape, x.layout), {}};
    request.workspaceBytes = desc.scratchpad_desc().get_size();
    if (algorithm != dnnl::algorithm::pooling_max)
        return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::onednn};
    auto maximum = std::make_unique<MaximumKernel>(std::move(kernel), window, Planes(x.shape, x.layout));
    return PreparedStep{std::move(maximum), std::move(request), PreparedStep::Origin::onednn};
}

bool isPoolable(const NodeFacts& facts) {
    if (!facts.has(0) || !facts.wants(0) || !facts.isAllFloat()) return false;
    for (std::size_t slot = 1; slot < facts.outputs.size(); ++slot)
        if (facts.wants(slot)) return false;
    const std::size_t rank = facts.inputs[0].shape.size();
    return rank >= 3 && rank <= 5 && facts.outputs[0].shape.size() == rank;
}

/// Does some position along dimension `d` meet padding alone (between the taps of a dilated window)?
bool meetsNothing(const Window& window, std::size_t d) {
    for (std::int64_t position = 0; position < window.output[d]; ++position) {
        const std::int64_t start = position * window.strides[d] - window.before[d],
                           step = window.dilations[d];
        const std::int64_t tap = start >= 0 ? 0 : (-start + step - 1) / step; // the first behind the padding
        if (tap >= window.kernel[d] || start + tap * step >= window.input[d]) return true;
    }
    return false;
}

/// The window with its padding behind widened or cut to what the result needs, as oneDNN wants it.
std::optional<Window> windowFor(const NodeFacts& facts, bool& isWidened) {
    auto read = windowOf(facts.call, facts.inputs[0].shape, {});
    if (!read) return std::nullopt;
    Window window = std::move(*read);
    const Shape& y = facts.outputs[0].shape;
    if (!std::equal(window.output.begin(), window.output.end(), y.begin() + 2, y.end())) return std::nullopt;
    for (std::size_t d = 0; d < window.rank(); ++d) {
        const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
        const std::int64_t needed =
            (window.output[d] - 1) * window.strides[d] + reach - window.input[d] - window.before[d];
        if (window.before[d] < 0 || window.before[d] >= reach) return std::nullopt;
        isWidened = isWidened || needed > window.behind[d];
        window.behind[d] = std::max<std::int64_t>(needed, 0);
        if (window.behind[d] >= reach || meetsNothing(window, d)) return std::nullopt;
    }
    return window;
}

Step maxPool(const NodeFacts& facts) {
    bool isWidened = false;
    if (!isPoolable(facts)) return std::nullopt;
    const auto window = windowFor(facts, isWidened);
    if (!window) return std::nullopt;
    return poolingStep(facts, dnnl::algorithm::pooling_max, *window);
}

Step averagePool(const NodeFacts& facts) {
    bool isWidened = false;
    if (!isPoolable(facts)) return std::nullopt;
    const auto window = windowFor(facts, isWidened);
    const bool countsPadding = facts.call.integer("count_include_pad", 0) != 0;
    // What ceil_mode adds behind the padding does not count, which oneDNN cannot tell from padding.
    if (!window || (countsPadding && isWidened)) return std::nullopt;
    return poolingStep(facts,
                       countsPadding ? dnnl::algorithm::pooling_avg_include_padding
                                     : dnnl::algorithm::pooling_avg_exclude_padding,
                       *window);
}

Step globalPool(const NodeFacts& facts, dnnl::algorithm algorithm) {
    if (!isPoolable(facts)) return std::nullopt;
    Window window;
    window.input.assign(facts.inputs[0].shape.begin() + 2, facts.inputs[0].shape.end());
    window.kernel = window.input;
    window.strides = window.dilations = window.output = Shape(window.rank(), 1);
    window.before = window.behind = Shape(window.rank(), 0);
    return poolingStep(facts, algorithm, window);
}
Step globalAverage(const NodeFacts& facts) {
    return globalPool(facts, dnnl::algorithm::pooling_avg_exclude_padding);
}
Step globalMax(const NodeFacts& facts) {
    return globalPool(facts, dnnl::algorithm::pooling_max);
}

constexpr FactoryEntry kPooling[] = {
    {"AveragePool", &averagePool},
    {"GlobalAveragePool", &globalAverage},
    {"GlobalMaxPool", &globalMax},
    {"MaxPool", &maxPool},
};

} // namespace

std::span<const FactoryEntry> poolingFactories() {
    return kPooling;
}

} // namespace secateur
