// SPDX-License-Identifier: Apache-2.0
//
// ONNX RNN, GRU, LSTM in every direction, with sequence lengths, peepholes, clipping, any activations, either
// layout; com.microsoft LSTMTraining (with the cell states and gates that the gradient needs), LSTMGrad and
// DynamicQuantizeLSTM.
// Gates lie in ONNX's order: GRU z r h, LSTM i o f c. Computed in double.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/recurrent_cells.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace secateur {
namespace {

/// Weights of a recurrent operator as doubles.
struct Weights {
    std::vector<double> x, w, r, b, h0;
};

Result<Weights> weightsOf(const KernelCall& call, const RecurrentSizes& s, std::size_t biasSlot,
                          std::size_t stateSlot) {
    Weights all;
    all.x = readAll<double>(*TRY(call.tensor(0)));
    all.w = readAll<double>(*TRY(call.tensor(1)));
    all.r = readAll<double>(*TRY(call.tensor(2)));
    all.b = TRY(numbersOrZero(call, biasSlot, s.directions * 2 * s.gates * s.hidden));
    all.h0 = TRY(numbersOrZero(call, stateSlot, s.directions * s.batch * s.hidden));
    return all;
}

/// Results of a recurrent operator under way.
struct Results {
    std::vector<double> y, h, c, cells, gates;

