// SPDX-License-Identifier: Apache-2.0
//
// ONNX MatMulInteger and QLinearMatMul with constant right operands; MatMulInteger with any.
#include "gpu/cpu/factories.h"
#include "gpu/cpu/int8_product.h"
#include "gpu/cpu/requantize.h"

#include <algorithm>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// Rows of a matrix of 8 bit numbers times another one, in whole numbers.
template <typename Left, typename Right> class IntegerProduct : public CpuKernel {
  public:
    IntegerProduct(std::int64_t rows, std::int64_t inner, std::int64_t columns)
        : m_rows(rows), m_inner(inner), m_columns(columns) {}
    void run(const StepMemory& memory) override {
        const auto* a = reinterpret_cast<const Left*>(memory.inputs[0]);
        const auto* b = reinterpret_cast<const Right*>(memory.inputs[1]);
        // Sums of very long rows wrap around, as the reference's do: unsigned numbers may.
        auto* y = reinterpret_cast<std::uint32_t*>(memory.outputs[0]);
        const std::int32_t zeroA = zeroOf<Left>(memory, 2), zeroB = zeroOf<Right>(memory, 3);
        constexpr std::int64_t kGrain = 1 << 15;
        const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (m_inner * m_columns));
        memory.threads.forRange(m_rows, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t row = from; row < to; ++row) {
                std::uint32_t* sums = y + row * m_columns;
                std::fill_n(sums, m_columns, 0U);
                for (std::int64_t k = 0; k < m_inner; ++k) {
                    const std::int32_t left = static_cast<std::int32_t>(a[row * m_inner + k]) - zeroA;
                    const Right* line = b + k * m_columns;
                    for (std::int64_t c = 0; c < m_columns; ++c)
                        sums[c] +=
                            static_cast<std::uint32_t>(left * (static_cast<std::int32_t>(line[c]) - zeroB));
                }
            }
        });
    }

  private:
    template <typename Cell> static std::int32_t zeroOf(const StepMemory& memory, std::size_t slot) {
        const bool isGiven = slot < memory.inputs.size() && memory.inputs[slot] != nullptr;
        return isGiven ? static_cast<std::int32_t>(*reinterpret_cast<const Cell*>(memory.inputs[slot])) : 0;
    }
    std::int64_t m_rows, m_inner, m_columns;
};

/// Where the operands of a product lie among the inputs.
struct Slots {
    std::size_t left = 0, right = 1, leftZero = 2, rightZero = 3;
};
constexpr Slots kInteger{0, 1, 2, 3}, kLinear{0, 3, 2, 5};

/// QLinearMatMul's result: scales of both sides and of the result are inputs 1, 4 and 6, its zero point is 7.
struct Requantization {
    bool isSigned = false;
    bool hasOneScale = true; ///< of the right side; else one for each column
};

/// With weights that were put in order before; sums as they are, or quantized.
class PackedProduct : public CpuKernel {
  public:
    PackedProduct(Int8Weights weights, std::int64_t rows, std::int64_t inner, bool isLeftSigned, Slots slots,
                  std::optional<Requantization> result, std::shared_ptr<void> charged)
        : m_weights(std::move(weights)), m_rows(rows), m_inner(inner), m_isLeftSigned(isLeftSigned),
          m_slots(slots), m_result(result), m_charged(std::move(charged)) {}

    [[nodiscard]] std::uint64_t workspaceBytes() const {
        return sumBytes() + static_cast<std::uint64_t>(m_rows * m_weights.rowLength()) * sizeof(std::int16_t);
    }

