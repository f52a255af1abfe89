// SPDX-License-Identifier: Apache-2.0
//
// Functions of two floats, broadcast to each other, in any layout.
#include "core/exec/broadcast.h"
#include "core/kernels/arithmetic.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;
constexpr std::int64_t kGrain = 1 << 16; // elements

/// One dimension of the walk over a result: how far each operand goes on at a step.
struct Extent {
    std::int64_t size = 1;
    std::array<std::int64_t, 2> stride{};
};

/// Dimensions of the result that lie on in both operands are joined. The last two are walked by the inner
/// loops, so there are at least two.
std::vector<Extent> extentsOf(const Shape& result, const Shape& a, const Shape& b) {
    std::vector<Extent> extents;
    const std::array<const Shape*, 2> operands{&a, &b};
    std::array<Shape, 2> strides;
    for (std::size_t k = 0; k < 2; ++k) {
        strides[k] = stridesOf(*operands[k]);
        for (std::size_t d = 0; d < strides[k].size(); ++d)
            if ((*operands[k])[d] == 1) strides[k][d] = 0;
        strides[k].insert(strides[k].begin(), result.size() - strides[k].size(), 0);
    }
    for (std::size_t d = 0; d < result.size(); ++d) {
        if (result[d] == 1) continue;
        const Extent here{result[d], {strides[0][d], strides[1][d]}};
        if (!extents.empty() && extents.back().stride[0] == here.stride[0] * here.size &&
            extents.back().stride[1] == here.stride[1] * here.size) {
            extents.back().size *= here.size;
            extents.back().stride = here.stride;
        } else {
            extents.push_back(here);
        }
    }
    while (extents.size() < 2)
        extents.insert(extents.begin(), Extent{});
    return extents;
}

template <typename F> class BinaryKernel : public CpuKernel {
  public:
    BinaryKernel(F f, const Shape& result, const Shape& a, const Shape& b)
        : m_f(f), m_extents(extentsOf(result, a, b)) {
        const std::size_t rank = m_extents.size();
        m_inner = m_extents[rank - 1];
        m_middle = m_extents[rank - 2];
        for (const Extent& extent : m_extents)
            m_count *= extent.size;
    }

    /// Contents of an operand that no run changes.
    void hold(std::size_t slot, std::vector<float> cells) { m_held[slot] = std::move(cells); }

    void run(const StepMemory& memory) override {
        const float* a = m_held[0].empty() ? memory.floats(0) : m_held[0].data();
        const float* b = m_held[1].empty() ? memory.floats(1) : m_held[1].data();
        float* y = memory.result();
        if (m_middle.size == 1 && m_extents.size() == 2) { // one row
            memory.threads.forRange(m_inner.size, kGrain, [&](std::int64_t from, std::int64_t to) {
                row(a + from * m_inner.stride[0], b + from * m_inner.stride[1], y + from, to - from);
            });
            return;
        }
        const std::int64_t rows = m_count / m_inner.size;
        const std::int64_t grain = std::max<std::int64_t>(1, kGrain / m_inner.size);
        memory.threads.forRange(rows, grain,
                                [&](std::int64_t from, std::int64_t to) { walk(a, b, y, from, to); });
    }

  private:
    /// Rows [from, to) of the result.
    void walk(const float* a, const float* b, float* y, std::int64_t from, std::int64_t to) const {
        while (from < to) {
            std::int64_t at = from / m_middle.size, offsetA = 0, offsetB = 0;
            for (std::size_t d = m_extents.size() - 2; d-- > 0;) {
                offsetA += at % m_extents[d].size * m_extents[d].stride[0];
                offsetB += at % m_extents[d].size * m_extents[d].stride[1];
                at /= m_extents[d].size;
            }
            const std::int64_t first = from % m_middle.size;
            const std::int64_t count = std::min(to - from, m_middle.size - first);
            offsetA += first * m_middle.stride[0];
            offsetB += first * m_middle.stride[1];
            rows(a + offsetA, b + offsetB, y + from * m_inner.size, count);
            from += count;
        }
    }

    void rows(const float* a, const float* b, float* y, std::int64_t count) const {
        if (m_inner.size == 8 && m_inner.stride[0] == 1 && m_inner.stride[1] == 1)
            return blocks<8>(a, b, y, count);
        if (m_inner.size == 16 && m_inner.stride[0] == 1 && m_inner.stride[1] == 1)
            return blocks<16>(a, b, y, count);
        for (std::int64_t i = 0; i < count; ++i)
            row(a + i * m_middle.stride[0], b + i * m_middle.stride[1], y + i * m_inner.size, m_inner.size);
    }

    /// Short rows of a size that the compiler knows.
    template <int kBlock> void blocks(const float* a, const float* b, float* y, std::int64_t count) const {
        const std::int64_t stepA = m_middle.stride[0], stepB = m_middle.stride[1];
        for (std::int64_t i = 0; i < count; ++i)
            for (int c = 0; c < kBlock; ++c)
                y[i * kBlock + c] = m_f(a[i * stepA + c], b[i * stepB + c]);
    }

    void row(const float* a, const float* b, float* y, std::int64_t count) const {
        const F f = m_f;
        if (m_inner.stride[0] == 1 && m_inner.stride[1] == 1) {
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = f(a[i], b[i]);
        } else if (m_inner.stride[0] == 1 && m_inner.stride[1] == 0) {
            const float right = *b;
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = f(a[i], right);
        } else if (m_inner.stride[0] == 0 && m_inner.stride[1] == 1) {
            const float left = *a;
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = f(left, b[i]);
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                y[i] = f(a[i * m_inner.stride[0]], b[i * m_inner.stride[1]]);
        }
    }

    F m_f;
    std::vector<Extent> m_extents;
    Extent m_inner, m_middle;
    std::int64_t m_count = 1;
    std::array<std::vector<float>, 2> m_held;
};

