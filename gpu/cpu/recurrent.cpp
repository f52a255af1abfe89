// SPDX-License-Identifier: Apache-2.0
//
// ONNX LSTM, GRU and RNN with the usual functions, in every direction: the part of all gates that comes from
// the input is one matrix product over all time steps, oneDNN's, as are the products with the states.
#include "core/messages/sentences.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/fast_math.h"
#include "gpu/cpu/recurrent_parts.h"

#include <dnnl.h>

#include <algorithm>
#include <stdexcept>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// c += a b', all row major; b is columns x inner.
void addProduct(std::int64_t rows, std::int64_t columns, std::int64_t inner, const float* a, const float* b,
                float* c, std::int64_t stepOfC) {
    if (dnnl_sgemm('N', 'T', rows, columns, inner, 1, a, inner, b, inner, 1, c, stepOfC) != dnnl_success)
        throw std::runtime_error(formatMessage(
            "exec.product-failed", {std::to_string(rows), std::to_string(inner), std::to_string(columns)}));
}

/// Steps through time, one direction after the other; what a step does is the operator's.
class RecurrentKernel : public CpuKernel {
  public:
    RecurrentKernel(const RecurrentShape& shape, std::size_t states) : m_shape(shape), m_states(states) {}

    /// Gates of all time steps, the states, and what one step works in.
    [[nodiscard]] std::uint64_t workspaceBytes() const {
        const RecurrentShape& s = m_shape;
        return static_cast<std::uint64_t>(s.rows() * s.width() +
                                          static_cast<std::int64_t>(m_states) * s.cells() + 2 * s.cells()) *
               sizeof(float);
    }

    void run(const StepMemory& memory) override {
        for (std::int64_t d = 0; d < m_shape.directions; ++d)
            runDirection(memory, d);
    }

  protected:
    struct StepState {
        float* gates;         ///< of this step, with the input's part and the biases
        const float* weights; ///< of the recurrent part
        const float* bias;    ///< of the recurrent part alone; null: none
        float *h, *c;         ///< states: of the step before, then of this one
        float* scratch;       ///< 2 * cells
    };
    virtual void step(const StepState& state) const = 0;
    [[nodiscard]] const RecurrentShape& shape() const { return m_shape; }

  private:
    void runDirection(const StepMemory& memory, std::int64_t d) const {
        const RecurrentShape& s = m_shape;
        const std::int64_t width = s.width();
        float* gates = reinterpret_cast<float*>(memory.workspace);
        float *h = gates + s.rows() * width, *c = h + s.cells();
        float* scratch = h + static_cast<std::int64_t>(m_states) * s.cells();
        fillBiases(memory, s, d, gates);
        addProduct(s.rows(), width, s.input, memory.floats(0), memory.floats(1) + d * width * s.input, gates,
                   width);
        startState(memory, s, 5, d, h);
        if (m_states > 1) startState(memory, s, 6, d, c);
        const bool hasBias = memory.inputs.size() > 3 && memory.inputs[3] != nullptr;
        StepState state{gates,
                        memory.floats(2) + d * width * s.hidden,
                        hasBias ? memory.floats(3) + (2 * d + 1) * width : nullptr,
                        h,
                        c,
                        scratch};
        for (std::int64_t k = 0; k < s.time; ++k) {
            const std::int64_t t = s.timeAt(d, k);
            state.gates = gates + t * s.batch * width;
            step(state);
            keepState(memory, s, d, t, h);
        }
        keepLast(memory, s, 1, d, h);
        if (m_states > 1) keepLast(memory, s, 2, d, c);
    }

    RecurrentShape m_shape;
    std::size_t m_states;
};

class LstmKernel : public RecurrentKernel {
  public:
    explicit LstmKernel(const RecurrentShape& shape) : RecurrentKernel(shape, 2) {}

  private:
    void step(const StepState& state) const override {
        const RecurrentShape& s = shape();
        addProduct(s.batch, s.width(), s.hidden, state.h, state.weights, state.gates, s.width());
        for (std::int64_t b = 0; b < s.batch; ++b)
            advanceLstm(state.gates + b * s.width(), s.hidden, state.h + b * s.hidden,
                        state.c + b * s.hidden);
    }
};

/// Gates lie as update, reset, candidate.
class GruKernel : public RecurrentKernel {
  public:
    GruKernel(const RecurrentShape& shape, bool isLinear) : RecurrentKernel(shape, 1), m_isLinear(isLinear) {}

