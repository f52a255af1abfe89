// SPDX-License-Identifier: Apache-2.0
//
// ONNX GridSample (16, 20): reads an image at the positions that a grid names, over any number of spatial
// dimensions. Positions and sums in double.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {
namespace {

enum class Sampling : std::uint8_t { nearest, linear, cubic };
enum class Outside : std::uint8_t { zeros, border, reflection };

struct GridRules {
    Sampling sampling = Sampling::linear;
    Outside outside = Outside::zeros;
    bool alignsCorners = false;
};

Result<GridRules> rulesOf(const KernelCall& call) {
    GridRules rules;
    const std::string_view mode = call.text("mode", "linear");
    if (mode == "nearest")
        rules.sampling = Sampling::nearest;
    else if (mode == "cubic" || mode == "bicubic")
        rules.sampling = Sampling::cubic;
    else if (mode != "linear" && mode != "bilinear")
        return call.fail("exec.bad-attribute", {"mode", std::string(mode)});
    const std::string_view padding = call.text("padding_mode", "zeros");
    if (padding == "border")
        rules.outside = Outside::border;
    else if (padding == "reflection")
        rules.outside = Outside::reflection;
    else if (padding != "zeros")
        return call.fail("exec.bad-attribute", {"padding_mode", std::string(padding)});
    rules.alignsCorners = call.integer("align_corners", 0) != 0;
    return rules;
}

/// Mirrors `at` at both ends until it lies between them.
double reflected(double at, double low, double high) {
    const double length = high - low;
    if (!(length > 0)) return low;
    double beyond = std::fmod(std::fabs(at - low), 2 * length);
    if (beyond > length) beyond = 2 * length - beyond;
    return low + beyond;
}

/// One spatial axis of the image.
class GridAxis {
  public:
    GridAxis(const GridRules& rules, std::int64_t length)
        : m_rules(rules), m_last(static_cast<double>(length - 1)), m_low(rules.alignsCorners ? 0 : -0.5),
          m_high(rules.alignsCorners ? m_last : m_last + 0.5) {}

    /// Where a coordinate of the grid, -1 to 1 over the image, lies in elements.
    [[nodiscard]] double positionOf(double coordinate) const {
        const double at =
            m_rules.alignsCorners ? (coordinate + 1) / 2 * m_last : ((coordinate + 1) * (m_last + 1) - 1) / 2;
        // What is no number, or lies beyond all images, is outside of this one.
        if (!std::isfinite(at)) return m_rules.outside == Outside::zeros || at < 0 ? kFarBefore : m_last;
        return std::clamp(at, kFarBefore, -kFarBefore);
    }
    /// The element that stands for position `at` (a whole number); -1: none, it counts as 0.
    [[nodiscard]] std::int64_t elementAt(double at) const {
        if (at >= 0 && at <= m_last) return static_cast<std::int64_t>(at);
        if (m_rules.outside == Outside::zeros) return -1;
        const double inside = m_rules.outside == Outside::border ? at : reflected(at, m_low, m_high);
        return static_cast<std::int64_t>(std::clamp(std::nearbyint(inside), 0.0, m_last));
    }
    /// A position outside the image moved into it, as the padding says; zeros leave it where it is.
    [[nodiscard]] double inside(double at) const {
        if (at >= m_low && at <= m_high) return at;
        if (m_rules.outside == Outside::border) return std::clamp(at, 0.0, m_last);
        return m_rules.outside == Outside::reflection ? reflected(at, m_low, m_high) : at;
    }

  private:
    static constexpr double kFarBefore = -1e15; ///< whole numbers of this size are exact
    const GridRules& m_rules;
    double m_last, m_low, m_high;
};

/// The elements around one position along one axis, with their weights.
struct GridTaps {
    std::array<std::int64_t, 4> element{};
    std::array<double, 4> weight{};
    std::size_t count = 0;

    void add(std::int64_t at, double share) {
        element[count] = at;
        weight[count] = share;
        ++count;
    }
};

/// Keys' cubic convolution with a = -0.75 (IEEE ASSP 29, 1981).
double cubicWeight(double distance) {
    constexpr double kA = -0.75;
    const double x = std::fabs(distance);
    if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
    return x < 2 ? ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA : 0;
}

GridTaps tapsAt(const GridRules& rules, const GridAxis& axis, double at) {
    GridTaps taps;
    if (rules.sampling == Sampling::nearest) {
        taps.add(axis.elementAt(axis.inside(std::nearbyint(at))), 1);
        return taps;
    }
    if (rules.sampling == Sampling::linear) {
        const double position = axis.inside(at), base = std::floor(position);
        taps.add(axis.elementAt(base), 1 - (position - base));
        taps.add(axis.elementAt(base + 1), position - base);
        return taps;
    }
    const double base = std::floor(at);
    for (int k = -1; k <= 2; ++k)
        taps.add(axis.elementAt(base + k), cubicWeight(at - (base + k)));
    return taps;
}

/// What one output position takes: offsets into one channel of the image, with weights.
struct Sample {
    std::vector<std::int64_t> offset;
    std::vector<double> weight;

