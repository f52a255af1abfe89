// SPDX-License-Identifier: Apache-2.0
#include "core/exec/resampling.h"

#include "core/exec/cells.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace secateur {
namespace {

enum class Coordinates : std::uint8_t {
    halfPixel,
    halfPixelSymmetric,
    pytorchHalfPixel,
    alignCorners,
    asymmetric,
    cropAndResize
};
enum class Interpolation : std::uint8_t { nearest, linear, cubic };
enum class Nearest : std::uint8_t { roundPreferFloor, roundPreferCeil, floor, ceil };

/// What the attributes say.
struct Rules {
    Coordinates coordinates = Coordinates::halfPixel;
    Interpolation interpolation = Interpolation::nearest;
    Nearest nearest = Nearest::roundPreferFloor;
    double cubicA = -0.75;
    bool excludesOutside = false, antialiases = false;
};

/// One axis: sizes, scale, and the part that is kept (0 to 1 of the input).
struct AxisSizes {
    std::int64_t in = 0, out = 0;
    double scale = 1, start = 0, end = 1;
    double length = 0; ///< of the result before it is cut to whole elements
};

template <typename T>
std::optional<T> named(std::string_view name, std::initializer_list<std::pair<std::string_view, T>> known) {
    for (const auto& [text, value] : known) {
        if (text == name) return value;
    }
    return std::nullopt;
}

Result<Rules> rulesOf(const KernelCall& call) {
    Rules rules;
    // Upsample and opset 10 place the result's corner on the input's; they have no attribute for it.
    constexpr std::int64_t kHasCoordinates = 11;
    const bool isOld = call.opset < kHasCoordinates && call.model->isDefaultDomain(call.node);
    const std::string_view coordinates =
        call.text("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
    const auto foundCoordinates =
        named<Coordinates>(coordinates, {{"half_pixel", Coordinates::halfPixel},
                                         {"half_pixel_symmetric", Coordinates::halfPixelSymmetric},
                                         {"pytorch_half_pixel", Coordinates::pytorchHalfPixel},
                                         {"align_corners", Coordinates::alignCorners},
                                         {"asymmetric", Coordinates::asymmetric},
                                         {"tf_crop_and_resize", Coordinates::cropAndResize}});
    if (!foundCoordinates)
        return call.fail("exec.bad-attribute", {"coordinate_transformation_mode", std::string(coordinates)});
    const std::string_view mode = call.text("mode", "nearest");
    const auto foundMode = named<Interpolation>(mode, {{"nearest", Interpolation::nearest},
                                                       {"linear", Interpolation::linear},
                                                       {"bilinear", Interpolation::linear},
                                                       {"cubic", Interpolation::cubic}});
    if (!foundMode) return call.fail("exec.bad-attribute", {"mode", std::string(mode)});
    const std::string_view nearest = call.text("nearest_mode", isOld ? "floor" : "round_prefer_floor");
    const auto foundNearest = named<Nearest>(nearest, {{"round_prefer_floor", Nearest::roundPreferFloor},
                                                       {"round_prefer_ceil", Nearest::roundPreferCeil},
                                                       {"floor", Nearest::floor},
                                                       {"ceil", Nearest::ceil}});
    if (!foundNearest) return call.fail("exec.bad-attribute", {"nearest_mode", std::string(nearest)});
    rules.coordinates = *foundCoordinates;
    rules.interpolation = *foundMode;
    rules.nearest = *foundNearest;
    rules.cubicA = static_cast<double>(call.real("cubic_coeff_a", -0.75F));
    rules.excludesOutside = call.integer("exclude_outside", 0) != 0;
    rules.antialiases = call.integer("antialias", 0) != 0;
    return rules;
}

/// Where position `at` of the result lies on the input axis.
double sourceOf(Coordinates coordinates, const AxisSizes& axis, std::int64_t at) {
    const auto x = static_cast<double>(at), in = static_cast<double>(axis.in), out = axis.length;
    switch (coordinates) {
    case Coordinates::halfPixel: return (x + 0.5) / axis.scale - 0.5;
    case Coordinates::halfPixelSymmetric: {
        const double adjustment = static_cast<double>(axis.out) / (axis.scale * in);
        return in / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
    }
    case Coordinates::pytorchHalfPixel: return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
    case Coordinates::alignCorners: return axis.out > 1 ? x * (in - 1) / (out - 1) : 0;
    case Coordinates::asymmetric: return x / axis.scale;
    case Coordinates::cropAndResize:
        return axis.out > 1 ? axis.start * (in - 1) + x * (axis.end - axis.start) * (in - 1) / (out - 1)
                            : 0.5 * (axis.start + axis.end) * (in - 1);
    }
    return x;
}

double nearestOf(Nearest nearest, double x) {
    switch (nearest) {
    case Nearest::roundPreferFloor: return std::ceil(x - 0.5);
    case Nearest::roundPreferCeil: return std::floor(x + 0.5);
    case Nearest::floor: return std::floor(x);
    case Nearest::ceil: return std::ceil(x);
    }
    return x;
}

/// Keys' cubic convolution kernel.
double cubicKernel(double x, double a) {
    x = std::fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    return 0;
}

/// The elements around `x` with their weights; a filter that antialiases is stretched by the reduction.
std::vector<Tap> tapsAt(const Rules& rules, const AxisSizes& axis, double x) {
    const auto clampIndex = [&](double at) {
        return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(axis.in - 1)));
    };
    if (rules.interpolation == Interpolation::nearest) return {{clampIndex(nearestOf(rules.nearest, x)), 1}};
    const double reach = rules.interpolation == Interpolation::linear ? 1 : 2;
    const double scale = rules.antialiases ? std::min(axis.scale, 1.0) : 1;
    const double base = std::ceil(x) - 1; // the element before x
    const double first = std::floor(-reach / scale) + 1;
    const auto count = static_cast<int>(2 - 2 * first);
    std::vector<Tap> taps;
    double total = 0;
    for (int k = 0; k < count; ++k) {
        const double at = base + first + k;
        const double distance = (at - x) * scale;
        double weight = rules.interpolation == Interpolation::linear ? std::max(1 - std::fabs(distance), 0.0)
                                                                     : cubicKernel(distance, rules.cubicA);
        const bool isOutside = at < 0 || at > static_cast<double>(axis.in - 1);
        if (rules.excludesOutside && isOutside) weight = 0;
        if (weight == 0) continue;
        taps.push_back({clampIndex(at), weight});
        total += weight;
    }
    const bool normalizes = rules.excludesOutside || rules.antialiases;
    for (Tap& tap : taps) {
        if (normalizes && total != 0) tap.weight /= total;
    }
    return taps;
}