    explicit Results(const RecurrentSizes& s)
        : y(s.time * s.directions * s.batch * s.hidden), h(s.directions * s.batch * s.hidden), c(h.size()) {}
};

/// The part of a gate that comes from the input and both biases.
double inputPart(const RecurrentSizes& s, const Weights& all, std::size_t direction, std::size_t gate,
                 std::size_t unit, std::size_t xAt) {
    const std::size_t row = direction * s.gates * s.hidden + gate * s.hidden + unit;
    return rowProduct(all.w, row, s.input, all.x, xAt);
}
double recurrentPart(const RecurrentSizes& s, const Weights& all, std::size_t direction, std::size_t gate,
                     std::size_t unit, const std::vector<double>& state) {
    const std::size_t row = direction * s.gates * s.hidden + gate * s.hidden + unit;
    return rowProduct(all.r, row, s.hidden, state, 0);
}
double inputBias(const RecurrentSizes& s, const Weights& all, std::size_t direction, std::size_t gate,
                 std::size_t unit) {
    return all.b[direction * 2 * s.gates * s.hidden + gate * s.hidden + unit];
}
double recurrentBias(const RecurrentSizes& s, const Weights& all, std::size_t direction, std::size_t gate,
                     std::size_t unit) {
    return all.b[(direction * 2 + 1) * s.gates * s.hidden + gate * s.hidden + unit];
}

/// Steps through time for each direction and batch entry: `step(direction, entry, t, state)` makes the next
/// state.
template <typename Step>
void forEachStep(const RecurrentSizes& s, const Weights& all, Results& results, Step step) {
    std::vector<double> state(s.hidden);
    for (std::size_t d = 0; d < s.directions; ++d) {
        for (std::size_t b = 0; b < s.batch; ++b) {
            const std::size_t at = s.stateAt(d, b);
            std::copy_n(all.h0.begin() + static_cast<std::ptrdiff_t>(at), s.hidden, state.begin());
            for (std::size_t k = 0; k < s.lengths[b]; ++k) {
                const std::size_t t = s.timeAt(d, b, k);
                step(d, b, t, state);
                std::copy(state.begin(), state.end(),
                          results.y.begin() + static_cast<std::ptrdiff_t>(s.outputAt(t, d, b)));
            }
            std::copy(state.begin(), state.end(), results.h.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
}

Result<void> setNumbers(const KernelCall& call, std::size_t slot, Shape shape,
                        const std::vector<double>& numbers) {
    if (slot >= call.outputs.size() || !call.wants(slot)) return {};
    TensorData made = TRY(call.make(TRY(call.tensor(0))->type(), std::move(shape)));
    writeAll(made, numbers);
    call.setOutput(slot, std::move(made));
    return {};
}

/// H = f(X W' + H R' + Wb + Rb).
Result<void> runRnn(const KernelCall& call) {
    const RecurrentSizes s = TRY(recurrentSizes(call, 1, {"Tanh"}, 4));
    const Weights all = TRY(weightsOf(call, s, 3, 5));
    Results results(s);
    std::vector<double> next(s.hidden);
    forEachStep(s, all, results,
                [&](std::size_t d, std::size_t b, std::size_t t, std::vector<double>& state) {
                    for (std::size_t u = 0; u < s.hidden; ++u) {
                        const double sum = inputPart(s, all, d, 0, u, s.inputAt(t, b)) +
                                           recurrentPart(s, all, d, 0, u, state) +
                                           inputBias(s, all, d, 0, u) + recurrentBias(s, all, d, 0, u);
                        next[u] = s.functions[d](s.clipped(sum));
                    }
                    state = next;
                });
    TRY(setNumbers(call, 0, s.outputShape(), results.y));
    return setNumbers(call, 1, s.stateShape(), results.h);
}

/// z = f(..), r = f(..), h = g(X Wh' + (r . H) Rh' + ..), H = (1 - z) . h + z . H; with linear_before_reset
/// the reset gate multiplies the recurrent product and its bias.
Result<void> runGru(const KernelCall& call) {
    const RecurrentSizes s = TRY(recurrentSizes(call, 3, {"Sigmoid", "Tanh"}, 4));
    const Weights all = TRY(weightsOf(call, s, 3, 5));
    const bool isLinear = call.integer("linear_before_reset", 0) != 0;
    Results results(s);
    std::vector<double> update(s.hidden), reset(s.hidden), gated(s.hidden), next(s.hidden);
    forEachStep(
        s, all, results, [&](std::size_t d, std::size_t b, std::size_t t, std::vector<double>& state) {
            const GateFunction &f = s.functions[2 * d], &g = s.functions[2 * d + 1];
            const std::size_t x = s.inputAt(t, b);
            const auto gate = [&](std::size_t which, std::size_t u) {
                return f(s.clipped(inputPart(s, all, d, which, u, x) +
                                   recurrentPart(s, all, d, which, u, state) +
                                   inputBias(s, all, d, which, u) + recurrentBias(s, all, d, which, u)));
            };
            for (std::size_t u = 0; u < s.hidden; ++u) {
                update[u] = gate(0, u);
                reset[u] = gate(1, u);
            }
            for (std::size_t u = 0; u < s.hidden; ++u)
                gated[u] = reset[u] * state[u];
            for (std::size_t u = 0; u < s.hidden; ++u) {
                const double own = inputPart(s, all, d, 2, u, x) + inputBias(s, all, d, 2, u);
                const double recurrent =
                    isLinear
                        ? reset[u] * (recurrentPart(s, all, d, 2, u, state) + recurrentBias(s, all, d, 2, u))
                        : recurrentPart(s, all, d, 2, u, gated) + recurrentBias(s, all, d, 2, u);
                next[u] = (1 - update[u]) * g(s.clipped(own + recurrent)) + update[u] * state[u];
            }
            state = next;
        });
    TRY(setNumbers(call, 0, s.outputShape(), results.y));
    return setNumbers(call, 1, s.stateShape(), results.h);
}

/// Where the cell states [time, directions, batch, hidden] of a step lie, whatever the layout.
std::size_t cellAt(const RecurrentSizes& s, std::size_t t, std::size_t d, std::size_t b) {
    return ((t * s.directions + d) * s.batch + b) * s.hidden;
}

/// i, o, f = f(..), c' = g(..), C = f . C + i . c', H = o . h(C); peepholes add P . C to i and f, P . C(new)
/// to o.
/// `seen` makes of a state what the recurrent product reads; empty: the state itself.
Result<Results> runCells(const KernelCall& call, const RecurrentSizes& s,
                         const std::function<void(std::vector<double>&)>& seen = {}) {
    const Weights all = TRY(weightsOf(call, s, 3, 5));
    const auto c0 = TRY(numbersOrZero(call, 6, s.directions * s.batch * s.hidden));
    const auto peepholes = TRY(numbersOrZero(call, 7, s.directions * 3 * s.hidden));
    const bool couplesForget = call.integer("input_forget", 0) != 0;
    Results results(s);
    results.c = c0;
    results.cells.resize(results.y.size());
    results.gates.resize(4 * results.y.size());
    std::vector<double> next(s.hidden);
    forEachStep(
        s, all, results, [&](std::size_t d, std::size_t b, std::size_t t, std::vector<double>& state) {
            const GateFunction &f = s.functions[3 * d], &g = s.functions[3 * d + 1],
                               &h = s.functions[3 * d + 2];
            const std::size_t x = s.inputAt(t, b), cell = s.stateAt(d, b), kept = cellAt(s, t, d, b);
            if (seen) seen(state);
            for (std::size_t u = 0; u < s.hidden; ++u) {
                const auto sum = [&](std::size_t gate) {
                    return inputPart(s, all, d, gate, u, x) + recurrentPart(s, all, d, gate, u, state) +
                           inputBias(s, all, d, gate, u) + recurrentBias(s, all, d, gate, u);
                };
                const auto peephole = [&](std::size_t gate) {
                    return peepholes[(d * 3 + gate) * s.hidden + u];
                };
                double& c = results.c[cell + u];
                const double i = f(s.clipped(sum(0) + peephole(0) * c));
                const double forget = couplesForget ? 1 - i : f(s.clipped(sum(2) + peephole(2) * c));
                const double candidate = g(s.clipped(sum(3)));
                c = forget * c + i * candidate;
                const double o = f(s.clipped(sum(1) + peephole(1) * c));
                next[u] = o * h(c);
                results.cells[kept + u] = c;
                double* gates = results.gates.data() + 4 * kept + u;
                gates[0] = i;
                gates[s.hidden] = o;
                gates[2 * s.hidden] = forget;
                gates[3 * s.hidden] = candidate;
            }
            state = next;
        });
    return results;
}

Result<void> runLstm(const KernelCall& call) {
    const RecurrentSizes s = TRY(recurrentSizes(call, 4, {"Sigmoid", "Tanh", "Tanh"}, 4));
    const Results results = TRY(runCells(call, s));
    TRY(setNumbers(call, 0, s.outputShape(), results.y));
    TRY(setNumbers(call, 1, s.stateShape(), results.h));
    TRY(setNumbers(call, 2, s.stateShape(), results.c));
    if (call.model->isDefaultDomain(call.node)) return {};
    Shape wide = s.outputShape();
    TRY(setNumbers(call, 3, wide, results.cells));
    wide.back() *= 4;
    return setNumbers(call, 4, wide, results.gates);
}

/// What is left of numbers that are quantized to 8 bits over their own range, widened to hold zero, and back
/// (ONNX DynamicQuantizeLinear), reckoned in T.
template <typename T> void quantizeAndBack(std::vector<double>& numbers) {
    T low = 0, high = 0;
    for (const double number : numbers) {
        low = std::min(low, static_cast<T>(number));
        high = std::max(high, static_cast<T>(number));
    }
    constexpr T kSteps = 255;
    const T scale = (high - low) / kSteps;
    if (scale == 0) return;
    const T zero = std::nearbyint(std::clamp(-low / scale, T{0}, kSteps));
    for (double& number : numbers) {
        const T step = std::nearbyint(static_cast<T>(number) / scale) + zero;
        number = static_cast<double>((std::clamp(step, T{0}, kSteps) - zero) * scale);
    }
}

/// Weights [directions, rows, columns] of 8 bits as the float weights [directions, columns, rows] that LSTM
/// takes. Scales and zero points are one for each direction, or one for each column of it.
Result<TensorData> weightsBack(const KernelCall& call, std::size_t slot, std::size_t scaleSlot) {
    const TensorData* packed = TRY(call.tensor(slot));
    const TensorData* scale = TRY(call.tensor(scaleSlot));
    const TensorData* zero = TRY(call.tensor(scaleSlot + 1));
    if (packed->rank() != 3) return call.fail("exec.bad-rank", {"3", std::to_string(packed->rank())});
    const Shape& shape = packed->shape();
    const auto directions = static_cast<std::size_t>(shape[0]), rows = static_cast<std::size_t>(shape[1]),
               columns = static_cast<std::size_t>(shape[2]);
    const std::size_t each = scale->count() == directions ? 1 : columns;
    if (scale->count() != directions * each || zero->count() != scale->count())
        return call.fail("exec.shapes-differ", {shapeText(shape), shapeText(scale->shape())});
    const auto numbers = readAll<double>(*packed), scales = readAll<double>(*scale),
               zeros = readAll<double>(*zero);
    std::vector<double> back(numbers.size());
    for (std::size_t d = 0; d < directions; ++d) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                const std::size_t at = each == 1 ? d : d * columns + c;
                back[(d * columns + c) * rows + r] =
                    (numbers[(d * rows + r) * columns + c] - zeros[at]) * scales[at];
            }
        }
    }
    TensorData made = TRY(call.make(TRY(call.tensor(0))->type(), {shape[0], shape[2], shape[1]}));
    writeAll(made, back);
    return made;
}

/// com.microsoft DynamicQuantizeLSTM: X W R B lengths H0 C0 P, then scale and zero point of W and of R.
/// Inputs and states are quantized as they come.
Result<void> runQuantizedLstm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto quantize =
        x->type() == ElementType::float64 ? &quantizeAndBack<double> : &quantizeAndBack<float>;
    std::vector<double> numbers = readAll<double>(*x);
    quantize(numbers);
    TensorData seen = TRY(call.make(x->type(), x->shape()));
    writeAll(seen, numbers);
    constexpr std::size_t kScaleOfW = 8, kScaleOfR = 10;
    std::vector<RuntimeValue> inputs(call.inputs.begin(), call.inputs.end());
    inputs[0] = std::move(seen);
    inputs[1] = TRY(weightsBack(call, 1, kScaleOfW));
    inputs[2] = TRY(weightsBack(call, 2, kScaleOfR));
    KernelCall plain = call;
    plain.inputs = inputs;
    const RecurrentSizes s = TRY(recurrentSizes(plain, 4, {"Sigmoid", "Tanh", "Tanh"}, 4));
    const Results results = TRY(runCells(plain, s, quantize));
    TRY(setNumbers(call, 0, s.outputShape(), results.y));
    TRY(setNumbers(call, 1, s.stateShape(), results.h));
    return setNumbers(call, 2, s.stateShape(), results.c);
}