    /// Combines the taps of all axes; one that lies outside in any axis counts nothing.
    void combine(const std::vector<GridTaps>& axes, const Shape& strides) {
        offset.assign(1, 0);
        weight.assign(1, 1);
        for (std::size_t d = 0; d < axes.size(); ++d) {
            const std::size_t before = offset.size();
            std::vector<std::int64_t> wider;
            std::vector<double> widerWeight;
            for (std::size_t i = 0; i < before; ++i) {
                for (std::size_t k = 0; k < axes[d].count; ++k) {
                    if (axes[d].element[k] < 0) continue;
                    wider.push_back(offset[i] + axes[d].element[k] * strides[d]);
                    widerWeight.push_back(weight[i] * axes[d].weight[k]);
                }
            }
            offset = std::move(wider);
            weight = std::move(widerWeight);
        }
    }
};

/// Sizes of one call: N x C x D1.. and a grid of N x O1.. x rank.
struct GridSizes {
    std::size_t batch = 0, channels = 0, outputs = 1, inputs = 1;
    Shape image, result;
};

Result<GridSizes> sizesOf(const KernelCall& call, const Shape& x, const Shape& grid) {
    GridSizes sizes;
    constexpr std::size_t kMostRank =
        7; // five spatial dimensions: each multiplies what one element takes by 4
    const bool fits = x.size() >= 3 && x.size() <= kMostRank && grid.size() == x.size() && grid[0] == x[0] &&
                      grid.back() == static_cast<std::int64_t>(x.size() - 2);
    if (!fits) return call.fail("exec.shapes-differ", {shapeText(x), shapeText(grid)});
    sizes.batch = static_cast<std::size_t>(x[0]);
    sizes.channels = static_cast<std::size_t>(x[1]);
    sizes.image.assign(x.begin() + 2, x.end());
    sizes.result = {x[0], x[1]};
    sizes.result.insert(sizes.result.end(), grid.begin() + 1, grid.end() - 1);
    for (std::size_t d = 2; d < x.size(); ++d) {
        sizes.inputs *= static_cast<std::size_t>(x[d]);
        sizes.outputs *= static_cast<std::size_t>(sizes.result[d]);
    }
    return sizes;
}

/// Calls visit(channel, output, sample) for every element of batch entry `n`.
template <typename Visit>
void forEachSample(const GridRules& rules, const GridSizes& sizes, const std::vector<double>& grid,
                   std::size_t n, Visit visit) {
    const std::size_t rank = sizes.image.size();
    const Shape strides = stridesOf(sizes.image);
    std::vector<GridAxis> axes;
    for (const std::int64_t dim : sizes.image)
        axes.emplace_back(rules, dim);
    std::vector<GridTaps> taps(rank);
    Sample sample;
    for (std::size_t o = 0; o < sizes.outputs; ++o) {
        const double* at = grid.data() + (n * sizes.outputs + o) * rank;
        // The grid names the last axis first: x, then y, then z.
        for (std::size_t d = 0; d < rank; ++d)
            taps[d] = tapsAt(rules, axes[d], axes[d].positionOf(at[rank - 1 - d]));
        sample.combine(taps, strides);
        for (std::size_t c = 0; c < sizes.channels; ++c)
            visit(c, o, static_cast<const Sample&>(sample));
    }
}

template <typename C>
void sampleAll(const GridRules& rules, const GridSizes& sizes, const TensorData& x,
               const std::vector<double>& grid, TensorData& y) {
    const auto image = readAll<C>(x);
    std::vector<C> made(static_cast<std::size_t>(y.count()));
    for (std::size_t n = 0; n < sizes.batch; ++n) {
        forEachSample(rules, sizes, grid, n, [&](std::size_t c, std::size_t o, const Sample& sample) {
            const C* channel = image.data() + (n * sizes.channels + c) * sizes.inputs;
            C& result = made[(n * sizes.channels + c) * sizes.outputs + o];
            if (rules.sampling == Sampling::nearest) {
                if (!sample.offset.empty()) result = channel[sample.offset.front()];
                return;
            }
            double sum = 0;
            for (std::size_t i = 0; i < sample.offset.size(); ++i)
                sum += sample.weight[i] * static_cast<double>(channel[sample.offset[i]]);
            result = static_cast<C>(sum);
        });
    }
    writeAll(y, made);
}

/// ONNX GridSample 16 (2 dimensions), 20 (any number). Integers only where the nearest element is taken.
Result<void> runGridSample(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* grid = TRY(call.tensor(1));
    const GridRules rules = TRY(rulesOf(call));
    const GridSizes sizes = TRY(sizesOf(call, x->shape(), grid->shape()));
    if (!isFloating(grid->type())) return call.noCodeFor(grid->type());
    if (!isFloating(x->type()) && rules.sampling != Sampling::nearest) return call.noCodeFor(x->type());
    TensorData y = TRY(call.make(x->type(), sizes.result));
    if (y.count() != 0 && sizes.inputs == 0)
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(grid->shape())});
    TRY(withComputeType(
        x->type(),
        [&]<typename C>(C) -> Result<void> {
            sampleAll<C>(rules, sizes, *x, readAll<double>(*grid), y);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kGridSample[] = {{"", "GridSample", 16, &runGridSample}};

} // namespace

std::span<const KernelEntry> gridSampleKernels() {
    return kGridSample;
}

} // namespace secateur