ResampledAxis resampled(const Rules& rules, const AxisSizes& axis) {
    ResampledAxis made;
    for (std::int64_t at = 0; at < axis.out; ++at) {
        const double x = sourceOf(rules.coordinates, axis, at);
        made.taps.push_back(tapsAt(rules, axis, x));
        made.isOutside.push_back(rules.coordinates == Coordinates::cropAndResize &&
                                 (x < 0 || x > static_cast<double>(axis.in - 1)));
    }
    return made;
}

/// The scales of the axes, from the attribute (Upsample 7) or an input; none where neither is given.
Result<std::optional<std::vector<double>>> scalesOf(const KernelCall& call, std::size_t slot) {
    using Answer = std::optional<std::vector<double>>;
    if (const auto* given = call.reals("scales")) return Answer(std::in_place, given->begin(), given->end());
    if (slot == SIZE_MAX) return Answer();
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr || given->count() == 0) return Answer();
    if (!isFloating(given->type())) return call.noCodeFor(given->type());
    return Answer(readAll<double>(*given));
}

/// Sizes under a policy that keeps the ratio of the sides: one scale for all axes.
void keepRatio(const KernelCall& call, std::vector<AxisSizes>& axes, const std::vector<std::size_t>& chosen) {
    const std::string_view policy = call.text("keep_aspect_ratio_policy", "stretch");
    if (policy != "not_larger" && policy != "not_smaller") return;
    double scale = policy == "not_larger" ? INFINITY : 0;
    for (const std::size_t d : chosen)
        scale = policy == "not_larger" ? std::min(scale, axes[d].scale) : std::max(scale, axes[d].scale);
    for (const std::size_t d : chosen) {
        axes[d].scale = scale;
        axes[d].out = static_cast<std::int64_t>(std::floor(scale * static_cast<double>(axes[d].in) + 0.5));
    }
}

