// SPDX-License-Identifier: Apache-2.0
//
// ONNX ConvInteger and QLinearConv with constant weights: what a window meets becomes a row of a product in
// whole numbers, some positions at a time; groups of one channel are summed where they lie.
#include "core/exec/windows.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/int8_product.h"
#include "gpu/cpu/requantize.h"

#include <algorithm>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// Where the operands of a convolution lie among the inputs.
struct Slots {
    std::size_t x = 0, w = 1, xZero = 2, wZero = 3;
};
constexpr Slots kInteger{0, 1, 2, 3}, kLinear{0, 3, 2, 5};

struct Sizes {
    std::int64_t batch = 0, channels = 0, filters = 0, groups = 1, inputs = 0, outputs = 0, taps = 0;
    bool isSigned = false; ///< of the operand

    [[nodiscard]] std::int64_t channelsEach() const { return channels / groups; }
    [[nodiscard]] std::int64_t filtersEach() const { return filters / groups; }
    [[nodiscard]] std::int64_t inner() const { return channelsEach() * taps; }
};

/// How sums become results of QLinearConv: scales of operand, weights and result are inputs 1, 4 and 6, the
/// zero point is 7, the bias 8.
struct Requantization {
    bool isSigned = false, hasOneScale = true, hasBias = false;
};

/// What a kernel keeps from the weights.
struct Held {
    std::vector<Int8Weights> groups;  ///< where a group has several channels
    std::vector<std::int16_t> planes; ///< filters x taps, less their zero points, where it has one
    std::vector<std::int32_t> places; ///< positions x taps: element of a plane, -1 in the padding
    std::shared_ptr<void> charged;
};

class QuantizedConvolution : public CpuKernel {
  public:
    QuantizedConvolution(const Sizes& sizes, Slots slots, Held held, std::optional<Requantization> result)
        : m_sizes(sizes), m_slots(slots), m_held(std::move(held)), m_result(result) {}

    [[nodiscard]] std::uint64_t workspaceBytes() const {
        if (m_held.groups.empty()) return 0;
        return static_cast<std::uint64_t>(block() * m_sizes.filtersEach()) * sizeof(std::int32_t) +
               static_cast<std::uint64_t>(block() * m_held.groups[0].rowLength()) * sizeof(std::int16_t);
    }

    void run(const StepMemory& memory) override {
        const std::int32_t zero = byteIn(memory, m_slots.xZero, m_sizes.isSigned);
        if (m_held.groups.empty()) return runPlanes(memory, zero);
        for (std::int64_t n = 0; n < m_sizes.batch; ++n)
            for (std::int64_t group = 0; group < m_sizes.groups; ++group)
                for (std::int64_t from = 0; from < m_sizes.outputs; from += block())
                    runBlock(memory, zero, n, group, from, std::min(m_sizes.outputs, from + block()));
    }

  private:
    /// Positions at a time: their rows are to stay near while all filters read them.
    [[nodiscard]] std::int64_t block() const { return std::min<std::int64_t>(m_sizes.outputs, 512); }

    [[nodiscard]] std::int32_t cellAt(const std::byte* cells, std::int64_t at) const {
        return m_sizes.isSigned ? std::int32_t{static_cast<std::int8_t>(cells[at])}
                                : std::int32_t{static_cast<std::uint8_t>(cells[at])};
    }

    void runBlock(const StepMemory& memory, std::int32_t zero, std::int64_t n, std::int64_t group,
                  std::int64_t from, std::int64_t to) const {
        const Sizes& s = m_sizes;
        const Int8Weights& weights = m_held.groups[static_cast<std::size_t>(group)];
        auto* sums = reinterpret_cast<std::int32_t*>(memory.workspace);
        auto* rows = reinterpret_cast<std::int16_t*>(sums + block() * s.filtersEach());
        const std::byte* x =
            memory.inputs[m_slots.x] + (n * s.channels + group * s.channelsEach()) * s.inputs;
        const std::int64_t length = weights.rowLength();
        memory.threads.forRange(to - from, std::max<std::int64_t>(1, (1 << 14) / s.inner()),
                                [&](std::int64_t first, std::int64_t last) {
                                    for (std::int64_t row = first; row < last; ++row)
                                        fillRow(x, zero, from + row, rows + row * length, length);
                                });
        weights.multiply(rows, to - from, sums, s.filtersEach(), &memory.threads);
        const std::int64_t filter = group * s.filtersEach();
        memory.threads.forRange(s.filtersEach(), std::max<std::int64_t>(1, (1 << 14) / (to - from)),
                                [&](std::int64_t first, std::int64_t last) {
                                    for (std::int64_t f = first; f < last; ++f)
                                        write(memory, n, filter + f, from, to, sums + f, s.filtersEach());
                                });
    }