/// How an operand takes part in a result of `layout`.
struct Part {
    LayoutCode layout = kPlainLayout; ///< wanted
    Shape physical;
    std::vector<float> held; ///< contents in that layout, where they are constant and lie otherwise
};

Shape withLeadingOnes(Shape shape, std::size_t rank) {
    shape.insert(shape.begin(), rank - shape.size(), 1);
    return shape;
}

/// A constant per channel, filled up to whole blocks.
std::vector<float> paddedChannels(const TensorData& constant, std::int64_t channels, LayoutCode layout) {
    std::vector<float> cells(static_cast<std::size_t>(physicalShape({1, channels, 1}, layout)[1] *
                                                      static_cast<std::int64_t>(layout)));
    const auto source = constant.as<float>();
    std::copy(source.begin(), source.end(), cells.begin());
    return cells;
}

/// None where the operand does not fit a result of this layout.
std::optional<Part> partOf(const OperandFacts& operand, const Shape& result, LayoutCode layout) {
    const Shape shape = withLeadingOnes(operand.shape, result.size());
    if (layout == kPlainLayout) return Part{kPlainLayout, shape, {}};
    if (operand.shape == result) return Part{layout, physicalShape(shape, layout), {}};
    // One channel for all: its place in every layout is that of plain, with a block of one.
    if (shape[1] == 1) {
        Shape physical{shape[0]};
        if (layout != kChannelsLast) physical.push_back(1);
        physical.insert(physical.end(), shape.begin() + 2, shape.end());
        physical.push_back(1);
        return Part{kPlainLayout, std::move(physical), {}};
    }
    const bool isOnePosition = std::all_of(shape.begin() + 2, shape.end(), [](auto d) { return d == 1; });
    if (!isOnePosition || shape[1] != result[1]) return std::nullopt;
    Part part{kPlainLayout, physicalShape(shape, layout), {}};
    if (isUnpadded(shape, layout)) return part;
    if (operand.constant != nullptr && shape[0] == 1) {
        part.held = paddedChannels(*operand.constant, shape[1], layout);
        return part;
    }
    if (operand.shape.size() != result.size()) return std::nullopt;
    part.layout = layout;
    return part;
}