/// The tables are counted before they are made, and a result that cannot be is refused without them.
Result<std::shared_ptr<void>> chargeTables(const KernelCall& call, const Rules& rules,
                                           const std::vector<AxisSizes>& axes) {
    Shape shape;
    for (const AxisSizes& axis : axes)
        shape.push_back(axis.out);
    const auto count = elementCountOf(shape);
    if (!count) return call.fail("exec.bad-shape", {shapeText(shape)});
    TRY(call.pool->charge(*count));
    // A list for each position, and its elements: one, two or four, more where a filter is stretched.
    constexpr double kList = sizeof(std::vector<Tap>) + 32, kMost = 0x1p62;
    const double taps = rules.interpolation == Interpolation::nearest  ? 1
                        : rules.interpolation == Interpolation::linear ? 2
                                                                       : 4;
    double bytes = 0;
    for (const AxisSizes& axis : axes) {
        const double stretch = rules.antialiases ? std::max(1.0, 1 / axis.scale) : 1;
        bytes += static_cast<double>(axis.out) * (kList + sizeof(Tap) * taps * stretch);
    }
    return call.pool->charge(static_cast<std::uint64_t>(std::min(bytes, kMost)));
}

} // namespace

Result<Resampling> resamplingOf(const KernelCall& call, const Shape& shape, std::size_t roiSlot,
                                std::size_t scaleSlot, std::size_t sizeSlot) {
    const Rules rules = TRY(rulesOf(call));
    std::vector<std::size_t> chosen(shape.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (const auto* given = call.integers("axes")) {
        chosen.clear();
        for (const std::int64_t axis : *given)
            chosen.push_back(TRY(axisOf(call, axis, shape.size())));
    }
    std::vector<AxisSizes> axes;
    for (const std::int64_t dim : shape)
        axes.push_back({dim, dim, 1, 0, 1, static_cast<double>(dim)});
    const auto scales = TRY(scalesOf(call, scaleSlot));
    const auto sizes = sizeSlot == SIZE_MAX ? std::nullopt : TRY(call.integersIn(sizeSlot));
    const bool bySize = sizes && !sizes->empty();
    if ((bySize ? sizes->size() : scales ? scales->size() : 0) != chosen.size())
        return call.fail("exec.bad-resize", {shapeText(shape)});
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        AxisSizes& axis = axes[chosen[k]];
        if (bySize) {
            axis.out = (*sizes)[k];
            axis.scale = axis.in == 0 ? 1 : static_cast<double>(axis.out) / static_cast<double>(axis.in);
        } else {
            axis.scale = (*scales)[k];
            constexpr double kMost = 0x1p53;
            const double out = std::floor(static_cast<double>(axis.in) * axis.scale);
            if (!(out >= 0 && out <= kMost)) return call.fail("exec.bad-resize", {shapeText(shape)});
            axis.out = static_cast<std::int64_t>(out);
        }
        if (!(axis.scale > 0) || axis.out < 0) return call.fail("exec.bad-resize", {shapeText(shape)});
    }
    if (bySize) keepRatio(call, axes, chosen);
    if (roiSlot != SIZE_MAX && rules.coordinates == Coordinates::cropAndResize) {
        const TensorData* roi = TRY(call.tensor(roiSlot));
        const auto bounds = readAll<double>(*roi);
        if (bounds.size() != 2 * chosen.size()) return call.fail("exec.bad-resize", {shapeText(shape)});
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            axes[chosen[k]].start = bounds[k];
            axes[chosen[k]].end = bounds[chosen.size() + k];
        }
    }
    for (AxisSizes& axis : axes)
        axis.length = bySize ? static_cast<double>(axis.out) : static_cast<double>(axis.in) * axis.scale;
    Resampling made;
    made.charged = TRY(chargeTables(call, rules, axes));
    made.extrapolation = static_cast<double>(call.real("extrapolation_value", 0));
    for (std::size_t d = 0; d < axes.size(); ++d) {
        made.shape.push_back(axes[d].out);
        const bool isSame = std::find(chosen.begin(), chosen.end(), d) == chosen.end();
        made.axes.push_back(
            isSame ? resampled({Coordinates::asymmetric, Interpolation::nearest, Nearest::floor}, axes[d])
                   : resampled(rules, axes[d]));
    }
    return made;
}

} // namespace secateur