    void fillRow(const std::byte* x, std::int32_t zero, std::int64_t position, std::int16_t* row,
                 std::int64_t length) const {
        const std::int32_t* places = m_held.places.data() + position * m_sizes.taps;
        for (std::int64_t c = 0; c < m_sizes.channelsEach(); ++c)
            for (std::int64_t k = 0; k < m_sizes.taps; ++k)
                row[c * m_sizes.taps + k] =
                    places[k] < 0
                        ? std::int16_t{0}
                        : static_cast<std::int16_t>(cellAt(x, c * m_sizes.inputs + places[k]) - zero);
        std::fill(row + m_sizes.inner(), row + length, std::int16_t{0});
    }

    void runPlanes(const StepMemory& memory, std::int32_t zero) const {
        const Sizes& s = m_sizes;
        constexpr std::int64_t kAtOnce = 256;
        const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / (s.outputs * s.taps));
        memory.threads.forRange(s.batch * s.filters, grain, [&](std::int64_t first, std::int64_t last) {
            std::int32_t sums[kAtOnce];
            for (std::int64_t at = first; at < last; ++at) {
                const std::int64_t n = at / s.filters, filter = at % s.filters;
                const std::byte* x =
                    memory.inputs[m_slots.x] + (n * s.channels + filter / s.filtersEach()) * s.inputs;
                for (std::int64_t from = 0; from < s.outputs; from += kAtOnce) {
                    const std::int64_t to = std::min(s.outputs, from + kAtOnce);
                    for (std::int64_t o = from; o < to; ++o)
                        sums[o - from] = sumAt(x, zero, filter, o);
                    write(memory, n, filter, from, to, sums, 1);
                }
            }
        });
    }

    [[nodiscard]] std::int32_t sumAt(const std::byte* x, std::int32_t zero, std::int64_t filter,
                                     std::int64_t position) const {
        const std::int32_t* places = m_held.places.data() + position * m_sizes.taps;
        const std::int16_t* weights = m_held.planes.data() + filter * m_sizes.taps;
        std::uint32_t sum = 0;
        for (std::int64_t k = 0; k < m_sizes.taps; ++k)
            if (places[k] >= 0) sum += static_cast<std::uint32_t>((cellAt(x, places[k]) - zero) * weights[k]);
        return static_cast<std::int32_t>(sum);
    }

    /// Results of one filter at positions [from, to): sums lie `step` apart.
    void write(const StepMemory& memory, std::int64_t n, std::int64_t filter, std::int64_t from,
               std::int64_t to, const std::int32_t* sums, std::int64_t step) const {
        const std::int64_t start = (n * m_sizes.filters + filter) * m_sizes.outputs;
        if (!m_result) {
            auto* y = reinterpret_cast<std::int32_t*>(memory.outputs[0]) + start;
            for (std::int64_t o = from; o < to; ++o)
                y[o] = sums[(o - from) * step];
            return;
        }
        // In float, as the scales are.
        const float scale =
            *memory.floats(1) * memory.floats(4)[m_result->hasOneScale ? 0 : filter] / *memory.floats(6);
        const std::int64_t bias =
            m_result->hasBias ? reinterpret_cast<const std::int32_t*>(memory.inputs[8])[filter] : 0;
        const Quantizer quantized(byteIn(memory, 7, m_result->isSigned), m_result->isSigned);
        for (std::int64_t o = from; o < to; ++o) {
            const std::int64_t sum = std::int64_t{sums[(o - from) * step]} + bias;
            memory.outputs[0][start + o] = quantized(static_cast<double>(static_cast<float>(sum) * scale));
        }
    }

    Sizes m_sizes;
    Slots m_slots;
    Held m_held;
    std::optional<Requantization> m_result; ///< none: the sums are the result
};

