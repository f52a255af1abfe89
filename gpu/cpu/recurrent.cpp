// SPDX-License-Identifier: Apache-2.0
//
// ONNX LSTM and com.microsoft DynamicQuantizeLSTM with the usual activations, in every direction: the part of
// all gates that comes from the input is one matrix product over all time steps, oneDNN's.
#include "core/messages/sentences.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/fast_math.h"

#include <dnnl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

struct LstmSizes {
    std::int64_t time = 0, batch = 0, input = 0, hidden = 0, directions = 1;
    bool isReverseOnly = false;
};

/// Quantizes to 8 bits over the numbers' own range, widened to hold zero, and back (ONNX
/// DynamicQuantizeLinear).
void quantizeAndBack(const float* from, float* to, std::int64_t count) {
    float low = 0, high = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        low = std::min(low, from[i]);
        high = std::max(high, from[i]);
    }
    constexpr float kSteps = 255;
    const float scale = (high - low) / kSteps;
    if (scale == 0) {
        std::copy_n(from, count, to);
        return;
    }
    const float zero = std::nearbyint(std::clamp(-low / scale, 0.0F, kSteps));
    for (std::int64_t i = 0; i < count; ++i) {
        const float step = std::nearbyint(from[i] / scale) + zero;
        to[i] = (std::clamp(step, 0.0F, kSteps) - zero) * scale;
    }
}

/// c += a b', all row major; b is columns x inner.
void addProduct(std::int64_t rows, std::int64_t columns, std::int64_t inner, const float* a, const float* b,
                float* c, std::int64_t stepOfC) {
    if (dnnl_sgemm('N', 'T', rows, columns, inner, 1, a, inner, b, inner, 1, c, stepOfC) != dnnl_success)
        throw std::runtime_error(formatMessage(
            "exec.product-failed", {std::to_string(rows), std::to_string(inner), std::to_string(columns)}));
}

class LstmKernel : public CpuKernel {
  public:
    LstmKernel(const LstmSizes& sizes, bool isQuantized) : m_sizes(sizes), m_isQuantized(isQuantized) {}

    /// Weights in the place of inputs 1 and 2.
    void hold(std::vector<float> w, std::vector<float> r) {
        m_w = std::move(w);
        m_r = std::move(r);
    }
    /// Gates of all time steps, two states, what the products read.
    [[nodiscard]] std::uint64_t workspaceBytes() const {
        const LstmSizes& s = m_sizes;
        return static_cast<std::uint64_t>(s.time * s.batch * 4 * s.hidden + 3 * s.batch * s.hidden +
                                          s.time * s.batch * s.input) *
               sizeof(float);
    }

    void run(const StepMemory& memory) override {
        const LstmSizes& s = m_sizes;
        float* gates = reinterpret_cast<float*>(memory.workspace);
        float* seenInput = gates + s.time * s.batch * 4 * s.hidden + 3 * s.batch * s.hidden;
        const float* x = memory.floats(0);
        if (m_isQuantized) {
            quantizeAndBack(x, seenInput, s.time * s.batch * s.input);
            x = seenInput;
        }
        for (std::int64_t d = 0; d < s.directions; ++d)
            runDirection(memory, d, x, gates);
    }

  private:
    void runDirection(const StepMemory& memory, std::int64_t d, const float* x, float* gates) const {
        const LstmSizes& s = m_sizes;
        const std::int64_t width = 4 * s.hidden, rows = s.time * s.batch, cells = s.batch * s.hidden;
        float *h = gates + rows * width, *c = h + cells, *seen = c + cells;
        const float* w = (m_w.empty() ? memory.floats(1) : m_w.data()) + d * width * s.input;
        const float* r = (m_r.empty() ? memory.floats(2) : m_r.data()) + d * width * s.hidden;
        addBiases(memory, d, gates);
        addProduct(rows, width, s.input, x, w, gates, width);
        start(memory, 5, d, h);
        start(memory, 6, d, c);
        const bool isReverse = s.isReverseOnly || d == 1;
        for (std::int64_t k = 0; k < s.time; ++k) {
            const std::int64_t t = isReverse ? s.time - 1 - k : k;
            float* now = gates + t * s.batch * width;
            const float* state = h;
            if (m_isQuantized) {
                for (std::int64_t b = 0; b < s.batch; ++b)
                    quantizeAndBack(h + b * s.hidden, seen + b * s.hidden, s.hidden);
                state = seen;
            }
            addProduct(s.batch, width, s.hidden, state, r, now, width);
            for (std::int64_t b = 0; b < s.batch; ++b)
                advance(now + b * width, h + b * s.hidden, c + b * s.hidden);
            if (memory.outputs[0] != nullptr)
                std::copy_n(h, cells, memory.result() + (t * s.directions + d) * cells);
        }
        for (const std::size_t slot : {1U, 2U})
            if (slot < memory.outputs.size() && memory.outputs[slot] != nullptr)
                std::copy_n(slot == 1 ? h : c, cells, memory.result(slot) + d * cells);
    }

