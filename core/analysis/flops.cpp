// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/flops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace secateur {
namespace {

template <std::size_t N> bool isIn(const std::array<std::string_view, N>& list, std::string_view op) {
    return std::find(list.begin(), list.end(), op) != list.end();
}

constexpr std::array<std::string_view, 21> kMoves{
    "Cast",     "Concat",   "Constant", "Dropout",        "Expand",    "Flatten",   "Gather",
    "GatherND", "Identity", "Pad",      "Reshape",        "Shape",     "Size",      "Slice",
    "Split",    "Squeeze",  "Tile",     "ConcatTraining", "Transpose", "Unsqueeze", "SplitTraining"};
/// One operation for an element of the result.
constexpr std::array<std::string_view, 8> kOnePerElement{"Abs", "Add",  "Div",      "Mul",
                                                         "Neg", "Relu", "ReluGrad", "Sub"};
/// One operation less than inputs for an element of the result.
constexpr std::array<std::string_view, 3> kVariadic{"Max", "Min", "Sum"};
/// One operation for an element of the input.
constexpr std::array<std::string_view, 6> kReductions{"GlobalAveragePool", "ReduceMax", "ReduceMean",
                                                      "ReduceMin",         "ReduceSum", "ReduceSumTraining"};

class Counter {
  public:
    Counter(const Model& model, const TypeTable& types, NodeId node)
        : m_model(model), m_types(types), m_node(node), m_op(model.op(node)) {}

    std::optional<FlopCount> count() {
        const bool isKnownDomain =
            m_model.isDefaultDomain(m_node) || m_model.domain(m_node) == "com.microsoft";
        if (!isKnownDomain) return std::nullopt;
        const std::optional<double> flops = flopsOfOperator();
        if (!flops || m_isUnknown) return std::nullopt;
        return FlopCount{*flops, m_hasNames};
    }

  private:
    std::optional<double> flopsOfOperator() {
        if (isIn(kMoves, m_op)) return 0;
        if (isIn(kOnePerElement, m_op)) return elements(m_model.output(m_node, 0));
        if (isIn(kVariadic, m_op)) {
            const auto inputs = static_cast<double>(m_model.inputs(m_node).size());
            return std::max(0.0, inputs - 1) * elements(m_model.output(m_node, 0));
        }
        if (isIn(kReductions, m_op)) return elements(m_model.input(m_node, 0));
        if (m_op == "MatMul" || m_op == "MatMulInteger") return matMul(false);
        if (m_op == "FusedMatMul") return matMul(m_model.intAttribute(m_node, "transA", 0) != 0);
        if (m_op == "Gemm") return gemm();
        if (m_op == "Conv" || m_op == "ConvInteger") return conv(m_model.output(m_node, 0), 1);
        if (m_op == "ConvTranspose") return conv(m_model.input(m_node, 0), 1);
        if (m_op == "ConvGrad") return convGrad();
        if (m_op == "LSTM" || m_op == "LSTMTraining") return recurrence(4);
        if (m_op == "GRU" || m_op == "GRUTraining") return recurrence(3);
        if (m_op == "RNN") return recurrence(1);
        // Back through time: the gradients of what was read and of the weights, a product each.
        if (m_op == "LSTMGrad") return gradientOfRecurrence(4);
        if (m_op == "GRUGrad") return gradientOfRecurrence(3);
        return std::nullopt;
    }

    const std::vector<Dim>* dims(ValueId value) {
        if (value.isNone() || !m_types.type(value).hasShape) {
            m_isUnknown = true;
            return nullptr;
        }
        return &m_types.type(value).dims;
    }
    /// A dimension as a number: a name counts as one, an unknown one makes all unknown.
    double size(const Dim& dim) {
        if (dim.isKnown()) return static_cast<double>(*dim.value);
        if (dim.symbol.empty() || m_types.isOwnSymbol(dim.symbol)) m_isUnknown = true;
        m_hasNames = true;
        return 1;
    }
    double elements(ValueId value) {
        double product = 1;
        if (const auto* shape = dims(value))
            for (const Dim& dim : *shape)
                product *= size(dim);
        return product;
    }