    void run(const StepMemory& memory) override {
        auto* sums = reinterpret_cast<std::int32_t*>(m_result ? memory.workspace : memory.outputs[0]);
        auto* rows = reinterpret_cast<std::int16_t*>(memory.workspace + sumBytes());
        const std::int32_t zero = byteIn(memory, m_slots.leftZero, m_isLeftSigned);
        const std::int64_t length = m_weights.rowLength();
        constexpr std::int64_t kGrain = 1 << 15;
        memory.threads.forRange(m_rows, std::max<std::int64_t>(1, kGrain / m_inner),
                                [&](std::int64_t from, std::int64_t to) {
                                    widenRows(memory.inputs[m_slots.left] + from * m_inner, m_isLeftSigned,
                                              zero, to - from, m_inner, length, rows + from * length);
                                });
        m_weights.multiply(rows, m_rows, sums, m_weights.columns(), &memory.threads);
        if (m_result) requantize(memory, sums);
    }

  private:
    /// Of the sums in the workspace.
    [[nodiscard]] std::uint64_t sumBytes() const {
        constexpr std::uint64_t kAlign = 64;
        if (!m_result) return 0;
        const auto bytes = static_cast<std::uint64_t>(m_rows * m_weights.columns()) * sizeof(std::int32_t);
        return (bytes + kAlign - 1) / kAlign * kAlign;
    }

    void requantize(const StepMemory& memory, const std::int32_t* sums) const {
        const std::int64_t columns = m_weights.columns();
        const auto left = static_cast<double>(*memory.floats(1)),
                   result = static_cast<double>(*memory.floats(6));
        const float* right = memory.floats(4);
        const Quantizer quantized(byteIn(memory, 7, m_result->isSigned), m_result->isSigned);
        memory.threads.forRange(
            m_rows, std::max<std::int64_t>(1, (1 << 14) / columns), [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t at = from * columns; at < to * columns; ++at) {
                    const auto scale = static_cast<double>(right[m_result->hasOneScale ? 0 : at % columns]);
                    memory.outputs[0][at] = quantized(static_cast<double>(sums[at]) * left * scale / result);
                }
            });
    }

    Int8Weights m_weights;
    std::int64_t m_rows, m_inner;
    bool m_isLeftSigned;
    Slots m_slots;
    std::optional<Requantization> m_result; ///< none: the sums are the result
    std::shared_ptr<void> m_charged;
};

bool isByte(ElementType type) {
    return type == ElementType::uint8 || type == ElementType::int8;
}

/// Sizes of a product with one matrix on the right.
struct ProductSizes {
    std::int64_t rows = 0, inner = 0, columns = 0;
};

std::optional<ProductSizes> sizesOf(const NodeFacts& facts, Slots slots) {
    if (!facts.has(slots.left) || !facts.has(slots.right) || !facts.wants(0)) return std::nullopt;
    const OperandFacts &a = facts.inputs[slots.left], &b = facts.inputs[slots.right];
    if (a.count() == 0 || b.shape.size() != 2 || a.shape.size() < 2 || facts.outputs[0].count() == 0 ||
        !isByte(a.type) || !isByte(b.type))
        return std::nullopt;
    ProductSizes sizes{0, a.shape.back(), b.shape[1]};
    sizes.rows = a.count() / sizes.inner;
    if (b.shape[0] != sizes.inner || facts.outputs[0].count() != sizes.rows * sizes.columns)
        return std::nullopt;
    for (const auto& [zero, of] :
         {std::pair(slots.leftZero, slots.left), std::pair(slots.rightZero, slots.right)})
        if (facts.has(zero) && facts.inputs[zero].type != facts.inputs[of].type) return std::nullopt;
    if (facts.has(slots.leftZero) && facts.inputs[slots.leftZero].count() != 1) return std::nullopt;
    return sizes;
}

/// The zero points of constant weights, none where they are not constant, or not one for each column.
std::optional<std::vector<std::int32_t>> constantZeros(const NodeFacts& facts, std::size_t slot,
                                                       std::int64_t columns) {
    if (!facts.has(slot)) return std::vector<std::int32_t>{0};
    const OperandFacts& zero = facts.inputs[slot];
    if (zero.constant == nullptr || zero.shape.size() > 1 || (zero.count() != 1 && zero.count() != columns))
        return std::nullopt;
    std::vector<std::int32_t> zeros;
    for (std::int64_t i = 0; i < zero.count(); ++i) {
        const std::byte cell = zero.constant->data()[i];
        zeros.push_back(zero.type == ElementType::int8 ? std::int32_t{static_cast<std::int8_t>(cell)}
                                                       : std::int32_t{static_cast<std::uint8_t>(cell)});
    }
    return zeros;
}