    /// Both biases into every row of the gates; zeros without.
    void addBiases(const StepMemory& memory, std::int64_t d, float* gates) const {
        const std::int64_t width = 4 * m_sizes.hidden, rows = m_sizes.time * m_sizes.batch;
        const bool hasBias = memory.inputs.size() > 3 && memory.inputs[3] != nullptr;
        if (!hasBias) {
            std::fill_n(gates, rows * width, 0.0F);
            return;
        }
        const float* b = memory.floats(3) + d * 2 * width;
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t i = 0; i < width; ++i)
                gates[row * width + i] = b[i] + b[width + i];
    }

    void start(const StepMemory& memory, std::size_t slot, std::int64_t d, float* state) const {
        const std::int64_t cells = m_sizes.batch * m_sizes.hidden;
        if (slot < memory.inputs.size() && memory.inputs[slot] != nullptr)
            std::copy_n(memory.floats(slot) + d * cells, cells, state);
        else
            std::fill_n(state, cells, 0.0F);
    }

    /// Gates lie as i, o, f, c.
    void advance(const float* gates, float* h, float* c) const {
        const std::int64_t n = m_sizes.hidden;
        for (std::int64_t u = 0; u < n; ++u) {
            const float in = fast::Sigmoid{}(gates[u]), out = fast::Sigmoid{}(gates[n + u]),
                        forget = fast::Sigmoid{}(gates[2 * n + u]);
            c[u] = forget * c[u] + in * fast::Tanh{}(gates[3 * n + u]);
            h[u] = out * fast::Tanh{}(c[u]);
        }
    }

    LstmSizes m_sizes;
    bool m_isQuantized;
    std::vector<float> m_w, m_r;
};

/// Nothing but directions, biases and states at the start; `last` is the first slot of peepholes and such.
std::optional<LstmSizes> sizesOf(const NodeFacts& facts) {
    const KernelCall& call = facts.call;
    if (facts.inputs.size() < 3 || !facts.has(0) || !facts.has(1) || !facts.has(2) ||
        !facts.inputs[0].isFloat() || facts.has(4) || facts.has(7) || call.attribute("clip") != nullptr ||
        call.attribute("activations") != nullptr || call.integer("input_forget", 0) != 0 ||
        call.integer("layout", 0) != 0)
        return std::nullopt;
    for (const std::size_t slot : {3U, 5U, 6U})
        if (facts.has(slot) && !facts.inputs[slot].isFloat()) return std::nullopt;
    for (const OperandFacts& output : facts.outputs)
        if (output.isPresent && (!output.isFloat() || output.count() == 0)) return std::nullopt;
    const Shape& x = facts.inputs[0].shape;
    const std::string_view direction = call.text("direction", "forward");
    if (x.size() != 3 || facts.inputs[0].count() == 0) return std::nullopt;
    LstmSizes s;
    s.time = x[0];
    s.batch = x[1];
    s.input = x[2];
    s.hidden = call.integer("hidden_size", 0);
    s.directions = direction == "bidirectional" ? 2 : 1;
    s.isReverseOnly = direction == "reverse";
    const bool hasBias = facts.has(3);
    if (s.hidden <= 0 || (hasBias && facts.inputs[3].count() != s.directions * 8 * s.hidden))
        return std::nullopt;
    for (const std::size_t slot : {5U, 6U})
        if (facts.has(slot) && facts.inputs[slot].count() != s.directions * s.batch * s.hidden)
            return std::nullopt;
    return s;
}