  private:
    void step(const StepState& state) const override {
        const RecurrentShape& s = shape();
        const std::int64_t n = s.hidden, width = s.width();
        const float* candidateWeights = state.weights + 2 * n * n;
        addProduct(s.batch, 2 * n, n, state.h, state.weights, state.gates, width);
        float *gated = state.scratch, *recurrent = state.scratch + s.cells();
        for (std::int64_t b = 0; b < s.batch; ++b)
            openGates(state, b, gated + b * n);
        if (m_isLinear) {
            // The reset gate opens for the product and its bias, which the sum of both biases holds already.
            for (std::int64_t b = 0; b < s.batch; ++b)
                for (std::int64_t u = 0; u < n; ++u)
                    recurrent[b * n + u] = state.bias == nullptr ? 0.0F : state.bias[2 * n + u];
            addProduct(s.batch, n, n, state.h, candidateWeights, recurrent, n);
        } else {
            addProduct(s.batch, n, n, gated, candidateWeights, state.gates + 2 * n, width);
        }
        for (std::int64_t b = 0; b < s.batch; ++b)
            advance(state, b, recurrent + b * n);
    }

    /// The first two gates become what they let through; `gated` is what of the state passes the reset gate.
    void openGates(const StepState& state, std::int64_t b, float* gated) const {
        const std::int64_t n = shape().hidden;
        float* gates = state.gates + b * shape().width();
        for (std::int64_t u = 0; u < 2 * n; ++u)
            gates[u] = fast::Sigmoid{}(gates[u]);
        for (std::int64_t u = 0; u < n; ++u)
            gated[u] = gates[n + u] * state.h[b * n + u];
    }

    void advance(const StepState& state, std::int64_t b, const float* recurrent) const {
        const std::int64_t n = shape().hidden;
        const float *gates = state.gates + b * shape().width(), *reset = gates + n, *own = gates + 2 * n;
        float* h = state.h + b * n;
        for (std::int64_t u = 0; u < n; ++u) {
            float sum = own[u];
            if (m_isLinear) {
                const float bias = state.bias == nullptr ? 0.0F : state.bias[2 * n + u];
                sum += reset[u] * recurrent[u] - bias;
            }
            h[u] = (1.0F - gates[u]) * fast::Tanh{}(sum) + gates[u] * h[u];
        }
    }

    bool m_isLinear;
};

class RnnKernel : public RecurrentKernel {
  public:
    explicit RnnKernel(const RecurrentShape& shape) : RecurrentKernel(shape, 1) {}

  private:
    void step(const StepState& state) const override {
        const RecurrentShape& s = shape();
        addProduct(s.batch, s.hidden, s.hidden, state.h, state.weights, state.gates, s.hidden);
        for (std::int64_t i = 0; i < s.cells(); ++i)
            state.h[i] = fast::Tanh{}(state.gates[i]);
    }
};

/// Are the weights floats of the shapes that the operator wants?
bool hasWeights(const NodeFacts& facts, const RecurrentShape& s) {
    return facts.inputs[1].isFloat() && facts.inputs[2].isFloat() &&
           facts.inputs[1].shape == Shape{s.directions, s.width(), s.input} &&
           facts.inputs[2].shape == Shape{s.directions, s.width(), s.hidden};
}

Step recurrentStep(const NodeFacts& facts, std::unique_ptr<RecurrentKernel> kernel) {
    const std::uint64_t bytes = kernel->workspaceBytes();
    PreparedStep step = ownStep(facts, std::move(kernel));
    step.request.workspaceBytes = bytes;
    return step;
}

Step lstm(const NodeFacts& facts) {
    const auto s = recurrentShapeOf(facts, 4, 2);
    if (!s || !hasWeights(facts, *s)) return std::nullopt;
    return recurrentStep(facts, std::make_unique<LstmKernel>(*s));
}

Step gru(const NodeFacts& facts) {
    const auto s = recurrentShapeOf(facts, 3, 1);
    if (!s || !hasWeights(facts, *s)) return std::nullopt;
    const bool isLinear = facts.call.integer("linear_before_reset", 0) != 0;
    return recurrentStep(facts, std::make_unique<GruKernel>(*s, isLinear));
}

Step rnn(const NodeFacts& facts) {
    const auto s = recurrentShapeOf(facts, 1, 1);
    if (!s || !hasWeights(facts, *s)) return std::nullopt;
    return recurrentStep(facts, std::make_unique<RnnKernel>(*s));
}

constexpr FactoryEntry kRecurrent[] = {{"GRU", &gru}, {"LSTM", &lstm}, {"RNN", &rnn}};

} // namespace

std::span<const FactoryEntry> recurrentFactories() {
    return kRecurrent;
}

} // namespace secateur