    /// Each element of the result is a sum over the inner dimension.
    double matMul(bool isTransposed) {
        const auto* a = dims(m_model.input(m_node, 0));
        if (a == nullptr || a->empty()) {
            m_isUnknown = true;
            return 0;
        }
        const bool isBeforeLast = isTransposed && a->size() > 1;
        const double inner = size((*a)[a->size() - (isBeforeLast ? 2 : 1)]);
        return 2 * inner * elements(m_model.output(m_node, 0));
    }

    double gemm() {
        const auto* a = dims(m_model.input(m_node, 0));
        if (a == nullptr || a->size() != 2) {
            m_isUnknown = true;
            return 0;
        }
        const bool isTransposed = m_model.intAttribute(m_node, "transA", 0) != 0;
        const double results = elements(m_model.output(m_node, 0));
        const double bias = m_model.input(m_node, 2).isNone() ? 0 : results;
        return 2 * size((*a)[isTransposed ? 0 : 1]) * results + bias;
    }

    /// `at`: the value each element of which meets one filter, weights stand in input slot `weights`.
    double conv(ValueId at, std::size_t weights) {
        const auto* filter = dims(m_model.input(m_node, weights));
        if (filter == nullptr || filter->size() < 3) {
            m_isUnknown = true;
            return 0;
        }
        double taps = 1; // the first dimension of a filter counts filters, the others what one of them reads
        for (std::size_t i = 1; i < filter->size(); ++i)
            taps *= size((*filter)[i]);
        const bool hasBias = weights == 1 && !m_model.input(m_node, 2).isNone();
        return 2 * taps * elements(at) + (hasBias ? elements(m_model.output(m_node, 0)) : 0);
    }

    /// Gradients of the input and of the weights cost as much as the convolution itself, that of the bias is
    /// a sum.
    double convGrad() {
        const ValueId gradient = m_model.input(m_node, 0);
        double flops = 0;
        if (!m_model.output(m_node, 0).isNone()) flops += conv(gradient, 2);
        if (!m_model.output(m_node, 1).isNone()) flops += conv(gradient, 2);
        if (!m_model.output(m_node, 2).isNone()) flops += elements(gradient);
        return flops;
    }

    /// The matrix products of every step of every sequence: [X, W, R] with W [directions, gates * hidden,
    /// inputs] and R [directions, gates * hidden, hidden].
    double products(ValueId sequences, std::size_t weights) {
        const auto* x = dims(sequences);
        if (x == nullptr || x->size() != 3) {
            m_isUnknown = true;
            return 0;
        }
        const double rows = size((*x)[0]) * size((*x)[1]); // time and batch, in either order
        return 2 * rows *
               (elements(m_model.input(m_node, weights)) + elements(m_model.input(m_node, weights + 1)));
    }

    /// What gates are put together with is elementwise and depends on the kernel: left out, as are
    /// activations everywhere.
    std::optional<double> recurrence(int gates) {
        const auto* recurrent = dims(m_model.input(m_node, 2));
        if (recurrent == nullptr || recurrent->size() != 3) return std::nullopt;
        const Dim &rows = (*recurrent)[1], &hidden = (*recurrent)[2];
        if (rows.isKnown() && hidden.isKnown() && *rows.value != gates * *hidden.value) return std::nullopt;
        return products(m_model.input(m_node, 0), 1);
    }

    std::optional<double> gradientOfRecurrence(int gates) {
        const std::optional<double> forward = recurrence(gates);
        return forward ? std::optional(2 * *forward) : std::nullopt;
    }

    const Model& m_model;
    const TypeTable& m_types;
    NodeId m_node;
    std::string_view m_op;
    bool m_hasNames = false;
    bool m_isUnknown = false;
};

} // namespace

std::optional<FlopCount> flopsOf(const Model& model, const TypeTable& types, NodeId node) {
    return Counter(model, types, node).count();
}

} // namespace secateur
