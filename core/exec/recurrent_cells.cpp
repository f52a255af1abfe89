// SPDX-License-Identifier: Apache-2.0
#include "core/exec/recurrent_cells.h"

#include "core/exec/cells.h"
#include "core/kernels/unary_math.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

namespace secateur {
namespace {

struct KnownFunction {
    std::string_view name; ///< in lower case: files write it in any
    GateFunction function; ///< with the defaults of ONNX's table
};
constexpr KnownFunction kFunctions[] = {
    {"relu", {GateFunction::Kind::relu, 0, 0}},
    {"tanh", {GateFunction::Kind::tanh, 0, 0}},
    {"sigmoid", {GateFunction::Kind::sigmoid, 0, 0}},
    {"affine", {GateFunction::Kind::affine, 1, 0}},
    {"leakyrelu", {GateFunction::Kind::leakyRelu, 0.01, 0}},
    {"thresholdedrelu", {GateFunction::Kind::thresholdedRelu, 1, 0}},
    {"scaledtanh", {GateFunction::Kind::scaledTanh, 1, 1}},
    {"hardsigmoid", {GateFunction::Kind::hardSigmoid, 0.2, 0.5}},
    {"elu", {GateFunction::Kind::elu, 1, 0}},
    {"softsign", {GateFunction::Kind::softsign, 0, 0}},
    {"softplus", {GateFunction::Kind::softplus, 0, 0}},
};

bool takesAlpha(GateFunction::Kind kind) {
    using Kind = GateFunction::Kind;
    return kind == Kind::affine || kind == Kind::leakyRelu || kind == Kind::thresholdedRelu ||
           kind == Kind::scaledTanh || kind == Kind::hardSigmoid || kind == Kind::elu;
}
bool takesBeta(GateFunction::Kind kind) {
    using Kind = GateFunction::Kind;
    return kind == Kind::affine || kind == Kind::scaledTanh || kind == Kind::hardSigmoid;
}

std::optional<GateFunction> functionCalled(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const KnownFunction& known : kFunctions) {
        if (known.name == name) return known.function;
    }
    return std::nullopt;
}

Result<std::vector<GateFunction>>
functionsOf(const KernelCall& call, const std::vector<std::string>& defaults, std::size_t directions) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < directions; ++d)
        names.insert(names.end(), defaults.begin(), defaults.end());
    if (const Attribute* given = call.attribute("activations")) {
        const auto* list = std::get_if<std::vector<std::string>>(&given->value);
        if (list != nullptr && !list->empty()) {
            if (list->size() != names.size())
                return call.fail("exec.bad-attribute", {"activations", std::to_string(list->size())});
            names = *list;
        }
    }
    const auto* alphas = call.reals("activation_alpha");
    const auto* betas = call.reals("activation_beta");
    std::size_t alpha = 0, beta = 0;
    std::vector<GateFunction> functions;
    for (const std::string& name : names) {
        auto function = functionCalled(name);
        if (!function) return call.fail("exec.bad-attribute", {"activations", name});
        // The lists hold values for the functions that take some, in order.
        if (takesAlpha(function->kind) && alphas != nullptr && alpha < alphas->size())
            function->alpha = static_cast<double>((*alphas)[alpha++]);
        if (takesBeta(function->kind) && betas != nullptr && beta < betas->size())
            function->beta = static_cast<double>((*betas)[beta++]);
        functions.push_back(*function);
    }
    return functions;
}

} // namespace

double GateFunction::operator()(double x) const {
    switch (kind) {
    case Kind::relu: return kernels::Relu{}(x);
    case Kind::tanh: return std::tanh(x);
    case Kind::sigmoid: return kernels::Sigmoid{}(x);
    case Kind::affine: return alpha * x + beta;
    case Kind::leakyRelu: return kernels::LeakyRelu{alpha}(x);
    case Kind::thresholdedRelu: return x >= alpha ? x : 0;
    case Kind::scaledTanh: return alpha * std::tanh(beta * x);
    case Kind::hardSigmoid: return kernels::HardSigmoid{alpha, beta}(x);
    case Kind::elu: return kernels::Elu{alpha}(x);
    case Kind::softsign: return kernels::Softsign{}(x);
    case Kind::softplus: return kernels::Softplus{}(x);
    }
    return x;
}

