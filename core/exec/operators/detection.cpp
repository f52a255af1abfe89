// SPDX-License-Identifier: Apache-2.0
//
// ONNX NonMaxSuppression, RoiAlign, MaxRoiPool, AffineGrid, Col2Im.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"
#include "core/exec/windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

/// A box by its corners, whichever way the file gives them.
struct Box {
    double y1 = 0, x1 = 0, y2 = 0, x2 = 0;

    Box(const float* given, bool isCentered) {
        const auto at = [&](int i) { return static_cast<double>(given[i]); };
        if (isCentered) {
            x1 = at(0) - at(2) / 2;
            x2 = at(0) + at(2) / 2;
            y1 = at(1) - at(3) / 2;
            y2 = at(1) + at(3) / 2;
        } else {
            y1 = std::min(at(0), at(2));
            y2 = std::max(at(0), at(2));
            x1 = std::min(at(1), at(3));
            x2 = std::max(at(1), at(3));
        }
    }
    [[nodiscard]] double area() const { return (y2 - y1) * (x2 - x1); }
};

/// Intersection over union; 0 for boxes without area.
double overlapOf(const Box& a, const Box& b) {
    const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1),
                 width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
    if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
    return height * width / (a.area() + b.area() - height * width);
}

Result<float> floatIn(const KernelCall& call, std::size_t slot, float otherwise) {
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr || given->count() == 0) return otherwise;
    if (given->type() != ElementType::float32) return call.noCodeFor(given->type());
    return given->as<float>()[0];
}

Result<void> runNonMaxSuppression(const KernelCall& call) {
    const TensorData* boxes = TRY(call.tensor(0));
    const TensorData* scores = TRY(call.tensor(1));
    if (boxes->type() != ElementType::float32 || scores->type() != ElementType::float32)
        return call.noCodeFor(boxes->type());
    if (boxes->rank() != 3 || scores->rank() != 3 || boxes->shape()[2] != 4 ||
        scores->shape()[0] != boxes->shape()[0] || scores->shape()[2] != boxes->shape()[1])
        return call.fail("exec.shapes-differ", {shapeText(boxes->shape()), shapeText(scores->shape())});
    std::int64_t most = 0;
    if (const auto given = TRY(call.integersIn(2)); given && !given->empty()) most = given->front();
    const float overlap = TRY(floatIn(call, 3, 0)),
                lowest = TRY(floatIn(call, 4, -std::numeric_limits<float>::infinity()));
    const bool isCentered = call.integer("center_point_box", 0) != 0;
    const auto batches = static_cast<std::size_t>(boxes->shape()[0]),
               count = static_cast<std::size_t>(boxes->shape()[1]);
    const auto classes = static_cast<std::size_t>(scores->shape()[1]);
    std::vector<std::int64_t> chosen;
    for (std::size_t n = 0; n < batches; ++n) {
        for (std::size_t c = 0; c < classes; ++c) {
            const float* score = scores->as<float>().data() + (n * classes + c) * count;
            std::vector<std::size_t> order;
            for (std::size_t i = 0; i < count; ++i) {
                if (score[i] > lowest) order.push_back(i);
            }
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
            std::vector<Box> kept;
            for (const std::size_t i : order) {
                if (static_cast<std::int64_t>(kept.size()) >= most) break;
                const Box box(boxes->as<float>().data() + (n * count + i) * 4, isCentered);
                const bool isCovered = std::any_of(kept.begin(), kept.end(), [&](const Box& other) {
                    return overlapOf(box, other) > static_cast<double>(overlap);
                });
                if (isCovered) continue;
                kept.push_back(box);
                chosen.insert(chosen.end(), {static_cast<std::int64_t>(n), static_cast<std::int64_t>(c),
                                             static_cast<std::int64_t>(i)});
            }
        }
    }
    TensorData y = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(chosen.size() / 3), 3}));
    std::copy(chosen.begin(), chosen.end(), y.as<std::int64_t>().begin());
    call.setOutput(0, std::move(y));
    return {};
}

/// A plane of numbers that is read between its elements.
struct Plane {
    const double* cells = nullptr;
    std::int64_t height = 0, width = 0;

    [[nodiscard]] double at(std::int64_t y, std::int64_t x) const { return cells[y * width + x]; }
};

