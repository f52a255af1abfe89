// SPDX-License-Identifier: Apache-2.0
//
// Operators that only move elements: Transpose, Slice, Split, Expand, Concat, Gather; of any type.
#include "core/exec/broadcast.h"
#include "core/exec/slices.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// One strided copy for each result.
class CopyKernel : public CpuKernel {
  public:
    void add(std::size_t output, const StridedSource& source, std::size_t cell) {
        m_copies.emplace_back(output, StridedCopy(source, cell));
    }
    void run(const StepMemory& memory) override {
        for (const auto& [output, copy] : m_copies)
            copy.run(memory.inputs[0], memory.outputs[output], memory.threads);
    }

  private:
    std::vector<std::pair<std::size_t, StridedCopy>> m_copies;
};

/// Is the first input there with elements, of a type with cells, and is all else constant?
bool isMovable(const NodeFacts& facts) {
    return facts.has(0) && facts.inputs[0].count() > 0 && cellBytes(facts.inputs[0].type) > 0 &&
           cellBytes(facts.inputs[0].type) <= 16 && facts.isConstantFrom(1);
}

Step copyStep(const NodeFacts& facts, std::unique_ptr<CopyKernel> kernel) {
    PreparedStep step = ownStep(facts, std::move(kernel));
    for (std::size_t slot = 1; slot < step.request.inputs.size(); ++slot)
        step.request.inputs[slot] = kHeldByStep;
    return step;
}

Step oneCopy(const NodeFacts& facts, const StridedSource& source) {
    if (!facts.wants(0) || source.dims != facts.outputs[0].shape || facts.outputs[0].count() == 0)
        return std::nullopt;
    auto kernel = std::make_unique<CopyKernel>();
    kernel->add(0, source, cellBytes(facts.inputs[0].type));
    return copyStep(facts, std::move(kernel));
}

Step transpose(const NodeFacts& facts) {
    if (!isMovable(facts)) return std::nullopt;
    const Shape& shape = facts.inputs[0].shape;
    std::vector<std::int64_t> order;
    if (const auto* given = facts.call.integers("perm"))
        order = *given;
    else
        for (std::size_t d = shape.size(); d-- > 0;)
            order.push_back(static_cast<std::int64_t>(d));
    // What is no order of all axes is refused in words by the reference kernel.
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t d = 0; d < sorted.size(); ++d)
        if (sorted[d] != static_cast<std::int64_t>(d)) return std::nullopt;
    if (sorted.size() != shape.size()) return std::nullopt;
    const Shape strides = stridesOf(shape);
    StridedSource source;
    for (const std::int64_t d : order) {
        source.dims.push_back(shape.at(static_cast<std::size_t>(d)));
        source.strides.push_back(strides.at(static_cast<std::size_t>(d)));
    }
    return oneCopy(facts, source);
}

Step expand(const NodeFacts& facts) {
    if (!isMovable(facts) || !facts.wants(0)) return std::nullopt;
    const Shape &shape = facts.inputs[0].shape, &result = facts.outputs[0].shape;
    if (broadcastShape(shape, result) != result) return std::nullopt;
    StridedSource source{result, 0, stridesOf(shape)};
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] == 1) source.strides[d] = 0;
    source.strides.insert(source.strides.begin(), result.size() - shape.size(), 0);
    return oneCopy(facts, source);
}

Step slice(const NodeFacts& facts) {
    if (!isMovable(facts)) return std::nullopt;
    const auto view = sliceViewOf(facts.call, facts.inputs[0].shape);
    if (!view) return std::nullopt; // refused in words by the reference kernel
    return oneCopy(facts, {view->shape, view->base, view->strides});
}

Step split(const NodeFacts& facts) {
    if (!isMovable(facts)) return std::nullopt;
    const Shape& shape = facts.inputs[0].shape;
    const Shape strides = stridesOf(shape);
    std::int64_t axis = facts.call.integer("axis", 0), at = 0;
    if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return std::nullopt;
    const auto d = static_cast<std::size_t>(axis);
    auto kernel = std::make_unique<CopyKernel>();
    for (std::size_t i = 0; i < facts.outputs.size(); ++i) {
        if (!facts.wants(i) || facts.outputs[i].shape.size() != shape.size()) return std::nullopt;
        const std::int64_t size = facts.outputs[i].shape[d];
        Shape dims = shape;
        dims[d] = size;
        if (size == 0 || dims != facts.outputs[i].shape) return std::nullopt;
        kernel->add(i, {dims, at * strides[d], strides}, cellBytes(facts.inputs[0].type));
        at += size;
    }
    if (at != shape[d]) return std::nullopt;
    return copyStep(facts, std::move(kernel));
}

/// Pieces of each operand in turn, `outer` times.
class ConcatKernel : public CpuKernel {
  public:
    ConcatKernel(std::int64_t outer, std::vector<std::pair<std::size_t, std::int64_t>> pieces)
        : m_outer(outer), m_pieces(std::move(pieces)) {
        for (const auto& [slot, bytes] : m_pieces)
            m_width += bytes;
    }
    void run(const StepMemory& memory) override {
        const std::int64_t grain = std::max<std::int64_t>(1, (1 << 17) / std::max<std::int64_t>(m_width, 1));
        memory.threads.forRange(m_outer, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t at = from; at < to; ++at) {
                std::byte* target = memory.outputs[0] + at * m_width;
                for (const auto& [slot, bytes] : m_pieces) {
                    std::memcpy(target, memory.inputs[slot] + at * bytes, static_cast<std::size_t>(bytes));
                    target += bytes;
                }
            }
        });
    }

  private:
    std::int64_t m_outer, m_width = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> m_pieces; ///< input slot, bytes
};

