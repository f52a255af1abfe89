// SPDX-License-Identifier: Apache-2.0
//
// Operators that work element by element, on every type that has numbers: blocks of elements go through a
// compute type, as the reference kernels do it, and blocks are shared among threads. Floats of 32 bits have
// kernels of their own for the common operators, which go first.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/truncation.h"
#include "core/kernels/unary_math.h"
#include "gpu/cpu/factories.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;
constexpr std::int64_t kGrain = 1 << 14; // elements

/// Which compute types an operator is for.
enum class Allowed : std::uint8_t { floating, numeric, integers };

template <Allowed allowed, typename Make> Step withAllowed(ElementType type, Make make) {
    const ComputeType compute = computeTypeOf(type);
    if constexpr (allowed != Allowed::integers) {
        if (compute == ComputeType::f32) return make(float{});
        if (compute == ComputeType::f64) return make(double{});
    }
    if constexpr (allowed != Allowed::floating) {
        if (compute == ComputeType::i64) return make(std::int64_t{});
        if (compute == ComputeType::u64) return make(std::uint64_t{});
    }
    return std::nullopt;
}

/// y = f(x): C in, R out.
template <typename C, typename R, typename F> class UnaryBlocks : public CpuKernel {
  public:
    UnaryBlocks(F f, ElementType from, ElementType to, std::int64_t count)
        : m_f(f), m_read(cellReader<C>(from)), m_write(cellWriter<R>(to)), m_count(count) {}

    void run(const StepMemory& memory) override {
        memory.threads.forRange(m_count, kGrain, [&](std::int64_t from, std::int64_t to) {
            std::array<C, kBlockCells> in;
            std::array<R, kBlockCells> out;
            for (std::size_t count = 0; from < to; from += static_cast<std::int64_t>(count)) {
                count = static_cast<std::size_t>(std::min<std::int64_t>(kBlockCells, to - from));
                m_read(memory.inputs[0], from, 1, count, in.data());
                for (std::size_t i = 0; i < count; ++i)
                    out[i] = static_cast<R>(m_f(in[i]));
                m_write(out.data(), count, memory.outputs[0], from);
            }
        });
    }

  private:
    F m_f;
    CellReader<C> m_read;
    CellWriter<R> m_write;
    std::int64_t m_count;
};

/// y = f(a, b), broadcast: C in, R out.
template <typename C, typename R, typename F> class BinaryBlocks : public CpuKernel {
  public:
    BinaryBlocks(F f, const NodeFacts& facts)
        : m_f(f), m_walk(walkOf(facts)), m_readA(cellReader<C>(facts.inputs[0].type)),
          m_readB(cellReader<C>(facts.inputs[1].type)), m_write(cellWriter<R>(facts.outputs[0].type)),
          m_typeOfB(facts.inputs[1].type), m_countOfB(facts.inputs[1].count()) {}

    /// Zeros in the second operand are for the reference kernel to refuse.
    void refuseZeros() { m_refusesZeros = true; }
    [[nodiscard]] bool canRun(const StepMemory& memory) const override {
        if (!m_refusesZeros) return true;
        const auto* cells = memory.inputs[1];
        const auto size = static_cast<std::int64_t>(cellBytes(m_typeOfB));
        static constexpr std::array<std::byte, 8> kZero{};
        for (std::int64_t i = 0; i < m_countOfB; ++i)
            if (std::memcmp(cells + i * size, kZero.data(), static_cast<std::size_t>(size)) == 0)
                return false;
        return true;
    }

    void run(const StepMemory& memory) override {
        memory.threads.forRange(m_walk.count(), kGrain, [&](std::int64_t from, std::int64_t to) {
            std::array<C, kBlockCells> left, right;
            std::array<R, kBlockCells> out;
            m_walk.forEachRowIn(from, to, kBlockCells, [&](const BroadcastWalk::Row& row) {
                m_readA(memory.inputs[0], row.offset[0], row.stride[0], row.count, left.data());
                m_readB(memory.inputs[1], row.offset[1], row.stride[1], row.count, right.data());
                for (std::size_t i = 0; i < row.count; ++i)
                    out[i] = static_cast<R>(m_f(left[i], right[i]));
                m_write(out.data(), row.count, memory.outputs[0], row.result);
            });
        });
    }

  private:
    static BroadcastWalk walkOf(const NodeFacts& facts) {
        const std::array<const Shape*, 2> shapes{&facts.inputs[0].shape, &facts.inputs[1].shape};
        return {facts.outputs[0].shape, shapes};
    }

    F m_f;
    BroadcastWalk m_walk;
    CellReader<C> m_readA, m_readB;
    CellWriter<R> m_write;
    ElementType m_typeOfB;
    std::int64_t m_countOfB;
    bool m_refusesZeros = false;
};

