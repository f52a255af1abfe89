// SPDX-License-Identifier: Apache-2.0
//
// ONNX BatchNormalization with given statistics: a mean, a factor and an addend for each channel, in any
// layout. The mean is subtracted first: multiplied into the addend it would drown what lies close to it.
#include "core/analysis/operator_mode.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

class ScaleAndShift : public CpuKernel {
  public:
    ScaleAndShift(const Shape& shape, LayoutCode layout, double epsilon) : m_epsilon(epsilon) {
        const Shape physical = physicalShape(shape, layout);
        m_channels = shape[1];
        m_width = layout == kPlainLayout ? 1 : physical.back();
        m_groups = layout == kPlainLayout ? shape[1] : layout == kChannelsLast ? 1 : physical[1];
        for (std::size_t d = 2; d < shape.size(); ++d)
            m_positions *= shape[d];
        m_batch = shape[0];
    }
    [[nodiscard]] std::uint64_t workspaceBytes() const {
        return static_cast<std::uint64_t>(3 * m_groups * m_width) * sizeof(float);
    }

    void run(const StepMemory& memory) override {
        float* means = reinterpret_cast<float*>(memory.workspace);
        float *factors = means + m_groups * m_width, *addends = factors + m_groups * m_width;
        prepare(memory, means, factors, addends);
        const float* x = memory.floats(0);
        float* y = memory.result();
        const std::int64_t piece = m_positions * m_width;
        const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / std::max<std::int64_t>(piece, 1));
        memory.threads.forRange(m_batch * m_groups, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t at = from; at < to; ++at) {
                const std::int64_t channel = at % m_groups * m_width;
                rows(x + at * piece, y + at * piece, means + channel, factors + channel, addends + channel);
            }
        });
    }

  private:
    void prepare(const StepMemory& memory, float* means, float* factors, float* addends) const {
        const float *scale = memory.floats(1), *bias = memory.floats(2), *mean = memory.floats(3),
                    *variance = memory.floats(4);
        std::fill(means, addends + m_groups * m_width, 0.0F);
        std::copy_n(mean, m_channels, means);
        std::copy_n(bias, m_channels, addends);
        for (std::int64_t c = 0; c < m_channels; ++c)
            factors[c] = static_cast<float>(static_cast<double>(scale[c]) /
                                            std::sqrt(static_cast<double>(variance[c]) + m_epsilon));
    }

    void rows(const float* x, float* y, const float* means, const float* factors,
              const float* addends) const {
        switch (m_width) {
        case 1: {
            const float mean = *means, factor = *factors, addend = *addends;
            for (std::int64_t i = 0; i < m_positions; ++i)
                y[i] = (x[i] - mean) * factor + addend;
            return;
        }
        case 8: return blocks<8>(x, y, means, factors, addends);
        case 16: return blocks<16>(x, y, means, factors, addends);
        default:
            for (std::int64_t i = 0; i < m_positions; ++i)
                for (std::int64_t c = 0; c < m_width; ++c)
                    y[i * m_width + c] = (x[i * m_width + c] - means[c]) * factors[c] + addends[c];
        }
    }

    template <int kBlock>
    void blocks(const float* x, float* y, const float* means, const float* factors,
                const float* addends) const {
        for (std::int64_t i = 0; i < m_positions; ++i)
            for (int c = 0; c < kBlock; ++c)
                y[i * kBlock + c] = (x[i * kBlock + c] - means[c]) * factors[c] + addends[c];
    }

    double m_epsilon;
    std::int64_t m_batch = 1, m_groups = 1, m_positions = 1, m_width = 1, m_channels = 1;
};

std::optional<PreparedStep> batchNormalization(const NodeFacts& facts) {
    const bool isAsked = takesBatchStatistics(*facts.call.model, facts.call.node);
    if (isAsked && facts.call.mode != RunMode::inference) return std::nullopt;
    if (facts.inputs.size() != 5 || !facts.isAllFloat() || !facts.wants(0) ||
        facts.inputs[0].shape.size() < 2 || facts.call.integer("spatial", 1) != 1)
        return std::nullopt;
    for (std::size_t slot = 1; slot < facts.outputs.size(); ++slot)
        if (facts.wants(slot)) return std::nullopt;
    const OperandFacts& x = facts.inputs[0];
    for (std::size_t slot = 1; slot < 5; ++slot)
        if (facts.inputs[slot].count() != x.shape[1]) return std::nullopt;
    auto kernel = std::make_unique<ScaleAndShift>(x.shape, x.layout,
                                                  static_cast<double>(facts.call.real("epsilon", 1e-5F)));
    StepRequest request = plainRequest(facts);
    request.workspaceBytes = kernel->workspaceBytes();
    request.inputs[0] = x.layout;
    request.outputs[0] = {x.layout, layoutBytes(x.shape, x.layout), {0}};
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::own};
}

constexpr FactoryEntry kBatchNormalization[] = {{"BatchNormalization", &batchNormalization}};

} // namespace

std::span<const FactoryEntry> batchNormalizationFactories() {
    return kBatchNormalization;
}

} // namespace secateur