/// The layout in which channels can be joined without looking into blocks.
LayoutCode concatLayout(const NodeFacts& facts, std::int64_t axis) {
    LayoutCode layout = kPlainLayout;
    for (const OperandFacts& operand : facts.inputs)
        if (operand.isPresent && operand.isFloat() && operand.layout != kPlainLayout) layout = operand.layout;
    if (layout == kPlainLayout) return layout;
    for (const OperandFacts& operand : facts.inputs)
        if (axis == 1 && operand.isPresent && !isUnpadded(operand.shape, layout)) return kPlainLayout;
    return layout;
}

Step concat(const NodeFacts& facts) {
    if (!facts.wants(0) || facts.outputs[0].count() == 0) return std::nullopt;
    const OperandFacts& y = facts.outputs[0];
    const auto rank = static_cast<std::int64_t>(y.shape.size());
    std::int64_t axis = facts.call.integer("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || cellBytes(y.type) == 0) return std::nullopt;
    const LayoutCode layout = concatLayout(facts, axis);
    // Where the axis lies among the dimensions as they are kept.
    std::int64_t place = axis;
    if (layout == kChannelsLast && axis > 0) place = axis == 1 ? rank - 1 : axis - 1;
    std::vector<std::pair<std::size_t, std::int64_t>> pieces;
    std::int64_t outer = 1;
    const Shape result = physicalShape(y.shape, layout);
    for (std::int64_t d = 0; d < place; ++d)
        outer *= result[static_cast<std::size_t>(d)];
    for (std::size_t slot = 0; slot < facts.inputs.size(); ++slot) {
        const OperandFacts& part = facts.inputs[slot];
        if (!part.isPresent || part.type != y.type || part.shape.size() != y.shape.size())
            return std::nullopt;
        const std::uint64_t cells = elementCountOf(physicalShape(part.shape, layout)).value_or(0);
        pieces.emplace_back(slot, static_cast<std::int64_t>(cells) / outer *
                                      static_cast<std::int64_t>(cellBytes(y.type)));
    }
    PreparedStep step = ownStep(facts, std::make_unique<ConcatKernel>(outer, std::move(pieces)));
    if (layout == kPlainLayout) return step;
    std::fill(step.request.inputs.begin(), step.request.inputs.end(), layout);
    for (std::size_t slot = 0; slot < facts.inputs.size(); ++slot)
        step.request.inputs[slot] = canonical(facts.inputs[slot].shape, layout);
    step.request.outputs[0] = {canonical(y.shape, layout), layoutBytes(y.shape, layout), {}};
    return step;
}

/// Whole slices, picked by int64 or int32 indices.
template <typename Index> class GatherKernel : public CpuKernel {
  public:
    GatherKernel(std::int64_t outer, std::int64_t dim, std::int64_t bytes, std::int64_t count)
        : m_outer(outer), m_dim(dim), m_bytes(bytes), m_count(count) {}
    [[nodiscard]] bool canRun(const StepMemory& memory) const override {
        const auto* indices = reinterpret_cast<const Index*>(memory.inputs[1]);
        return std::all_of(indices, indices + m_count, [&](Index i) { return i >= -m_dim && i < m_dim; });
    }
    void run(const StepMemory& memory) override {
        const auto* indices = reinterpret_cast<const Index*>(memory.inputs[1]);
        const std::int64_t grain = std::max<std::int64_t>(1, (1 << 17) / m_bytes);
        memory.threads.forRange(m_outer * m_count, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t at = from; at < to; ++at) {
                std::int64_t index = indices[at % m_count];
                if (index < 0) index += m_dim;
                std::memcpy(memory.outputs[0] + at * m_bytes,
                            memory.inputs[0] + (at / m_count * m_dim + index) * m_bytes,
                            static_cast<std::size_t>(m_bytes));
            }
        });
    }

  private:
    std::int64_t m_outer, m_dim, m_bytes, m_count;
};

Step gather(const NodeFacts& facts) {
    if (facts.inputs.size() != 2 || !facts.has(0) || !facts.has(1) || !facts.wants(0) ||
        facts.outputs[0].count() == 0 || facts.inputs[0].count() == 0 || cellBytes(facts.inputs[0].type) == 0)
        return std::nullopt;
    const Shape& shape = facts.inputs[0].shape;
    std::int64_t axis = facts.call.integer("axis", 0);
    if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return std::nullopt;
    const auto d = static_cast<std::size_t>(axis);
    std::int64_t outer = 1, bytes = static_cast<std::int64_t>(cellBytes(facts.inputs[0].type));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i < d) outer *= shape[i];
        if (i > d) bytes *= shape[i];
    }
    const std::int64_t count = facts.inputs[1].count();
    if (facts.inputs[1].type == ElementType::int64)
        return ownStep(facts, std::make_unique<GatherKernel<std::int64_t>>(outer, shape[d], bytes, count));
    if (facts.inputs[1].type == ElementType::int32)
        return ownStep(facts, std::make_unique<GatherKernel<std::int32_t>>(outer, shape[d], bytes, count));
    return std::nullopt;
}

constexpr FactoryEntry kMovement[] = {
    {"Concat", &concat}, {"Expand", &expand}, {"Gather", &gather},
    {"Slice", &slice},   {"Split", &split},   {"Transpose", &transpose},
};

} // namespace

std::span<const FactoryEntry> movementFactories() {
    return kMovement;
}

} // namespace secateur