/// Cells of either operand, whatever they hold.
template <typename Cell> class WhereKernel : public CpuKernel {
  public:
    explicit WhereKernel(BroadcastWalk walk) : m_walk(std::move(walk)) {}
    void run(const StepMemory& memory) override {
        const auto* condition = reinterpret_cast<const std::uint8_t*>(memory.inputs[0]);
        const auto *x = reinterpret_cast<const Cell*>(memory.inputs[1]),
                   *y = reinterpret_cast<const Cell*>(memory.inputs[2]);
        auto* result = reinterpret_cast<Cell*>(memory.outputs[0]);
        constexpr auto kNoLimit = static_cast<std::size_t>(INT64_MAX);
        memory.threads.forRange(m_walk.count(), kGrain, [&](std::int64_t from, std::int64_t to) {
            m_walk.forEachRowIn(from, to, kNoLimit, [&](const BroadcastWalk::Row& row) {
                choose(row, condition + row.offset[0], x + row.offset[1], y + row.offset[2],
                       result + row.result);
            });
        });
    }

  private:
    static void choose(const BroadcastWalk::Row& row, const std::uint8_t* condition, const Cell* x,
                       const Cell* y, Cell* result) {
        const auto count = static_cast<std::int64_t>(row.count);
        const bool isDense = row.stride[0] == 1 && row.stride[1] == 1 && row.stride[2] == 1;
        if (isDense) {
            for (std::int64_t i = 0; i < count; ++i)
                result[i] = condition[i] != 0 ? x[i] : y[i];
        } else if (row.stride[0] == 0) {
            const Cell* from = *condition != 0 ? x : y;
            const std::int64_t step = *condition != 0 ? row.stride[1] : row.stride[2];
            for (std::int64_t i = 0; i < count; ++i)
                result[i] = from[i * step];
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                result[i] = condition[i * row.stride[0]] != 0 ? x[i * row.stride[1]] : y[i * row.stride[2]];
        }
    }

    BroadcastWalk m_walk;
};

/// Are both operands of one type, and broadcast by the rule of opset 7 on?
bool isPair(const NodeFacts& facts) {
    constexpr std::int64_t kNumpyRule = 7;
    return facts.inputs.size() == 2 && facts.has(0) && facts.has(1) && facts.wants(0) &&
           facts.call.opset >= kNumpyRule && facts.inputs[0].type == facts.inputs[1].type &&
           facts.outputs[0].count() > 0 &&
           broadcastShape(facts.inputs[0].shape, facts.inputs[1].shape) == facts.outputs[0].shape;
}

template <typename F, Allowed allowed = Allowed::numeric> Step arithmetic(const NodeFacts& facts) {
    if (!isPair(facts) || facts.outputs[0].type != facts.inputs[0].type ||
        facts.inputs[0].type == ElementType::boolean)
        return std::nullopt;
    return withAllowed<allowed>(facts.inputs[0].type, [&]<typename C>(C) -> Step {
        return ownStep(facts, std::make_unique<BinaryBlocks<C, C, F>>(F{}, facts));
    });
}

/// Integers divided by zero are an error.
template <typename F> Step division(const NodeFacts& facts) {
    if (!isPair(facts) || facts.outputs[0].type != facts.inputs[0].type ||
        facts.inputs[0].type == ElementType::boolean)
        return std::nullopt;
    return withAllowed<Allowed::numeric>(facts.inputs[0].type, [&]<typename C>(C) -> Step {
        auto kernel = std::make_unique<BinaryBlocks<C, C, F>>(F{}, facts);
        if (isInteger(facts.inputs[0].type)) kernel->refuseZeros();
        return ownStep(facts, std::move(kernel));
    });
}

Step modulo(const NodeFacts& facts) {
    return facts.call.integer("fmod", 0) != 0 ? division<kernels::TruncatedModulo>(facts)
                                              : division<kernels::FloorModulo>(facts);
}

template <typename F, Allowed allowed = Allowed::numeric> Step comparison(const NodeFacts& facts) {
    if (!isPair(facts) || facts.outputs[0].type != ElementType::boolean) return std::nullopt;
    return withAllowed<allowed>(facts.inputs[0].type, [&]<typename C>(C) -> Step {
        return ownStep(facts, std::make_unique<BinaryBlocks<C, std::uint64_t, F>>(F{}, facts));
    });
}

template <typename F> Step logical(const NodeFacts& facts) {
    if (!isPair(facts) || facts.inputs[0].type != ElementType::boolean) return std::nullopt;
    return comparison<F, Allowed::integers>(facts);
}