/// Bilinear value at (y, x) as RoiAlign takes it: 0 more than one element outside, else clamped. With `isMax`
/// the largest of the four weighted neighbours.
double sampleAligned(const Plane& plane, double y, double x, bool isMax) {
    if (y < -1 || y > static_cast<double>(plane.height) || x < -1 || x > static_cast<double>(plane.width))
        return 0;
    y = std::clamp(y, 0.0, static_cast<double>(plane.height - 1));
    x = std::clamp(x, 0.0, static_cast<double>(plane.width - 1));
    const auto top = static_cast<std::int64_t>(y), left = static_cast<std::int64_t>(x);
    const std::int64_t bottom = std::min(top + 1, plane.height - 1),
                       right = std::min(left + 1, plane.width - 1);
    const double fy = y - static_cast<double>(top), fx = x - static_cast<double>(left);
    const std::array<double, 4> parts{
        (1 - fy) * (1 - fx) * plane.at(top, left), (1 - fy) * fx * plane.at(top, right),
        fy * (1 - fx) * plane.at(bottom, left), fy * fx * plane.at(bottom, right)};
    if (isMax) return *std::max_element(parts.begin(), parts.end());
    return parts[0] + parts[1] + parts[2] + parts[3];
}

Result<void> runRoiAlign(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* rois = TRY(call.tensor(1));
    const auto batches = TRY(call.integersIn(2));
    constexpr std::int64_t kMostSamples = 1 << 15; // each way
    if (call.integer("sampling_ratio", 0) > kMostSamples)
        return call.fail("exec.bad-attribute",
                         {"sampling_ratio", std::to_string(call.integer("sampling_ratio", 0))});
    if (x->rank() != 4 || rois->rank() != 2 || rois->shape()[1] != 4 || !batches ||
        batches->size() != static_cast<std::size_t>(rois->shape()[0]) || !isFloating(x->type()))
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(rois->shape())});
    constexpr std::int64_t kHalfPixelDefault = 16;
    const std::string_view transform =
        call.text("coordinate_transformation_mode",
                  call.opset < kHalfPixelDefault ? "output_half_pixel" : "half_pixel");
    const bool isHalf = transform == "half_pixel", isMax = call.text("mode", "avg") == "max";
    const double shift = isHalf ? 0.5 : 0, scale = static_cast<double>(call.real("spatial_scale", 1));
    const std::int64_t height = call.integer("output_height", 1), width = call.integer("output_width", 1);
    const std::int64_t ratio = call.integer("sampling_ratio", 0), channels = x->shape()[1];
    TensorData y = TRY(call.make(x->type(), {rois->shape()[0], channels, height, width}));
    const auto cells = readAll<double>(*x), corners = readAll<double>(*rois);
    std::vector<double> results;
    for (std::size_t r = 0; r < batches->size(); ++r) {
        const std::int64_t batch = (*batches)[r];
        if (batch < 0 || batch >= x->shape()[0])
            return call.fail("exec.bad-index", {std::to_string(batch), std::to_string(x->shape()[0])});
        const double x1 = corners[4 * r] * scale - shift, y1 = corners[4 * r + 1] * scale - shift;
        double w = corners[4 * r + 2] * scale - shift - x1, h = corners[4 * r + 3] * scale - shift - y1;
        if (!isHalf) {
            w = std::max(w, 1.0);
            h = std::max(h, 1.0);
        }
        const double stepY = h / static_cast<double>(height), stepX = w / static_cast<double>(width);
        const auto samplesY = ratio > 0 ? ratio : static_cast<std::int64_t>(std::ceil(stepY));
        const auto samplesX = ratio > 0 ? ratio : static_cast<std::int64_t>(std::ceil(stepX));
        for (std::int64_t c = 0; c < channels; ++c) {
            const Plane plane{cells.data() + (batch * channels + c) * x->shape()[2] * x->shape()[3],
                              x->shape()[2], x->shape()[3]};
            for (std::int64_t cell = 0; cell < height * width; ++cell) {
                double total = 0, largest = -INFINITY;
                for (std::int64_t s = 0; s < samplesY * samplesX; ++s) {
                    const double sy =
                        y1 + (static_cast<double>(cell / width) +
                              (static_cast<double>(s / samplesX) + 0.5) / static_cast<double>(samplesY)) *
                                 stepY;
                    const double sx =
                        x1 + (static_cast<double>(cell % width) +
                              (static_cast<double>(s % samplesX) + 0.5) / static_cast<double>(samplesX)) *
                                 stepX;
                    const double value = sampleAligned(plane, sy, sx, isMax);
                    total += value;
                    largest = std::max(largest, value);
                }
                const auto count = static_cast<double>(std::max<std::int64_t>(samplesY * samplesX, 1));
                results.push_back(isMax ? largest : total / count);
            }
        }
    }
    writeAll(y, results);
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX MaxRoiPool: boxes in whole elements, the largest of each bin; 0 for empty bins.
Result<void> runMaxRoiPool(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* rois = TRY(call.tensor(1));
    const auto* size = call.integers("pooled_shape");
    if (x->rank() != 4 || rois->rank() != 2 || rois->shape()[1] != 5 || size == nullptr ||
        size->size() != 2 || !isFloating(x->type()))
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(rois->shape())});
    const auto scale = static_cast<double>(call.real("spatial_scale", 1));
    const std::int64_t height = (*size)[0], width = (*size)[1], channels = x->shape()[1];
    TensorData y = TRY(call.make(x->type(), {rois->shape()[0], channels, height, width}));
    const auto cells = readAll<double>(*x), boxes = readAll<double>(*rois);
    std::vector<double> results;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rois->shape()[0]); ++r) {
        const auto batch = static_cast<std::int64_t>(boxes[5 * r]);
        if (batch < 0 || batch >= x->shape()[0])
            return call.fail("exec.bad-index", {std::to_string(batch), std::to_string(x->shape()[0])});
        const auto corner = [&](std::size_t i) { return std::round(boxes[5 * r + i] * scale); };
        const double binH = std::max(corner(4) - corner(2) + 1, 1.0) / static_cast<double>(height);
        const double binW = std::max(corner(3) - corner(1) + 1, 1.0) / static_cast<double>(width);
        const auto bound = [](double at, std::int64_t dim) {
            return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(dim)));
        };
        for (std::int64_t c = 0; c < channels; ++c) {
            const Plane plane{cells.data() + (batch * channels + c) * x->shape()[2] * x->shape()[3],
                              x->shape()[2], x->shape()[3]};
            for (std::int64_t cell = 0; cell < height * width; ++cell) {
                const auto row = static_cast<double>(cell / width),
                           column = static_cast<double>(cell % width);
                const std::int64_t top = bound(std::floor(row * binH) + corner(2), plane.height),
                                   bottom = bound(std::ceil((row + 1) * binH) + corner(2), plane.height);
                const std::int64_t left = bound(std::floor(column * binW) + corner(1), plane.width),
                                   right = bound(std::ceil((column + 1) * binW) + corner(1), plane.width);
                double most = bottom <= top || right <= left ? 0 : -INFINITY;
                for (std::int64_t py = top; py < bottom; ++py) {
                    for (std::int64_t px = left; px < right; ++px)
                        most = std::max(most, plane.at(py, px));
                }
                results.push_back(most);
            }
        }
    }
    writeAll(y, results);
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX Col2Im: blocks are added up where they lie.
Result<void> runColumnsToImage(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto image = TRY(call.integersIn(1)), block = TRY(call.integersIn(2));
    if (!image || !block || image->size() != block->size() || x->rank() != 3 || !isFloating(x->type()))
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), image ? shapeText(*image) : ""});
    const std::size_t rank = image->size();
    const Shape strides = TRY(windowList(call, "strides", rank, 1, 1)),
                dilations = TRY(windowList(call, "dilations", rank, 1, 1)),
                pads = TRY(windowList(call, "pads", 2 * rank, 0, 0));
    constexpr std::int64_t kLargest = INT32_MAX;
    const auto isSize = [](std::int64_t n) { return n >= 1 && n <= kLargest; };
    if (!std::all_of(image->begin(), image->end(), isSize) ||
        !std::all_of(block->begin(), block->end(), isSize) || !elementCountOf(*block) ||
        !elementCountOf(*image))
        return call.fail("exec.shapes-differ", {shapeText(*image), shapeText(*block)});
    std::int64_t taps = 1, places = 1;
    Shape steps;
    for (std::size_t d = 0; d < rank; ++d) {
        taps *= (*block)[d];
        steps.push_back(
            ((*image)[d] + pads[d] + pads[rank + d] - dilations[d] * ((*block)[d] - 1) - 1) / strides[d] + 1);
        if (steps.back() < 0 || __builtin_mul_overflow(places, steps.back(), &places))
            return call.fail("exec.bad-window", {"strides", shapeText(strides)});
    }
    if (taps <= 0 || x->shape()[1] % taps != 0 || x->shape()[2] != places)
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(*block)});
    Shape shape{x->shape()[0], x->shape()[1] / taps};
    shape.insert(shape.end(), image->begin(), image->end());
    TensorData y = TRY(call.make(x->type(), shape));
    const auto cells = readAll<double>(*x);
    std::vector<double> sums(static_cast<std::size_t>(y.count()));
    const auto imageCount = static_cast<std::int64_t>(elementCountOf(*image).value_or(0));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::int64_t rest = static_cast<std::int64_t>(i), place = rest % places, tap = rest / places % taps,
                     to = 0, stride = 1;
        for (std::size_t d = rank; d-- > 0;) {
            const std::int64_t at =
                place % steps[d] * strides[d] - pads[d] + tap % (*block)[d] * dilations[d];
            place /= steps[d];
            tap /= (*block)[d];
            if (at < 0 || at >= (*image)[d]) to = -1;
            if (to >= 0) to += at * stride;
            stride *= (*image)[d];
        }
        if (to >= 0) sums[static_cast<std::size_t>(rest / places / taps * imageCount + to)] += cells[i];
    }
    writeAll(y, sums);
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX AffineGrid: where each element of the result lies, transformed.
Result<void> runAffineGrid(const KernelCall& call) {
    const TensorData* theta = TRY(call.tensor(0));
    const auto size = TRY(call.integersIn(1));
    if (!size || size->size() < 4 || theta->rank() != 3 || !isFloating(theta->type()) ||
        theta->shape() != Shape{(*size)[0], static_cast<std::int64_t>(size->size()) - 2,
                                static_cast<std::int64_t>(size->size()) - 1})
        return call.fail("exec.shapes-differ", {shapeText(theta->shape()), size ? shapeText(*size) : ""});
    const std::size_t rank = size->size() - 2;
    const bool alignsCorners = call.integer("align_corners", 0) != 0;
    const Shape spatial(size->begin() + 2, size->end());
    Shape shape{(*size)[0]};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    shape.push_back(static_cast<std::int64_t>(rank));
    TensorData grid = TRY(call.make(theta->type(), shape));
    const auto matrix = readAll<double>(*theta);
    std::vector<double> results(static_cast<std::size_t>(grid.count()));
    const auto points = static_cast<std::size_t>(elementCountOf(spatial).value_or(0));
    for (std::size_t p = 0; p * rank < results.size(); ++p) {
        // Coordinates run from the last dimension (x) to the first.
        std::vector<double> point(rank + 1, 1.0);
        auto rest = static_cast<std::int64_t>(p % points);
        for (std::size_t d = rank; d-- > 0;) {
            const std::int64_t dim = spatial[d], at = rest % dim;
            rest /= dim;
            point[rank - 1 - d] =
                alignsCorners
                    ? (dim > 1 ? 2.0 * static_cast<double>(at) / static_cast<double>(dim - 1) - 1 : 0)
                    : (2.0 * static_cast<double>(at) + 1) / static_cast<double>(dim) - 1;
        }
        const std::size_t base = p / points * rank * (rank + 1);
        for (std::size_t row = 0; row < rank; ++row) {
            for (std::size_t k = 0; k <= rank; ++k)
                results[p * rank + row] += matrix[base + row * (rank + 1) + k] * point[k];
        }
    }
    writeAll(grid, results);
    call.setOutput(0, std::move(grid));
    return {};
}

constexpr KernelEntry kDetection[] = {
    {"", "AffineGrid", 20, &runAffineGrid}, {"", "Col2Im", 18, &runColumnsToImage},
    {"", "MaxRoiPool", 1, &runMaxRoiPool},  {"", "NonMaxSuppression", 10, &runNonMaxSuppression},
    {"", "RoiAlign", 10, &runRoiAlign},
};

} // namespace

std::span<const KernelEntry> detectionKernels() {
    return kDetection;
}

} // namespace secateur