bool isByte(ElementType type) {
    return type == ElementType::uint8 || type == ElementType::int8;
}

/// Sums of longer rows might not fit 32 bits where a bias is added to them.
constexpr std::int64_t kLongestRow = 1 << 15;

std::optional<Sizes> sizesOf(const NodeFacts& facts, Slots slots, const Window& window) {
    const OperandFacts &x = facts.inputs[slots.x], &w = facts.inputs[slots.w];
    Sizes s;
    s.groups = facts.call.integer("group", 1);
    s.batch = x.shape[0];
    s.channels = x.shape[1];
    s.filters = w.shape[0];
    s.inputs = static_cast<std::int64_t>(window.inputCount());
    s.outputs = static_cast<std::int64_t>(window.outputCount());
    s.taps = static_cast<std::int64_t>(window.kernelCount());
    s.isSigned = x.type == ElementType::int8;
    if (s.groups < 1 || s.groups > s.channels || s.channels != w.shape[1] * s.groups ||
        s.filters % s.groups != 0 || s.inner() > kLongestRow || s.inputs > INT32_MAX)
        return std::nullopt;
    Shape result{s.batch, s.filters};
    result.insert(result.end(), window.output.begin(), window.output.end());
    if (result != facts.outputs[0].shape) return std::nullopt;
    return s;
}

/// Zero points of the weights, one or one for each filter.
std::optional<std::vector<std::int32_t>> zerosOf(const NodeFacts& facts, std::size_t slot, const Sizes& s) {
    if (!facts.has(slot)) return std::vector<std::int32_t>(static_cast<std::size_t>(s.filters), 0);
    const OperandFacts& zero = facts.inputs[slot];
    if (zero.constant == nullptr || !isByte(zero.type) || (zero.count() != 1 && zero.count() != s.filters))
        return std::nullopt;
    std::vector<std::int32_t> zeros;
    for (std::int64_t f = 0; f < s.filters; ++f) {
        const std::byte cell = zero.constant->data()[zero.count() == 1 ? 0 : f];
        zeros.push_back(zero.type == ElementType::int8 ? std::int32_t{static_cast<std::int8_t>(cell)}
                                                       : std::int32_t{static_cast<std::uint8_t>(cell)});
    }
    return zeros;
}

void holdWeights(const OperandFacts& w, const Sizes& s, const std::vector<std::int32_t>& zeros, Held& held) {
    const bool isSigned = w.type == ElementType::int8;
    const std::byte* cells = w.constant->data();
    if (s.channelsEach() == 1) {
        for (std::int64_t at = 0; at < s.filters * s.taps; ++at) {
            const std::int32_t cell = isSigned ? std::int32_t{static_cast<std::int8_t>(cells[at])}
                                               : std::int32_t{static_cast<std::uint8_t>(cells[at])};
            held.planes.push_back(
                static_cast<std::int16_t>(cell - zeros[static_cast<std::size_t>(at / s.taps)]));
        }
        return;
    }
    for (std::int64_t group = 0; group < s.groups; ++group) {
        const std::int64_t first = group * s.filtersEach();
        const Int8Matrix matrix{cells + first * s.inner(), isSigned, s.inner(),
                                s.filtersEach(),           1,        s.inner()};
        held.groups.emplace_back(matrix, std::vector<std::int32_t>(zeros.begin() + first,
                                                                   zeros.begin() + first + s.filtersEach()));
    }
}

