// SPDX-License-Identifier: Apache-2.0
//
// ONNX TopK, Unique.
#include "core/exec/axis_rows.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace secateur {
namespace {

/// The first `count` of a row, in order: of equals the one with the lower index goes first, NaN is largest.
template <typename C> class RowOrder {
  public:
    RowOrder(std::size_t count, bool isLargest) : m_count(count), m_isLargest(isLargest) {}

    const std::vector<std::size_t>& of(std::span<const C> row) {
        const auto above = [&](std::size_t a, std::size_t b) { return isAbove(row, a, b); };
        m_order.resize(m_count);
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        if (m_count == 0) return m_order;
        // A heap of the best so far, the worst of them on top: nearly all are turned away by one comparison.
        std::make_heap(m_order.begin(), m_order.end(), above);
        for (std::size_t i = m_count; i < row.size(); ++i) {
            const C worst = row[m_order.front()];
            if (m_isLargest ? row[i] <= worst : row[i] >= worst) continue;
            if (!above(i, m_order.front())) continue;
            std::pop_heap(m_order.begin(), m_order.end(), above);
            m_order.back() = i;
            std::push_heap(m_order.begin(), m_order.end(), above);
        }
        std::sort_heap(m_order.begin(), m_order.end(), above);
        return m_order;
    }

  private:
    [[nodiscard]] bool isAbove(std::span<const C> row, std::size_t a, std::size_t b) const {
        const bool aNan = row[a] != row[a], bNan = row[b] != row[b];
        if (aNan != bNan) return m_isLargest ? aNan : bNan;
        if (row[a] != row[b] && !aNan) return m_isLargest ? row[a] > row[b] : row[a] < row[b];
        return a < b;
    }

    std::size_t m_count;
    bool m_isLargest;
    std::vector<std::size_t> m_order;
};

/// Rows that lie one behind the other, of numbers that are stored as they are reckoned with.
template <typename C>
void topOfPlainRows(const TensorData& x, std::size_t count, bool isLargest, TensorData& values,
                    TensorData& indices) {
    const auto length = static_cast<std::size_t>(x.shape().back());
    const std::span<const C> cells = x.as<C>();
    const std::span<C> found = values.as<C>();
    RowOrder<C> order(count, isLargest);
    std::size_t to = 0;
    for (std::size_t from = 0; from < cells.size(); from += length) {
        const auto row = cells.subspan(from, length);
        for (const std::size_t at : order.of(row)) {
            found[to] = row[at];
            indices.as<std::int64_t>()[to++] = static_cast<std::int64_t>(at);
        }
    }
}

/// ONNX TopK.
Result<void> runTopK(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    constexpr std::int64_t kCountIsInput = 10;
    std::int64_t count = call.integer("k", 0);
    if (call.opset >= kCountIsInput) {
        const auto given = TRY(call.integersIn(1));
        if (!given || given->size() != 1) return call.fail("exec.needs-one-element", {"1", "?"});
        count = given->front();
    }
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", -1), x->rank()));
    if (count < 0 || count > x->shape()[axis])
        return call.fail("exec.bad-position", {std::to_string(count), std::to_string(x->shape()[axis])});
    const bool isLargest = call.integer("largest", 1) != 0;
    const auto taken = static_cast<std::size_t>(count);
    Shape shape = x->shape();
    shape[axis] = count;
    TensorData values = TRY(call.make(x->type(), shape));
    TensorData indices = TRY(call.make(ElementType::int64, shape));
    if (x->type() == ElementType::float32 && axis + 1 == x->rank()) {
        topOfPlainRows<float>(*x, taken, isLargest, values, indices);
    } else {
        const AxisRows from(x->shape(), axis), to(shape, axis);
        TRY(withComputeType(
            x->type(),
            [&]<typename C>(C) -> Result<void> {
                const auto cells = readAll<C>(*x);
                std::vector<C> row;
                RowOrder<C> order(taken, isLargest);
                for (std::size_t r = 0; r < from.rows(); ++r) {
                    from.read(cells, r, row);
                    const std::vector<std::size_t>& first = order.of(row);
                    for (std::size_t i = 0; i < taken; ++i) {
                        const std::size_t at = to.start(r) + to.offsets()[i];
                        copyElements(*x, from.start(r) + from.offsets()[first[i]], values, at, 1);
                        indices.as<std::int64_t>()[at] = static_cast<std::int64_t>(first[i]);
                    }
                }
                return {};
            },
            [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    }
    call.setOutput(0, std::move(values));
    call.setOutput(1, std::move(indices));
    return {};
}

/// Slices along the first dimension, compared as sequences of elements.
class Slices {
  public:
    explicit Slices(const TensorData& x)
        : m_x(x), m_length(x.rank() == 0 ? 1 : static_cast<std::size_t>(x.shape()[0])),
          m_width(m_length == 0 ? 0 : static_cast<std::size_t>(x.count()) / m_length) {
        if (!x.isString()) m_numbers = readAll<double>(x);
        if (isInteger(x.type())) m_integers = readAll<std::int64_t>(x);
    }
    [[nodiscard]] std::size_t count() const { return m_length; }
    [[nodiscard]] bool isLess(std::size_t a, std::size_t b) const {
        for (std::size_t i = 0; i < m_width; ++i) {
            const std::size_t left = a * m_width + i, right = b * m_width + i;
            if (m_x.isString()) {
                const int order = m_x.strings()[left].compare(m_x.strings()[right]);
                if (order != 0) return order < 0;
            } else if (!m_integers.empty()) {
                if (m_integers[left] != m_integers[right])
                    return computeTypeOf(m_x.type()) == ComputeType::u64
                               ? static_cast<std::uint64_t>(m_integers[left]) <
                                     static_cast<std::uint64_t>(m_integers[right])
                               : m_integers[left] < m_integers[right];
            } else {
                const double l = m_numbers[left], r = m_numbers[right];
                const bool lNan = l != l, rNan = r != r;
                if (lNan != rNan) return rNan; // NaN last, each for itself
                if (l != r && !lNan) return l < r;
                if (lNan) return left < right;
            }
        }
        return false;
    }

  private:
    const TensorData& m_x;
    std::size_t m_length, m_width;
    std::vector<double> m_numbers;
    std::vector<std::int64_t> m_integers;
};

Result<TensorData> integerList(const KernelCall& call, const std::vector<std::int64_t>& numbers) {
    TensorData list = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(numbers.size())}));
    std::copy(numbers.begin(), numbers.end(), list.as<std::int64_t>().begin());
    return list;
}

/// The slices along an axis one behind the other: that axis first.
Result<TensorData> withAxisFirst(const KernelCall& call, const TensorData& x, std::size_t axis) {
    if (axis == 0) return x;
    const AxisBlocks of(x.shape(), axis);
    Shape shape = x.shape();
    std::rotate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis),
                shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    TensorData moved = TRY(call.make(x.type(), std::move(shape)));
    for (std::size_t b = 0; b < of.before; ++b)
        for (std::size_t i = 0; i < of.along; ++i)
            copyElements(x, (b * of.along + i) * of.behind, moved, (i * of.before + b) * of.behind,
                         of.behind);
    return moved;
}

