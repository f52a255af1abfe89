// SPDX-License-Identifier: Apache-2.0
//
// com.microsoft DynamicQuantizeLSTM with the usual functions, in every direction: inputs and states are
// quantized to 8 bits as they come, products are taken in whole numbers. Directions run side by side.
#include "gpu/cpu/factories.h"
#include "gpu/cpu/int8_product.h"
#include "gpu/cpu/recurrent_parts.h"

#include <algorithm>
#include <cstring>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// Weights of one direction, and what a whole number of a column stands for: one scale, or one a column.
struct DirectionWeights {
    Int8Weights cells;
    std::vector<float> scales;
};

/// Numbers of 8 bits over their own range, widened to hold zero (ONNX DynamicQuantizeLinear), less the zero
/// point; gives the scale. Where all are zero the scale is 0.
float quantizeRow(const float* from, std::int64_t count, std::int64_t length, std::int16_t* to) {
    float low = 0, high = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        low = from[i] < low ? from[i] : low;
        high = from[i] > high ? from[i] : high;
    }
    constexpr float kSteps = 255, kShift = 12582912.0F; // 1.5 * 2^23: adding it rounds halves to even
    const float scale = (high - low) / kSteps;
    if (scale == 0) {
        std::fill_n(to, length, std::int16_t{0});
        return 0;
    }
    const float start = -low / scale, bounded = start < 0 ? 0 : start > kSteps ? kSteps : start;
    const float zero = bounded + kShift - kShift;
    for (std::int64_t i = 0; i < count; ++i) {
        const float step = (from[i] / scale + kShift - kShift) + zero;
        const float least = step < 0 ? 0 : step, inside = least > kSteps ? kSteps : least;
        to[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(step != step ? 0.0F : inside - zero));
    }
    std::fill(to + count, to + length, std::int16_t{0});
    return scale;
}

class QuantizedLstm : public CpuKernel {
  public:
    QuantizedLstm(const RecurrentShape& shape, std::vector<DirectionWeights> w,
                  std::vector<DirectionWeights> r, std::shared_ptr<void> charged)
        : m_shape(shape), m_w(std::move(w)), m_r(std::move(r)), m_charged(std::move(charged)) {}

    [[nodiscard]] std::uint64_t workspaceBytes() const {
        return inputBytes() + static_cast<std::uint64_t>(m_shape.directions) * directionBytes();
    }

    void run(const StepMemory& memory) override {
        const RecurrentShape& s = m_shape;
        auto* input = reinterpret_cast<std::int16_t*>(memory.workspace);
        // All of the input has one scale, so its rows are quantized as one, and then moved apart.
        const float scale = quantizeRow(memory.floats(0), s.rows() * s.input, s.rows() * s.input, input);
        const std::int64_t length = m_w[0].cells.rowLength();
        for (std::int64_t row = s.rows(); length != s.input && row-- > 0;) {
            std::memmove(input + row * length, input + row * s.input,
                         static_cast<std::size_t>(s.input) * sizeof(std::int16_t));
            input[row * length + s.input] = 0;
        }
        for (std::int64_t d = 0; d < s.directions; ++d)
            m_w[static_cast<std::size_t>(d)].cells.multiply(input, s.rows(), gatesOf(memory, d), s.width(),
                                                            &memory.threads);
        memory.threads.forRange(s.directions, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t d = from; d < to; ++d)
                runDirection(memory, d, scale);
        });
    }

  private:
    [[nodiscard]] static std::uint64_t aligned(std::int64_t bytes) {
        constexpr std::uint64_t kAlign = 64;
        return (static_cast<std::uint64_t>(bytes) + kAlign - 1) / kAlign * kAlign;
    }
    [[nodiscard]] std::uint64_t inputBytes() const {
        return aligned(m_shape.rows() * m_w[0].cells.rowLength() * 2);
    }
    /// Gates of all steps; two states, the sums of one step, one state quantized.
    [[nodiscard]] std::uint64_t directionBytes() const {
        return aligned((m_shape.rows() * m_shape.width() + 2 * m_shape.cells() + m_shape.width()) * 4) +
               aligned(m_r[0].cells.rowLength() * 2);
    }
    [[nodiscard]] std::int32_t* gatesOf(const StepMemory& memory, std::int64_t d) const {
        return reinterpret_cast<std::int32_t*>(memory.workspace + inputBytes() +
                                               static_cast<std::uint64_t>(d) * directionBytes());
    }

    void runDirection(const StepMemory& memory, std::int64_t d, float inputScale) const {
        const RecurrentShape& s = m_shape;
        const std::int64_t width = s.width();
        std::int32_t* wholes = gatesOf(memory, d);
        float* gates = reinterpret_cast<float*>(wholes);
        float *h = gates + s.rows() * width, *c = h + s.cells();
        auto* sums = reinterpret_cast<std::int32_t*>(c + s.cells());
        auto* row = reinterpret_cast<std::int16_t*>(reinterpret_cast<std::byte*>(wholes) +
                                                    aligned((s.rows() * width + 2 * s.cells() + width) * 4));
        fromWholes(memory, d, inputScale, wholes);
        startState(memory, s, 5, d, h);
        startState(memory, s, 6, d, c);
        const DirectionWeights& r = m_r[static_cast<std::size_t>(d)];
        for (std::int64_t k = 0; k < s.time; ++k) {
            const std::int64_t t = s.timeAt(d, k);
            for (std::int64_t b = 0; b < s.batch; ++b) {
                float* now = gates + (t * s.batch + b) * width;
                const float scale = quantizeRow(h + b * s.hidden, s.hidden, r.cells.rowLength(), row);
                r.cells.multiply(row, 1, sums, width, nullptr);
                if (r.scales.size() == 1) {
                    const float both = scale * r.scales[0];
                    for (std::int64_t i = 0; i < width; ++i)
                        now[i] += static_cast<float>(sums[i]) * both;
                } else {
                    for (std::int64_t i = 0; i < width; ++i)
                        now[i] +=
                            static_cast<float>(sums[i]) * (scale * r.scales[static_cast<std::size_t>(i)]);
                }
                advanceLstm(now, s.hidden, h + b * s.hidden, c + b * s.hidden);
            }
            keepState(memory, s, d, t, h);
        }
        keepLast(memory, s, 1, d, h);
        keepLast(memory, s, 2, d, c);
    }

    /// The input's part of the gates: sums of whole numbers become what they stand for, where they lie.
    void fromWholes(const StepMemory& memory, std::int64_t d, float inputScale, std::int32_t* wholes) const {
        const std::int64_t width = m_shape.width();
        const std::vector<float>& scales = m_w[static_cast<std::size_t>(d)].scales;
        const bool hasBias = memory.inputs.size() > 3 && memory.inputs[3] != nullptr;
        const float* bias = hasBias ? memory.floats(3) + d * 2 * width : nullptr;
        float* gates = reinterpret_cast<float*>(wholes);
        for (std::int64_t row = 0; row < m_shape.rows(); ++row) {
            for (std::int64_t i = 0; i < width; ++i) {
                const std::int64_t at = row * width + i;
                const float scale = inputScale * scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
                const float both = bias == nullptr ? 0.0F : bias[i] + bias[width + i];
                gates[at] = static_cast<float>(wholes[at]) * scale + both;
            }
        }
    }

    RecurrentShape m_shape;
    std::vector<DirectionWeights> m_w, m_r; ///< by direction
    std::shared_ptr<void> m_charged;
};