Shape RecurrentSizes::outputShape() const {
    const auto t = static_cast<std::int64_t>(time), d = static_cast<std::int64_t>(directions),
               b = static_cast<std::int64_t>(batch), h = static_cast<std::int64_t>(hidden);
    return isBatchFirst ? Shape{b, t, d, h} : Shape{t, d, b, h};
}

Shape RecurrentSizes::stateShape() const {
    const auto d = static_cast<std::int64_t>(directions), b = static_cast<std::int64_t>(batch),
               h = static_cast<std::int64_t>(hidden);
    return isBatchFirst ? Shape{b, d, h} : Shape{d, b, h};
}

double RecurrentSizes::clipped(double x) const {
    return clip > 0 ? std::clamp(x, -clip, clip) : x;
}

Result<void> checkHiddenSize(const KernelCall& call, const Shape& r) {
    if (call.attribute("hidden_size") == nullptr || r.empty()) return {};
    const std::int64_t size = call.integer("hidden_size", 0);
    if (size == r.back()) return {};
    return call.fail("exec.hidden-size", {std::to_string(size), std::to_string(r.back())});
}

Result<RecurrentSizes> recurrentSizes(const KernelCall& call, std::size_t gates,
                                      std::vector<std::string> defaults, std::size_t lengthsSlot) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(1));
    const TensorData* r = TRY(call.tensor(2));
    if (!isFloating(x->type())) return call.noCodeFor(x->type());
    if (x->rank() != 3 || w->rank() != 3 || r->rank() != 3)
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(w->shape())});
    TRY(checkHiddenSize(call, r->shape()));
    RecurrentSizes sizes;
    sizes.isBatchFirst = call.integer("layout", 0) != 0;
    sizes.time = static_cast<std::size_t>(x->shape()[sizes.isBatchFirst ? 1 : 0]);
    sizes.batch = static_cast<std::size_t>(x->shape()[sizes.isBatchFirst ? 0 : 1]);
    sizes.input = static_cast<std::size_t>(x->shape()[2]);
    sizes.hidden = static_cast<std::size_t>(r->shape()[2]);
    sizes.gates = gates;
    sizes.clip = static_cast<double>(call.real("clip", 0));
    const std::string_view direction = call.text("direction", "forward");
    if (direction == "bidirectional")
        sizes.directions = 2;
    else if (direction == "reverse")
        sizes.isReverseOnly = true;
    else if (direction != "forward")
        return call.fail("exec.bad-attribute", {"direction", std::string(direction)});
    const Shape wantedW{static_cast<std::int64_t>(sizes.directions),
                        static_cast<std::int64_t>(gates * sizes.hidden), x->shape()[2]};
    const Shape wantedR{wantedW[0], wantedW[1], static_cast<std::int64_t>(sizes.hidden)};
    if (w->shape() != wantedW || r->shape() != wantedR)
        return call.fail("exec.shapes-differ", {shapeText(w->shape()), shapeText(r->shape())});
    sizes.lengths.assign(sizes.batch, sizes.time);
    if (const auto given = TRY(call.integersIn(lengthsSlot))) {
        if (given->size() != sizes.batch)
            return call.fail("exec.shapes-differ",
                             {std::to_string(given->size()), std::to_string(sizes.batch)});
        for (std::size_t b = 0; b < sizes.batch; ++b) {
            if ((*given)[b] < 0 || (*given)[b] > static_cast<std::int64_t>(sizes.time))
                return call.fail("exec.bad-position",
                                 {std::to_string((*given)[b]), std::to_string(sizes.time)});
            sizes.lengths[b] = static_cast<std::size_t>((*given)[b]);
        }
    }
    sizes.functions = TRY(functionsOf(call, defaults, sizes.directions));
    return sizes;
}

Result<std::vector<double>> numbersOrZero(const KernelCall& call, std::size_t slot, std::size_t count) {
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr) return std::vector<double>(count, 0.0);
    if (given->count() != count || !isFloating(given->type()))
        return call.fail("exec.shapes-differ", {shapeText(given->shape()), std::to_string(count)});
    return readAll<double>(*given);
}

double rowProduct(const std::vector<double>& matrix, std::size_t row, std::size_t columns,
                  const std::vector<double>& x, std::size_t xAt) {
    double sum = 0;
    for (std::size_t k = 0; k < columns; ++k)
        sum += matrix[row * columns + k] * x[xAt + k];
    return sum;
}

} // namespace secateur