/// What LSTMGrad reads: X W R lengths H0 C0 Y C gates dY dH dC.
struct GradInputs {
    std::vector<double> x, w, r, h0, c0, y, cells, gates, dy, dh, dc;
};

Result<GradInputs> gradInputs(const KernelCall& call, const RecurrentSizes& s) {
    const std::size_t states = s.directions * s.batch * s.hidden, all = s.time * states;
    GradInputs in;
    in.x = readAll<double>(*TRY(call.tensor(0)));
    in.w = readAll<double>(*TRY(call.tensor(1)));
    in.r = readAll<double>(*TRY(call.tensor(2)));
    in.h0 = TRY(numbersOrZero(call, 4, states));
    in.c0 = TRY(numbersOrZero(call, 5, states));
    in.y = TRY(numbersOrZero(call, 6, all));
    in.cells = TRY(numbersOrZero(call, 7, all));
    in.gates = TRY(numbersOrZero(call, 8, 4 * all));
    in.dy = TRY(numbersOrZero(call, 9, all));
    in.dh = TRY(numbersOrZero(call, 10, states));
    in.dc = TRY(numbersOrZero(call, 11, states));
    return in;
}

/// Gradients of an LSTM with the default activations.
struct LstmGradients {
    std::vector<double> dx, dw, dr, db, dh0, dc0;
};