/// The slices of x along an axis that `indices` name, in their order.
Result<TensorData> slicesAt(const KernelCall& call, const TensorData& x, std::size_t axis,
                            const std::vector<std::int64_t>& indices) {
    const AxisBlocks of(x.shape(), axis);
    Shape shape = x.shape();
    shape[axis] = static_cast<std::int64_t>(indices.size());
    TensorData chosen = TRY(call.make(x.type(), std::move(shape)));
    for (std::size_t b = 0; b < of.before; ++b)
        for (std::size_t k = 0; k < indices.size(); ++k)
            copyElements(x, (b * of.along + static_cast<std::size_t>(indices[k])) * of.behind, chosen,
                         (b * indices.size() + k) * of.behind, of.behind);
    return chosen;
}

/// Equal slices side by side, in order, those of one group as they stood.
struct Groups {
    std::vector<std::size_t> order;  ///< all slices
    std::vector<std::size_t> starts; ///< in `order`, of each group
};

Groups groupsOf(const Slices& slices) {
    Groups groups;
    groups.order.resize(slices.count());
    std::iota(groups.order.begin(), groups.order.end(), std::size_t{0});
    // By index where they are equal: no copy of the list is made, as a stable sort would.
    std::sort(groups.order.begin(), groups.order.end(), [&](std::size_t a, std::size_t b) {
        return slices.isLess(a, b) || (!slices.isLess(b, a) && a < b);
    });
    for (std::size_t i = 0; i < groups.order.size(); ++i)
        if (i == 0 || slices.isLess(groups.order[i - 1], groups.order[i])) groups.starts.push_back(i);
    return groups;
}