/// None where there is no memory for it.
std::optional<Held> heldBy(const NodeFacts& facts, Slots slots, const Sizes& s, const Window& window) {
    const auto zeros = zerosOf(facts, slots.wZero, s);
    if (!zeros) return std::nullopt;
    Held held;
    auto charged = facts.call.pool->charge(
        static_cast<std::uint64_t>(s.outputs) * static_cast<std::uint64_t>(s.taps) * sizeof(std::int32_t) +
        static_cast<std::uint64_t>(s.groups) * Int8Weights::bytesFor(s.inner(), s.filtersEach()));
    if (!charged) return std::nullopt;
    held.charged = std::move(*charged);
    std::vector<std::int64_t> places;
    for (std::int64_t o = 0; o < s.outputs; ++o) {
        window.placesAt(static_cast<std::size_t>(o), places);
        for (const std::int64_t place : places)
            held.places.push_back(static_cast<std::int32_t>(place));
    }
    holdWeights(facts.inputs[slots.w], s, *zeros, held);
    return held;
}

Step convolutionStep(const NodeFacts& facts, Slots slots, std::optional<Requantization> result) {
    if (facts.inputs.size() <= slots.w || !facts.has(slots.x) || !facts.has(slots.w) || !facts.wants(0) ||
        facts.inputs[slots.w].constant == nullptr)
        return std::nullopt;
    const OperandFacts &x = facts.inputs[slots.x], &w = facts.inputs[slots.w];
    if (!isByte(x.type) || !isByte(w.type) || x.count() == 0 || w.count() == 0 ||
        facts.outputs[0].count() == 0 || x.shape.size() < 3 || w.shape.size() != x.shape.size())
        return std::nullopt;
    const bool hasZero = facts.has(slots.xZero);
    if (hasZero && (facts.inputs[slots.xZero].count() != 1 || facts.inputs[slots.xZero].type != x.type))
        return std::nullopt;
    const auto window = windowOf(facts.call, x.shape, Shape(w.shape.begin() + 2, w.shape.end()));
    if (!window) return std::nullopt;
    const auto sizes = sizesOf(facts, slots, *window);
    if (!sizes) return std::nullopt;
    auto held = heldBy(facts, slots, *sizes, *window);
    if (!held) return std::nullopt;
    auto kernel = std::make_unique<QuantizedConvolution>(*sizes, slots, std::move(*held), result);
    const std::uint64_t workspace = kernel->workspaceBytes();
    PreparedStep step = ownStep(facts, std::move(kernel));
    step.request.workspaceBytes = workspace;
    step.request.inputs[slots.w] = kHeldByStep;
    if (slots.wZero < step.request.inputs.size()) step.request.inputs[slots.wZero] = kHeldByStep;
    return step;
}

Step integerConvolution(const NodeFacts& facts) {
    if (!facts.wants(0) || facts.outputs[0].type != ElementType::int32) return std::nullopt;
    return convolutionStep(facts, kInteger, std::nullopt);
}

Step linearConvolution(const NodeFacts& facts) {
    if (facts.inputs.size() < 8 || !facts.has(3) || !facts.has(7) || !facts.wants(0) ||
        facts.inputs[3].shape.empty())
        return std::nullopt;
    const std::int64_t filters = facts.inputs[3].shape[0];
    for (const std::size_t slot : {1U, 4U, 6U})
        if (!facts.has(slot) || !facts.inputs[slot].isFloat()) return std::nullopt;
    const OperandFacts &scale = facts.inputs[4], &zero = facts.inputs[7];
    const bool hasBias = facts.has(8);
    if (facts.inputs[1].count() != 1 || facts.inputs[6].count() != 1 || zero.count() != 1 ||
        !isByte(zero.type) || facts.outputs[0].type != zero.type ||
        (scale.count() != 1 && scale.count() != filters) ||
        (hasBias && (facts.inputs[8].type != ElementType::int32 || facts.inputs[8].count() != filters)))
        return std::nullopt;
    return convolutionStep(facts, kLinear,
                           Requantization{zero.type == ElementType::int8, scale.count() == 1, hasBias});
}

constexpr FactoryEntry kConvolution[] = {{"ConvInteger", &integerConvolution},
                                         {"QLinearConv", &linearConvolution}};

} // namespace

std::span<const FactoryEntry> quantizedConvolutionFactories() {
    return kConvolution;
}

} // namespace secateur