Step packedStep(const NodeFacts& facts, Slots slots, const ProductSizes& sizes,
                std::optional<Requantization> result) {
    const OperandFacts& right = facts.inputs[slots.right];
    if (right.constant == nullptr) return std::nullopt;
    const auto zeros = constantZeros(facts, slots.rightZero, sizes.columns);
    auto charged = facts.call.pool->charge(Int8Weights::bytesFor(sizes.inner, sizes.columns));
    if (!zeros || !charged) return std::nullopt;
    const Int8Matrix matrix{right.constant->data(),
                            right.type == ElementType::int8,
                            sizes.inner,
                            sizes.columns,
                            sizes.columns,
                            1};
    auto kernel = std::make_unique<PackedProduct>(Int8Weights(matrix, *zeros), sizes.rows, sizes.inner,
                                                  facts.inputs[slots.left].type == ElementType::int8, slots,
                                                  result, std::move(*charged));
    const std::uint64_t workspace = kernel->workspaceBytes();
    PreparedStep step = ownStep(facts, std::move(kernel));
    step.request.workspaceBytes = workspace;
    step.request.inputs[slots.right] = kHeldByStep;
    if (slots.rightZero < step.request.inputs.size()) step.request.inputs[slots.rightZero] = kHeldByStep;
    return step;
}

Step integerProduct(const NodeFacts& facts) {
    const auto sizes = sizesOf(facts, kInteger);
    if (!sizes || facts.outputs[0].type != ElementType::int32) return std::nullopt;
    if (auto packed = packedStep(facts, kInteger, *sizes, std::nullopt)) return packed;
    if (facts.has(3) && facts.inputs[3].count() != 1) return std::nullopt;
    const auto make = [&]<typename A, typename B>(A, B) {
        return ownStep(facts,
                       std::make_unique<IntegerProduct<A, B>>(sizes->rows, sizes->inner, sizes->columns));
    };
    const bool isRightSigned = facts.inputs[1].type == ElementType::int8;
    if (facts.inputs[0].type == ElementType::uint8)
        return isRightSigned ? make(std::uint8_t{}, std::int8_t{}) : make(std::uint8_t{}, std::uint8_t{});
    return isRightSigned ? make(std::int8_t{}, std::int8_t{}) : make(std::int8_t{}, std::uint8_t{});
}

Step linearProduct(const NodeFacts& facts) {
    const auto sizes = sizesOf(facts, kLinear);
    if (!sizes || facts.inputs.size() != 8) return std::nullopt;
    for (const std::size_t slot : {1U, 4U, 6U})
        if (!facts.has(slot) || !facts.inputs[slot].isFloat()) return std::nullopt;
    const OperandFacts &scale = facts.inputs[4], &zero = facts.inputs[7];
    const bool hasOneScale = scale.count() == 1;
    if (facts.inputs[1].count() != 1 || facts.inputs[6].count() != 1 || !facts.has(7) || zero.count() != 1 ||
        !isByte(zero.type) || facts.outputs[0].type != zero.type ||
        (!hasOneScale && (scale.shape.size() != 1 || scale.count() != sizes->columns)))
        return std::nullopt;
    return packedStep(facts, kLinear, *sizes, Requantization{zero.type == ElementType::int8, hasOneScale});
}

constexpr FactoryEntry kProducts[] = {{"MatMulInteger", &integerProduct}, {"QLinearMatMul", &linearProduct}};

} // namespace

std::span<const FactoryEntry> quantizedProductFactories() {
    return kProducts;
}

} // namespace secateur
