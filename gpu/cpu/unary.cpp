// SPDX-License-Identifier: Apache-2.0
//
// Functions of one float, element by element, in any layout.
#include "core/kernels/unary_math.h"

#include "gpu/cpu/factories.h"
#include "gpu/cpu/fast_math.h"
#include "gpu/cpu/layouts.h"

#include <cmath>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// Elements that are worth a thread of their own: cheap functions are bound by memory.
constexpr std::int64_t kCheapGrain = 1 << 16, kCostlyGrain = 1 << 13;

template <typename F> class UnaryKernel : public CpuKernel {
  public:
    UnaryKernel(F f, std::int64_t count, std::int64_t grain) : m_f(f), m_count(count), m_grain(grain) {}
    void run(const StepMemory& memory) override {
        const float* x = memory.floats(0);
        float* y = memory.result();
        memory.threads.forRange(m_count, m_grain, [=, f = m_f](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i)
                y[i] = f(x[i]);
        });
    }

  private:
    F m_f;
    std::int64_t m_count, m_grain;
};

template <typename F> Step unaryStep(const NodeFacts& facts, F f, std::int64_t grain) {
    const OperandFacts& x = facts.inputs.at(0);
    if (!x.isFloat() || x.count() == 0 || !facts.wants(0) || facts.outputs[0].shape != x.shape)
        return std::nullopt;
    // Blocks are filled up with zeros, and must stay so.
    const bool keepsLayout = isUnpadded(x.shape, x.layout) || f(0.0F) == 0.0F;
    const LayoutCode layout = keepsLayout ? x.layout : kPlainLayout;
    const auto count = static_cast<std::int64_t>(layoutBytes(x.shape, layout) / sizeof(float));
    PreparedStep step = ownStep(facts, std::make_unique<UnaryKernel<F>>(f, count, grain));
    // Bounds and the like are held; only the first input is read.
    step.request.inputs.assign(facts.inputs.size(), kHeldByStep);
    step.request.inputs[0] = layout;
    step.request.outputs[0] = {layout, layoutBytes(x.shape, layout), {0}};
    return step;
}

template <typename F> Step cheap(const NodeFacts& facts) {
    return unaryStep(facts, F{}, kCheapGrain);
}
template <typename F> Step costly(const NodeFacts& facts) {
    return unaryStep(facts, F{}, kCostlyGrain);
}

Step leakyRelu(const NodeFacts& facts) {
    const float alpha = facts.call.real("alpha", 0.01F);
    return unaryStep(
        facts, [alpha](float x) { return x < 0.0F ? alpha * x : x; }, kCheapGrain);
}
Step elu(const NodeFacts& facts) {
    return unaryStep(facts, kernels::Elu{facts.call.real("alpha", 1)}, kCostlyGrain);
}
Step hardSigmoid(const NodeFacts& facts) {
    const fast::HardSigmoid f{facts.call.real("alpha", 0.2F), facts.call.real("beta", 0.5F)};
    return unaryStep(facts, f, kCheapGrain);
}
Step gelu(const NodeFacts& facts) {
    if (facts.call.text("approximate", "none") != "none") return std::nullopt;
    return costly<fast::Gelu>(facts);
}
Step swish(const NodeFacts& facts) {
    const float alpha = facts.call.real("alpha", 1);
    return unaryStep(
        facts, [alpha](float x) { return x * fast::Sigmoid{}(alpha * x); }, kCostlyGrain);
}

/// A bound of Clip: an attribute before opset 11, then an input, which must be constant here.
std::optional<float> bound(const NodeFacts& facts, std::size_t slot, std::string_view name, float otherwise) {
    constexpr std::int64_t kBoundsAreInputs = 11;
    if (facts.call.opset < kBoundsAreInputs) return facts.call.real(name, otherwise);
    if (!facts.has(slot)) return otherwise;
    const OperandFacts& given = facts.inputs[slot];
    if (given.constant == nullptr || !given.isFloat() || given.count() != 1) return std::nullopt;
    return given.constant->as<float>()[0];
}

Step clip(const NodeFacts& facts) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto low = bound(facts, 1, "min", -kInfinity), high = bound(facts, 2, "max", kInfinity);
    if (!low || !high) return std::nullopt;
    return unaryStep(facts, fast::Clip{*low, *high}, kCheapGrain);
}

constexpr FactoryEntry kUnary[] = {
    {"Abs", &cheap<kernels::Absolute>},
    {"Ceil", &cheap<kernels::Ceil>},
    {"Clip", &clip},
    {"Cos", &costly<kernels::Cosine>},
    {"Elu", &elu},
    {"Erf", &costly<fast::Erf>},
    {"Exp", &costly<fast::Exp>},
    {"Floor", &cheap<kernels::Floor>},
    {"Gelu", &gelu},
    {"HardSigmoid", &hardSigmoid},
    {"HardSwish", &cheap<fast::HardSwish>},
    {"LeakyRelu", &leakyRelu},
    {"Log", &costly<kernels::Logarithm>},
    {"Mish", &costly<kernels::Mish>},
    {"Neg", &cheap<kernels::Negate>},
    {"Reciprocal", &cheap<kernels::Reciprocal>},
    {"Relu", &cheap<kernels::Relu>},
    {"Round", &cheap<kernels::RoundHalfEven>},
    {"Sigmoid", &costly<fast::Sigmoid>},
    {"Sin", &costly<kernels::Sine>},
    {"Softplus", &costly<kernels::Softplus>},
    {"Softsign", &cheap<kernels::Softsign>},
    {"Sqrt", &cheap<kernels::SquareRoot>},
    {"Swish", &swish},
    {"Tanh", &costly<fast::Tanh>},
};

} // namespace

std::span<const FactoryEntry> unaryFactories() {
    return kUnary;
}

} // namespace secateur