/// One step back: from the gradients of the state and cell after it to those before it.
void stepBack(const RecurrentSizes& s, const GradInputs& in, std::size_t d, std::size_t b, std::size_t step,
              std::vector<double>& dh, std::vector<double>& dc, LstmGradients& out) {
    const std::size_t t = s.timeAt(d, b, step), kept = cellAt(s, t, d, b), x = s.inputAt(t, b);
    const bool isFirst = step == 0;
    const std::size_t before = isFirst ? s.stateAt(d, b) : s.outputAt(s.timeAt(d, b, step - 1), d, b);
    const std::size_t cellBefore = isFirst ? s.stateAt(d, b) : cellAt(s, s.timeAt(d, b, step - 1), d, b);
    const std::vector<double>&states = isFirst ? in.h0 : in.y, &cells = isFirst ? in.c0 : in.cells;
    std::vector<double> gates(4 * s.hidden);
    for (std::size_t u = 0; u < s.hidden; ++u) {
        const double* gate = in.gates.data() + 4 * kept + u;
        const double i = gate[0], o = gate[s.hidden], f = gate[2 * s.hidden], g = gate[3 * s.hidden];
        const double h = std::tanh(in.cells[kept + u]);
        const double total = dc[u] + dh[u] * o * (1 - h * h);
        gates[u] = total * g * i * (1 - i);
        gates[s.hidden + u] = dh[u] * h * o * (1 - o);
        gates[2 * s.hidden + u] = total * cells[cellBefore + u] * f * (1 - f);
        gates[3 * s.hidden + u] = total * i * (1 - g * g);
        dc[u] = total * f;
    }
    std::fill(dh.begin(), dh.end(), 0.0);
    for (std::size_t k = 0; k < 4 * s.hidden; ++k) {
        const std::size_t row = d * 4 * s.hidden + k;
        for (std::size_t c = 0; c < s.input; ++c) {
            out.dx[x + c] += gates[k] * in.w[row * s.input + c];
            out.dw[row * s.input + c] += gates[k] * in.x[x + c];
        }
        for (std::size_t u = 0; u < s.hidden; ++u) {
            dh[u] += gates[k] * in.r[row * s.hidden + u];
            out.dr[row * s.hidden + u] += gates[k] * states[before + u];
        }
        // Both biases are added alike.
        out.db[d * 8 * s.hidden + k] += gates[k];
        out.db[(d * 8 + 4) * s.hidden + k] += gates[k];
    }
}