template <typename R, typename F> Step unary(const NodeFacts& facts, F f) {
    const OperandFacts& x = facts.inputs.at(0);
    const OperandFacts& y = facts.outputs.at(0);
    if (!x.isPresent || !y.isPresent || x.count() == 0 || x.shape != y.shape) return std::nullopt;
    return ownStep(facts, std::make_unique<UnaryBlocks<R, R, F>>(f, x.type, y.type, x.count()));
}

template <typename F, Allowed allowed> Step mathematics(const NodeFacts& facts) {
    if (facts.inputs.size() != 1 || !facts.has(0) || !facts.wants(0) ||
        facts.inputs[0].type != facts.outputs[0].type || facts.inputs[0].type == ElementType::boolean)
        return std::nullopt;
    return withAllowed<allowed>(facts.inputs[0].type,
                                [&]<typename C>(C) -> Step { return unary<C>(facts, F{}); });
}

/// A boolean result: f of each element.
template <Allowed allowed, typename F> Step test(const NodeFacts& facts, F f) {
    if (facts.inputs.size() != 1 || !facts.has(0) || !facts.wants(0) || facts.inputs[0].count() == 0 ||
        facts.outputs[0].type != ElementType::boolean || facts.inputs[0].shape != facts.outputs[0].shape)
        return std::nullopt;
    return withAllowed<allowed>(facts.inputs[0].type, [&]<typename C>(C) -> Step {
        return ownStep(facts, std::make_unique<UnaryBlocks<C, std::uint64_t, F>>(
                                  f, facts.inputs[0].type, ElementType::boolean, facts.inputs[0].count()));
    });
}