/// Does a channel of zeros stay so beside what `operand`, the one of one channel, can hold?
template <typename F> bool keepsPadding(F f, const OperandFacts& operand, bool isLeft) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    static constexpr std::array kAnything{1.0F, -1.0F, kInfinity, -kInfinity,
                                          std::numeric_limits<float>::quiet_NaN()};
    const auto cells = operand.constant != nullptr ? operand.constant->as<float>() : std::span(kAnything);
    return std::all_of(cells.begin(), cells.end(),
                       [&](float cell) { return (isLeft ? f(cell, 0.0F) : f(0.0F, cell)) == 0.0F; });
}

/// The layout of the larger operand, where the other can follow.
template <typename F> Step binaryStep(const NodeFacts& facts, F f) {
    constexpr std::int64_t kNumpyRule = 7; // before, `axis` said where the second operand lies
    if (facts.inputs.size() != 2 || !facts.isAllFloat() || !facts.wants(0) || facts.call.opset < kNumpyRule)
        return std::nullopt;
    const Shape& result = facts.outputs[0].shape;
    if (broadcastShape(facts.inputs[0].shape, facts.inputs[1].shape) != result) return std::nullopt;
    LayoutCode layout = kPlainLayout;
    for (const OperandFacts& operand : facts.inputs)
        if (operand.shape == result && operand.layout != kPlainLayout && layout == kPlainLayout)
            layout = operand.layout;
    const bool keepsZeros = f(0.0F, 0.0F) == 0.0F;
    if (!isUnpadded(result, layout) && !keepsZeros) layout = kPlainLayout;
    auto a = partOf(facts.inputs[0], result, layout), b = partOf(facts.inputs[1], result, layout);
    if (!a || !b) {
        layout = kPlainLayout;
        a = partOf(facts.inputs[0], result, layout);
        b = partOf(facts.inputs[1], result, layout);
    }
    // One value for all channels would fill the padding, too.
    const bool isPadded = !isUnpadded(result, layout);
    const bool isSafe = !isPadded || ((a->physical.back() != 1 || keepsPadding(f, facts.inputs[0], true)) &&
                                      (b->physical.back() != 1 || keepsPadding(f, facts.inputs[1], false)));
    if (!isSafe) {
        layout = kPlainLayout;
        a = partOf(facts.inputs[0], result, layout);
        b = partOf(facts.inputs[1], result, layout);
    }
    auto kernel =
        std::make_unique<BinaryKernel<F>>(f, physicalShape(result, layout), a->physical, b->physical);
    StepRequest request = plainRequest(facts);
    for (std::size_t slot = 0; slot < 2; ++slot) {
        Part& part = slot == 0 ? *a : *b;
        request.inputs[slot] = part.held.empty() ? part.layout : kHeldByStep;
        if (!part.held.empty()) kernel->hold(slot, std::move(part.held));
    }
    request.outputs[0] = {layout, layoutBytes(result, layout), {0, 1}};
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::own};
}

struct Power {
    float operator()(float base, float exponent) const { return std::pow(base, exponent); }
};
struct Square {
    float operator()(float base, float) const { return base * base; }
};

template <typename F> Step binary(const NodeFacts& facts) {
    return binaryStep(facts, F{});
}

/// Squares are what most models take powers for.
Step power(const NodeFacts& facts) {
    if (facts.inputs.size() != 2 || !facts.inputs[1].isFloat()) return std::nullopt;
    const TensorData* exponent = facts.inputs[1].constant;
    if (exponent != nullptr && exponent->count() == 1 && exponent->as<float>()[0] == 2.0F)
        return binaryStep(facts, Square{});
    return binaryStep(facts, Power{});
}

constexpr FactoryEntry kBinary[] = {
    {"Add", &binary<kernels::Add>},
    {"Div", &binary<kernels::Divide>},
    {"Max", &binary<kernels::Maximum>},
    {"Min", &binary<kernels::Minimum>},
    {"Mul", &binary<kernels::Multiply>},
    {"PRelu", &binary<kernels::SlopedRelu>},
    {"Pow", &power},
    {"Sub", &binary<kernels::Subtract>},
    {"Sum", &binary<kernels::Add>},
};

} // namespace

std::span<const FactoryEntry> binaryFactories() {
    return kBinary;
}

} // namespace secateur