Result<void> runLstmGrad(const KernelCall& call) {
    if (call.integer("input_forget", 0) != 0) return call.fail("exec.bad-attribute", {"input_forget", "1"});
    const RecurrentSizes s = TRY(recurrentSizes(call, 4, {"Sigmoid", "Tanh", "Tanh"}, 3));
    const GradInputs in = TRY(gradInputs(call, s));
    LstmGradients out;
    out.dx.resize(in.x.size());
    out.dw.resize(in.w.size());
    out.dr.resize(in.r.size());
    out.db.resize(s.directions * 8 * s.hidden);
    out.dh0.resize(in.h0.size());
    out.dc0.resize(in.c0.size());
    for (std::size_t d = 0; d < s.directions; ++d) {
        for (std::size_t b = 0; b < s.batch; ++b) {
            const auto at = static_cast<std::ptrdiff_t>(s.stateAt(d, b));
            const auto width = static_cast<std::ptrdiff_t>(s.hidden);
            std::vector<double> dh(in.dh.begin() + at, in.dh.begin() + at + width);
            std::vector<double> dc(in.dc.begin() + at, in.dc.begin() + at + width);
            for (std::size_t step = s.lengths[b]; step-- > 0;) {
                const std::size_t y = s.outputAt(s.timeAt(d, b, step), d, b);
                for (std::size_t u = 0; u < s.hidden; ++u)
                    dh[u] += in.dy[y + u];
                stepBack(s, in, d, b, step, dh, dc, out);
            }
            std::copy(dh.begin(), dh.end(), out.dh0.begin() + at);
            std::copy(dc.begin(), dc.end(), out.dc0.begin() + at);
        }
    }
    TRY(setNumbers(call, 0, TRY(call.tensor(0))->shape(), out.dx));
    TRY(setNumbers(call, 1, TRY(call.tensor(1))->shape(), out.dw));
    TRY(setNumbers(call, 2, TRY(call.tensor(2))->shape(), out.dr));
    const auto directions = static_cast<std::int64_t>(s.directions),
               hidden = static_cast<std::int64_t>(s.hidden);
    TRY(setNumbers(call, 3, {directions, 8 * hidden}, out.db));
    TRY(setNumbers(call, 4, s.stateShape(), out.dh0));
    return setNumbers(call, 5, s.stateShape(), out.dc0);
}

constexpr KernelEntry kRecurrent[] = {
    {"", "GRU", 1, &runGru},
    {"", "LSTM", 1, &runLstm},
    {"", "RNN", 1, &runRnn},
    {"com.microsoft", "DynamicQuantizeLSTM", 1, &runQuantizedLstm},
    {"com.microsoft", "LSTMGrad", 1, &runLstmGrad},
    {"com.microsoft", "LSTMTraining", 1, &runLstm},
};

} // namespace

std::span<const KernelEntry> recurrentKernels() {
    return kRecurrent;
}

} // namespace secateur
