// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/row_filter.h"

#include "core/exec/windows.h"

#include <algorithm>
#include <cstring>

namespace secateur {
namespace {

constexpr int kLanes = 8;
constexpr int kFilters = 4; ///< at once
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using WideLanes = double __attribute__((vector_size(kLanes * sizeof(double))));

inline __attribute__((always_inline)) double sumOf(const WideLanes& lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/// sums[f] = the product of x and filter f, summed in double: what such filters find may be next to nothing
/// beside what they sum, and a logarithm behind them makes much of it. The same partial sums on every
/// machine.
template <int kCount>
inline __attribute__((always_inline)) void products(const float* x, const float* filters, std::int64_t length,
                                                    float* sums) {
    WideLanes wide[kCount] = {};
    std::int64_t k = 0;
    for (; k + kLanes <= length; k += kLanes) {
        Lanes cells, weights;
        std::memcpy(&cells, x + k, sizeof cells);
        const WideLanes samples = __builtin_convertvector(cells, WideLanes);
        for (int f = 0; f < kCount; ++f) {
            std::memcpy(&weights, filters + f * length + k, sizeof weights);
            wide[f] += samples * __builtin_convertvector(weights, WideLanes);
        }
    }
    for (int f = 0; f < kCount; ++f) {
        double sum = sumOf(wide[f]);
        for (std::int64_t i = k; i < length; ++i)
            sum += static_cast<double>(x[i]) * static_cast<double>(filters[f * length + i]);
        sums[f] = static_cast<float>(sum);
    }
}

using Products = void (*)(const float* x, const float* filters, std::int64_t length, float* sums);

template <int kCount>
void plainProducts(const float* x, const float* filters, std::int64_t length, float* sums) {
    products<kCount>(x, filters, length, sums);
}

#if defined(__x86_64__)
/// The same operations in wider registers.
template <int kCount>
__attribute__((target("avx"))) void wideProducts(const float* x, const float* filters, std::int64_t length,
                                                 float* sums) {
    products<kCount>(x, filters, length, sums);
}
#endif

/// For one filter, and for kFilters.
struct MachineProducts {
    Products one, several;
};

MachineProducts productsOfThisMachine() {
#if defined(__x86_64__)
    static const bool kHasWide = __builtin_cpu_supports("avx") != 0;
    if (kHasWide) return {&wideProducts<1>, &wideProducts<kFilters>};
#endif
    return {&plainProducts<1>, &plainProducts<kFilters>};
}

struct RowFilterSizes {
    std::int64_t batch = 0, rows = 0;        ///< rows of each example
    std::int64_t width = 0, length = 0;      ///< of a row, of a filter
    std::int64_t filters = 0, positions = 0; ///< of a filter in a row
    std::int64_t stride = 1;
    bool hasBias = false;
};

class RowFilterKernel : public CpuKernel {
  public:
    explicit RowFilterKernel(const RowFilterSizes& sizes) : m_sizes(sizes) {}

    void run(const StepMemory& memory) override {
        const RowFilterSizes& s = m_sizes;
        const float *x = memory.floats(0), *filters = memory.floats(1);
        const float* bias = s.hasBias ? memory.floats(2) : nullptr;
        float* y = memory.result();
        const std::int64_t perExample = s.rows * s.positions;
        constexpr std::int64_t kGrain = 1 << 16; // products
        const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (s.filters * s.length));
        memory.threads.forRange(s.batch * perExample, grain, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t at = from; at < to; ++at) {
                const std::int64_t row = at / s.positions, position = at % s.positions;
                const float* window = x + row * s.width + position * s.stride;
                float* results = y + at / perExample * s.filters * perExample + at % perExample;
                filterAt(window, filters, bias, results, perExample);
            }
        });
    }

  private:
    void filterAt(const float* window, const float* filters, const float* bias, float* results,
                  std::int64_t step) const {
        float sums[kFilters];
        for (std::int64_t f = 0; f < m_sizes.filters;) {
            const bool isOne = m_sizes.filters - f < kFilters;
            (isOne ? m_products.one : m_products.several)(window, filters + f * m_sizes.length,
                                                          m_sizes.length, sums);
            const std::int64_t count = isOne ? 1 : kFilters;
            for (std::int64_t i = 0; i < count; ++i)
                results[(f + i) * step] = sums[i] + (bias == nullptr ? 0 : bias[f + i]);
            f += count;
        }
    }

    RowFilterSizes m_sizes;
    MachineProducts m_products = productsOfThisMachine();
};

} // namespace

std::optional<PreparedStep> rowFilter(const NodeFacts& facts) {
    constexpr std::int64_t kLong = 64;
    const Shape &x = facts.inputs[0].shape, &w = facts.inputs[1].shape, &y = facts.outputs[0].shape;
    if (x.size() < 3 || w.size() != x.size() || y.size() != x.size() || x[1] != 1 || w[1] != 1 ||
        w.back() < kLong || facts.call.integer("group", 1) != 1)
        return std::nullopt;
    if (std::any_of(w.begin() + 2, w.end() - 1, [](std::int64_t dim) { return dim != 1; }))
        return std::nullopt;
    const auto window = windowOf(facts.call, x, Shape(w.begin() + 2, w.end()));
    if (!window || window->dilations.back() != 1) return std::nullopt;
    const auto isAny = [](const Shape& numbers, std::int64_t plain, std::size_t count) {
        return std::any_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](std::int64_t n) { return n != plain; });
    };
    const std::size_t spatial = x.size() - 2;
    if (isAny(window->before, 0, spatial) || isAny(window->behind, 0, spatial) ||
        isAny(window->strides, 1, spatial - 1))
        return std::nullopt;
    RowFilterSizes sizes;
    sizes.batch = x[0];
    sizes.rows = 1;
    for (std::size_t d = 2; d + 1 < x.size(); ++d)
        sizes.rows *= x[d];
    sizes.width = x.back();
    sizes.length = w.back();
    sizes.filters = w[0];
    sizes.positions = y.back();
    sizes.stride = window->strides.back();
    sizes.hasBias = facts.has(2);
    // Where there is nothing to compute there is nothing to share out either.
    if (std::min({sizes.batch, sizes.rows, sizes.filters, sizes.positions}) < 1) return std::nullopt;
    if (y[0] != x[0] || y[1] != w[0] || window->output.back() != y.back()) return std::nullopt;
    return ownStep(facts, std::make_unique<RowFilterKernel>(sizes));
}

} // namespace secateur