/// Constant 8 bit weights [directions, inner, columns], put in order.
std::optional<std::vector<DirectionWeights>> weightsOf(const NodeFacts& facts, std::size_t slot,
                                                       std::size_t scaleSlot) {
    if (!facts.has(scaleSlot) || !facts.has(scaleSlot + 1)) return std::nullopt;
    const OperandFacts &packed = facts.inputs[slot], &scale = facts.inputs[scaleSlot],
                       &zero = facts.inputs[scaleSlot + 1];
    if (packed.constant == nullptr || scale.constant == nullptr || zero.constant == nullptr ||
        !scale.isFloat() || zero.type != packed.type || zero.count() != scale.count() ||
        (packed.type != ElementType::int8 && packed.type != ElementType::uint8))
        return std::nullopt;
    const bool isSigned = packed.type == ElementType::int8;
    const std::int64_t directions = packed.shape[0], inner = packed.shape[1], columns = packed.shape[2];
    const std::int64_t each = scale.count() == directions ? 1 : columns;
    if (scale.count() != directions * each) return std::nullopt;
    const auto scales = scale.constant->as<float>();
    std::vector<DirectionWeights> all;
    for (std::int64_t d = 0; d < directions; ++d) {
        DirectionWeights& made = all.emplace_back();
        std::vector<std::int32_t> zeros;
        for (std::int64_t at = d * each; at < (d + 1) * each; ++at) {
            const std::byte cell = zero.constant->data()[at];
            zeros.push_back(isSigned ? std::int32_t{static_cast<std::int8_t>(cell)}
                                     : std::int32_t{static_cast<std::uint8_t>(cell)});
            made.scales.push_back(scales[static_cast<std::size_t>(at)]);
        }
        made.cells = Int8Weights(
            {packed.constant->data() + d * inner * columns, isSigned, inner, columns, columns, 1}, zeros);
    }
    return all;
}

Step quantizedLstm(const NodeFacts& facts) {
    constexpr std::size_t kScaleOfW = 8, kScaleOfR = 10;
    const auto s = recurrentShapeOf(facts, 4, 2);
    if (!s || facts.inputs.size() < 12 ||
        facts.inputs[1].shape != Shape{s->directions, s->input, s->width()} ||
        facts.inputs[2].shape != Shape{s->directions, s->hidden, s->width()})
        return std::nullopt;
    auto charged = facts.call.pool->charge(
        static_cast<std::uint64_t>(s->directions) *
        (Int8Weights::bytesFor(s->input, s->width()) + Int8Weights::bytesFor(s->hidden, s->width())));
    if (!charged) return std::nullopt;
    auto w = weightsOf(facts, 1, kScaleOfW), r = weightsOf(facts, 2, kScaleOfR);
    if (!w || !r) return std::nullopt;
    auto kernel = std::make_unique<QuantizedLstm>(*s, std::move(*w), std::move(*r), std::move(*charged));
    const std::uint64_t bytes = kernel->workspaceBytes();
    PreparedStep step = ownStep(facts, std::move(kernel));
    step.request.workspaceBytes = bytes;
    for (const std::size_t slot : {1U, 2U, 8U, 9U, 10U, 11U})
        step.request.inputs[slot] = kHeldByStep;
    return step;
}

constexpr FactoryEntry kQuantizedRecurrent[] = {{"com.microsoft.DynamicQuantizeLSTM", &quantizedLstm}};

} // namespace

std::span<const FactoryEntry> quantizedRecurrentFactories() {
    return kQuantizedRecurrent;
}

} // namespace secateur