Step logicalNot(const NodeFacts& facts) {
    if (!facts.has(0) || facts.inputs[0].type != ElementType::boolean) return std::nullopt;
    return test<Allowed::integers>(facts, [](auto x) { return x == 0; });
}
Step isNan(const NodeFacts& facts) {
    return test<Allowed::floating>(facts, [](auto x) { return x != x; });
}
Step isInfinite(const NodeFacts& facts) {
    const bool positive = facts.call.integer("detect_positive", 1) != 0,
               negative = facts.call.integer("detect_negative", 1) != 0;
    return test<Allowed::floating>(facts,
                                   [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

Step where(const NodeFacts& facts) {
    if (facts.inputs.size() != 3 || !facts.has(0) || !facts.has(1) || !facts.has(2) || !facts.wants(0) ||
        facts.inputs[0].type != ElementType::boolean || facts.inputs[1].type != facts.inputs[2].type ||
        facts.outputs[0].type != facts.inputs[1].type || facts.outputs[0].count() == 0)
        return std::nullopt;
    auto shape = broadcastShape(facts.inputs[1].shape, facts.inputs[2].shape);
    if (shape) shape = broadcastShape(facts.inputs[0].shape, *shape);
    if (shape != facts.outputs[0].shape) return std::nullopt;
    const std::array<const Shape*, 3> shapes{&facts.inputs[0].shape, &facts.inputs[1].shape,
                                             &facts.inputs[2].shape};
    BroadcastWalk walk(facts.outputs[0].shape, shapes);
    switch (cellBytes(facts.inputs[1].type)) {
    case 1: return ownStep(facts, std::make_unique<WhereKernel<std::uint8_t>>(std::move(walk)));
    case 2: return ownStep(facts, std::make_unique<WhereKernel<std::uint16_t>>(std::move(walk)));
    case 4: return ownStep(facts, std::make_unique<WhereKernel<std::uint32_t>>(std::move(walk)));
    case 8: return ownStep(facts, std::make_unique<WhereKernel<std::uint64_t>>(std::move(walk)));
    default: return std::nullopt;
    }
}

/// Formats of 8 bits and less that have rules of their own for what they cannot hold.
bool isNarrow(ElementType type) {
    return cellBytes(type) == 1 && type != ElementType::int8 && type != ElementType::uint8 &&
           type != ElementType::boolean;
}

template <typename C, typename R, typename F> Step castBy(const NodeFacts& facts, F f) {
    return ownStep(facts, std::make_unique<UnaryBlocks<C, R, F>>(
                              f, facts.inputs[0].type, facts.outputs[0].type, facts.inputs[0].count()));
}

template <typename C> Step castFrom(const NodeFacts& facts) {
    const ElementType to = facts.outputs[0].type;
    if (to == ElementType::boolean)
        return castBy<C, std::uint64_t>(facts, [](C x) { return x != C{0} ? 1U : 0U; });
    switch (computeTypeOf(to)) {
    case ComputeType::f32: return castBy<C, float>(facts, [](C x) { return static_cast<float>(x); });
    case ComputeType::f64: return castBy<C, double>(facts, [](C x) { return static_cast<double>(x); });
    case ComputeType::i64:
        if constexpr (std::is_floating_point_v<C>)
            return castBy<C, std::int64_t>(
                facts, [](C x) { return kernels::truncated<std::int64_t>(static_cast<double>(x)); });
        else
            return castBy<C, C>(facts, [](C x) { return x; });
    case ComputeType::u64:
        if constexpr (std::is_floating_point_v<C>)
            return castBy<C, std::uint64_t>(
                facts, [](C x) { return kernels::truncated<std::uint64_t>(static_cast<double>(x)); });
        else
            return castBy<C, C>(facts, [](C x) { return x; });
    case ComputeType::none: break;
    }
    return std::nullopt;
}

/// Between types of 8 bits and more.
Step cast(const NodeFacts& facts) {
    if (!facts.has(0) || !facts.wants(0) || facts.inputs[0].count() == 0 ||
        facts.inputs[0].shape != facts.outputs[0].shape || isNarrow(facts.inputs[0].type) ||
        isNarrow(facts.outputs[0].type))
        return std::nullopt;
    switch (computeTypeOf(facts.inputs[0].type)) {
    case ComputeType::f32: return castFrom<float>(facts);
    case ComputeType::f64: return castFrom<double>(facts);
    case ComputeType::i64: return castFrom<std::int64_t>(facts);
    case ComputeType::u64: return castFrom<std::uint64_t>(facts);
    case ComputeType::none: break;
    }
    return std::nullopt;
}

using namespace kernels;
template <typename F> Step floating(const NodeFacts& facts) {
    return mathematics<F, Allowed::floating>(facts);
}
template <typename F> Step numeric(const NodeFacts& facts) {
    return mathematics<F, Allowed::numeric>(facts);
}
template <typename F> Step bits(const NodeFacts& facts) {
    return arithmetic<F, Allowed::integers>(facts);
}

constexpr FactoryEntry kElementwise[] = {
    {"Abs", &numeric<Absolute>},
    {"Acos", &floating<ArcCosine>},
    {"Acosh", &floating<AreaCosine>},
    {"Add", &arithmetic<Add>},
    {"And", &logical<LogicalAnd>},
    {"Asin", &floating<ArcSine>},
    {"Asinh", &floating<AreaSine>},
    {"Atan", &floating<ArcTangent>},
    {"Atanh", &floating<AreaTangent>},
    {"BitwiseAnd", &bits<BitAnd>},
    {"BitwiseNot", &mathematics<BitNot, Allowed::integers>},
    {"BitwiseOr", &bits<BitOr>},
    {"BitwiseXor", &bits<BitXor>},
    {"Cast", &cast},
    {"CastLike", &cast},
    {"Ceil", &floating<Ceil>},
    {"Cos", &floating<Cosine>},
    {"Cosh", &floating<HyperbolicCosine>},
    {"Div", &division<Divide>},
    {"Equal", &comparison<Equals>},
    {"Erf", &floating<ErrorFunction>},
    {"Exp", &floating<Exponential>},
    {"Floor", &floating<Floor>},
    {"Greater", &comparison<IsGreater>},
    {"GreaterOrEqual", &comparison<IsGreaterOrEqual>},
    {"IsInf", &isInfinite},
    {"IsNaN", &isNan},
    {"Less", &comparison<IsLess>},
    {"LessOrEqual", &comparison<IsLessOrEqual>},
    {"Log", &floating<Logarithm>},
    {"Max", &arithmetic<Maximum>},
    {"Min", &arithmetic<Minimum>},
    {"Mod", &modulo},
    {"Mul", &arithmetic<Multiply>},
    {"Neg", &numeric<Negate>},
    {"Not", &logicalNot},
    {"Or", &logical<LogicalOr>},
    {"Reciprocal", &floating<Reciprocal>},
    {"Relu", &numeric<Relu>},
    {"Round", &floating<RoundHalfEven>},
    {"Sigmoid", &floating<Sigmoid>},
    {"Sign", &numeric<SignOf>},
    {"Sin", &floating<Sine>},
    {"Sinh", &floating<HyperbolicSine>},
    {"Softplus", &floating<Softplus>},
    {"Softsign", &floating<Softsign>},
    {"Sqrt", &floating<SquareRoot>},
    {"Sub", &arithmetic<Subtract>},
    {"Sum", &arithmetic<Add>},
    {"Tan", &floating<Tangent>},
    {"Tanh", &floating<HyperbolicTangent>},
    {"Where", &where},
    {"Xor", &logical<LogicalXor>},
};

} // namespace

std::span<const FactoryEntry> typedElementwiseFactories() {
    return kElementwise;
}

} // namespace secateur