PreparedStep lstmStep(const NodeFacts& facts, std::unique_ptr<LstmKernel> kernel) {
    const std::uint64_t bytes = kernel->workspaceBytes();
    PreparedStep step = ownStep(facts, std::move(kernel));
    step.request.workspaceBytes = bytes;
    return step;
}

Step lstm(const NodeFacts& facts) {
    const auto s = sizesOf(facts);
    if (!s || !facts.inputs[1].isFloat() || !facts.inputs[2].isFloat() ||
        facts.inputs[1].shape != Shape{s->directions, 4 * s->hidden, s->input} ||
        facts.inputs[2].shape != Shape{s->directions, 4 * s->hidden, s->hidden})
        return std::nullopt;
    return lstmStep(facts, std::make_unique<LstmKernel>(*s, false));
}

/// Constant 8 bit weights [directions, rows, 4 * hidden] as floats, rows and columns swapped.
std::optional<std::vector<float>> weightsBack(const NodeFacts& facts, std::size_t slot,
                                              std::size_t scaleSlot) {
    if (!facts.has(scaleSlot) || !facts.has(scaleSlot + 1)) return std::nullopt;
    const OperandFacts &packed = facts.inputs[slot], &scale = facts.inputs[scaleSlot],
                       &zero = facts.inputs[scaleSlot + 1];
    if (packed.constant == nullptr || scale.constant == nullptr || zero.constant == nullptr ||
        packed.shape.size() != 3 || !scale.isFloat() || zero.type != packed.type ||
        zero.count() != scale.count() ||
        (packed.type != ElementType::int8 && packed.type != ElementType::uint8))
        return std::nullopt;
    const std::int64_t directions = packed.shape[0], rows = packed.shape[1], columns = packed.shape[2];
    const std::int64_t each = scale.count() == directions ? 1 : columns;
    if (scale.count() != directions * each) return std::nullopt;
    const auto cellAt = [](const TensorData& tensor, std::int64_t at) {
        const std::byte byte = tensor.data()[at];
        return tensor.type() == ElementType::int8 ? static_cast<float>(static_cast<std::int8_t>(byte))
                                                  : static_cast<float>(static_cast<std::uint8_t>(byte));
    };
    const auto scales = scale.constant->as<float>();
    std::vector<float> back(static_cast<std::size_t>(packed.count()));
    for (std::int64_t d = 0; d < directions; ++d)
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                const std::int64_t at = each == 1 ? d : d * columns + c;
                back[static_cast<std::size_t>((d * columns + c) * rows + r)] =
                    (cellAt(*packed.constant, (d * rows + r) * columns + c) - cellAt(*zero.constant, at)) *
                    scales[static_cast<std::size_t>(at)];
            }
    return back;
}

Step quantizedLstm(const NodeFacts& facts) {
    const auto s = sizesOf(facts);
    if (!s || facts.inputs.size() < 12 ||
        facts.inputs[1].shape != Shape{s->directions, s->input, 4 * s->hidden} ||
        facts.inputs[2].shape != Shape{s->directions, s->hidden, 4 * s->hidden})
        return std::nullopt;
    auto w = weightsBack(facts, 1, 8), r = weightsBack(facts, 2, 10);
    if (!w || !r) return std::nullopt;
    auto kernel = std::make_unique<LstmKernel>(*s, true);
    kernel->hold(std::move(*w), std::move(*r));
    PreparedStep step = lstmStep(facts, std::move(kernel));
    for (std::size_t slot : {1U, 2U, 8U, 9U, 10U, 11U})
        step.request.inputs[slot] = kHeldByStep;
    return step;
}

constexpr FactoryEntry kRecurrent[] = {{"LSTM", &lstm},
                                       {"com.microsoft.DynamicQuantizeLSTM", &quantizedLstm}};

} // namespace

std::span<const FactoryEntry> recurrentFactories() {
    return kRecurrent;
}

} // namespace secateur
