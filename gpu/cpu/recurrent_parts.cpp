// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/recurrent_parts.h"

#include "gpu/cpu/fast_math.h"

#include <algorithm>

namespace secateur {

std::optional<RecurrentShape> recurrentShapeOf(const NodeFacts& facts, std::int64_t gates,
                                               std::size_t states) {
    constexpr std::size_t kLengths = 4, kFirstState = 5;
    const KernelCall& call = facts.call;
    if (facts.inputs.size() < 3 || !facts.has(0) || !facts.has(1) || !facts.has(2) ||
        !facts.inputs[0].isFloat() || facts.has(kLengths) || call.attribute("clip") != nullptr ||
        call.attribute("activations") != nullptr || call.integer("input_forget", 0) != 0 ||
        call.integer("layout", 0) != 0)
        return std::nullopt;
    // Peepholes.
    if (facts.has(kFirstState + states) && gates == 4) return std::nullopt;
    for (const OperandFacts& output : facts.outputs)
        if (output.isPresent && (!output.isFloat() || output.count() == 0)) return std::nullopt;
    const Shape& x = facts.inputs[0].shape;
    const std::string_view direction = call.text("direction", "forward");
    if (x.size() != 3 || facts.inputs[0].count() == 0) return std::nullopt;
    RecurrentShape s;
    s.time = x[0];
    s.batch = x[1];
    s.input = x[2];
    s.hidden = call.integer("hidden_size", 0);
    s.gates = gates;
    s.directions = direction == "bidirectional" ? 2 : 1;
    s.isReverseOnly = direction == "reverse";
    const bool hasBias = facts.has(3);
    if (s.hidden <= 0 ||
        (hasBias && (!facts.inputs[3].isFloat() || facts.inputs[3].count() != s.directions * 2 * s.width())))
        return std::nullopt;
    for (std::size_t slot = kFirstState; slot < kFirstState + states; ++slot)
        if (facts.has(slot) &&
            (!facts.inputs[slot].isFloat() || facts.inputs[slot].count() != s.directions * s.cells()))
            return std::nullopt;
    return s;
}

void fillBiases(const StepMemory& memory, const RecurrentShape& shape, std::int64_t d, float* gates) {
    const std::int64_t width = shape.width();
    const bool hasBias = memory.inputs.size() > 3 && memory.inputs[3] != nullptr;
    if (!hasBias) {
        std::fill_n(gates, shape.rows() * width, 0.0F);
        return;
    }
    const float* b = memory.floats(3) + d * 2 * width;
    for (std::int64_t row = 0; row < shape.rows(); ++row)
        for (std::int64_t i = 0; i < width; ++i)
            gates[row * width + i] = b[i] + b[width + i];
}

void startState(const StepMemory& memory, const RecurrentShape& shape, std::size_t slot, std::int64_t d,
                float* state) {
    if (slot < memory.inputs.size() && memory.inputs[slot] != nullptr)
        std::copy_n(memory.floats(slot) + d * shape.cells(), shape.cells(), state);
    else
        std::fill_n(state, shape.cells(), 0.0F);
}

void keepState(const StepMemory& memory, const RecurrentShape& shape, std::int64_t d, std::int64_t t,
               const float* state) {
    if (memory.outputs[0] != nullptr)
        std::copy_n(state, shape.cells(), memory.result() + (t * shape.directions + d) * shape.cells());
}

void keepLast(const StepMemory& memory, const RecurrentShape& shape, std::size_t slot, std::int64_t d,
              const float* state) {
    if (slot < memory.outputs.size() && memory.outputs[slot] != nullptr)
        std::copy_n(state, shape.cells(), memory.result(slot) + d * shape.cells());
}

void advanceLstm(const float* gates, std::int64_t hidden, float* h, float* c) {
    const std::int64_t n = hidden;
    for (std::int64_t u = 0; u < n; ++u) {
        const float in = fast::Sigmoid{}(gates[u]), out = fast::Sigmoid{}(gates[n + u]),
                    forget = fast::Sigmoid{}(gates[2 * n + u]);
        c[u] = forget * c[u] + in * fast::Tanh{}(gates[3 * n + u]);
        h[u] = out * fast::Tanh{}(c[u]);
    }
}

} // namespace secateur