/// ONNX Unique: slices along `axis`, or all elements; sorted, or in the order in which they first occur.
Result<void> runUnique(const KernelCall& call) {
    const TensorData* given = TRY(call.tensor(0));
    const bool hasAxis = call.attribute("axis") != nullptr;
    const TensorData x = hasAxis ? *given : given->reshaped({static_cast<std::int64_t>(given->count())});
    const std::size_t axis = hasAxis ? TRY(axisOf(call, call.integer("axis", 0), x.rank())) : 0;
    if (!x.isString() && computeTypeOf(x.type()) == ComputeType::none) return call.noCodeFor(x.type());
    const auto count = static_cast<std::size_t>(x.shape()[axis]);
    if (count == 0) {
        call.setOutput(0, x);
        for (std::size_t slot = 1; slot < 4; ++slot)
            call.setOutput(slot, TRY(integerList(call, {})));
        return {};
    }
    // Elements as numbers, and for each slice its place in five lists.
    const auto numbers = TRY(call.chargeScratch(x.isString() ? 0 : x.count(), 2 * sizeof(double)));
    const auto lists = TRY(call.chargeScratch(count, 5 * sizeof(std::size_t)));
    const TensorData stacked = TRY(withAxisFirst(call, x, axis));
    const Groups groups = groupsOf(Slices(stacked));
    const auto firstOf = [&](std::size_t group) { return groups.order[groups.starts[group]]; };
    std::vector<std::size_t> shown(groups.starts.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (call.integer("sorted", 1) == 0)
        std::sort(shown.begin(), shown.end(),
                  [&](std::size_t a, std::size_t b) { return firstOf(a) < firstOf(b); });
    std::vector<std::int64_t> firsts, inverse(count), counts;
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const std::size_t start = groups.starts[shown[k]];
        const std::size_t end =
            shown[k] + 1 < groups.starts.size() ? groups.starts[shown[k] + 1] : groups.order.size();
        firsts.push_back(static_cast<std::int64_t>(groups.order[start]));
        counts.push_back(static_cast<std::int64_t>(end - start));
        for (std::size_t i = start; i < end; ++i)
            inverse[groups.order[i]] = static_cast<std::int64_t>(k);
    }
    call.setOutput(0, TRY(slicesAt(call, x, axis, firsts)));
    call.setOutput(1, TRY(integerList(call, firsts)));
    call.setOutput(2, TRY(integerList(call, inverse)));
    call.setOutput(3, TRY(integerList(call, counts)));
    return {};
}

constexpr KernelEntry kSorting[] = {
    {"", "TopK", 1, &runTopK},
    {"", "Unique", 11, &runUnique},
};

} // namespace

std::span<const KernelEntry> sortingKernels() {
    return kSorting;
}

} // namespace secateur
