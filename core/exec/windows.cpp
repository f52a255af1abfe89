// SPDX-License-Identifier: Apache-2.0
#include "core/exec/windows.h"

#include "core/exec/broadcast.h"

#include <algorithm>

namespace secateur {
namespace {

std::size_t productOf(const Shape& shape) {
    std::size_t product = 1;
    for (const std::int64_t dim : shape)
        product *= static_cast<std::size_t>(dim);
    return product;
}

Result<Shape> listOf(const KernelCall& call, std::string_view name, std::size_t count,
                     std::int64_t otherwise) {
    const auto* given = call.integers(name);
    if (given == nullptr || given->empty()) return Shape(count, otherwise);
    if (given->size() != count) return call.fail("exec.bad-window", {std::string(name), shapeText(*given)});
    return *given;
}

/// How far a dilated kernel reaches.
std::int64_t reachOf(const Window& window, std::size_t d) {
    return (window.kernel[d] - 1) * window.dilations[d] + 1;
}

/// auto_pad SAME_*: as many results as ceil(input / stride); the odd one goes behind (UPPER) or before
/// (LOWER).
void padToSame(Window& window, bool isLower) {
    for (std::size_t d = 0; d < window.rank(); ++d) {
        const std::int64_t out = (window.input[d] + window.strides[d] - 1) / window.strides[d];
        const std::int64_t total =
            std::max<std::int64_t>((out - 1) * window.strides[d] + reachOf(window, d) - window.input[d], 0);
        window.before[d] = isLower ? (total + 1) / 2 : total / 2;
        window.behind[d] = total - window.before[d];
        window.output.push_back(out);
    }
}

void sizeOutputs(Window& window, bool isCeil) {
    for (std::size_t d = 0; d < window.rank(); ++d) {
        const std::int64_t span = window.input[d] + window.before[d] + window.behind[d] - reachOf(window, d);
        const std::int64_t stride = window.strides[d];
        std::int64_t out = span < 0 ? 0 : (isCeil ? (span + stride - 1) / stride : span / stride) + 1;
        // A window that begins behind the input and its padding before is left out.
        if (isCeil && out > 0 && (out - 1) * stride >= window.input[d] + window.before[d]) --out;
        window.output.push_back(out);
    }
}

} // namespace

std::size_t Window::kernelCount() const {
    return productOf(kernel);
}
std::size_t Window::outputCount() const {
    return productOf(output);
}
std::size_t Window::inputCount() const {
    return productOf(input);
}

void Window::placesAt(std::size_t at, std::vector<std::int64_t>& places) const {
    const Shape outStrides = stridesOf(output), inStrides = stridesOf(input),
                kernelStrides = stridesOf(kernel);
    places.assign(kernelCount(), 0);
    for (std::size_t k = 0; k < places.size(); ++k) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < rank() && place >= 0; ++d) {
            const std::int64_t position = static_cast<std::int64_t>(at) / outStrides[d] % output[d];
            const std::int64_t tap = static_cast<std::int64_t>(k) / kernelStrides[d] % kernel[d];
            const std::int64_t from = position * strides[d] - before[d] + tap * dilations[d];
            place = from < 0 || from >= input[d] ? -1 : place + from * inStrides[d];
        }
        places[k] = place;
    }
}

std::size_t Window::countWithPadding(std::size_t at) const {
    const Shape outStrides = stridesOf(output);
    std::size_t count = 1;
    for (std::size_t d = 0; d < rank(); ++d) {
        const std::int64_t position = static_cast<std::int64_t>(at) / outStrides[d] % output[d];
        const std::int64_t start = position * strides[d] - before[d];
        std::size_t inside = 0;
        for (std::int64_t tap = 0; tap < kernel[d]; ++tap) {
            if (start + tap * dilations[d] < input[d] + behind[d]) ++inside;
        }
        count *= inside;
    }
    return count;
}

Result<Window> windowOf(const KernelCall& call, const Shape& shape, Shape kernel) {
    if (shape.size() < 2) return call.fail("exec.bad-rank", {"3", shapeText(shape)});
    Window window;
    window.input.assign(shape.begin() + 2, shape.end());
    const std::size_t rank = window.rank();
    if (kernel.empty()) {
        const auto* given = call.integers("kernel_shape");
        if (given != nullptr) kernel = *given;
    }
    window.kernel = std::move(kernel);
    window.strides = TRY(listOf(call, "strides", rank, 1));
    window.dilations = TRY(listOf(call, "dilations", rank, 1));
    const Shape pads = TRY(listOf(call, "pads", 2 * rank, 0));
    const auto isBelowOne = [](std::int64_t n) { return n < 1; };
    if (window.kernel.size() != rank || std::any_of(window.kernel.begin(), window.kernel.end(), isBelowOne) ||
        std::any_of(window.strides.begin(), window.strides.end(), isBelowOne) ||
        std::any_of(window.dilations.begin(), window.dilations.end(), isBelowOne))
        return call.fail("exec.bad-window", {"kernel_shape", shapeText(window.kernel)});
    window.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    window.behind.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
    const std::string_view mode = call.text("auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        padToSame(window, mode == "SAME_LOWER");
        return window;
    }
    if (mode == "VALID") {
        window.before.assign(rank, 0);
        window.behind.assign(rank, 0);
    } else if (mode != "NOTSET" && !mode.empty()) {
        return call.fail("exec.bad-attribute", {"auto_pad", std::string(mode)});
    }
    sizeOutputs(window, call.integer("ceil_mode", 0) != 0);
    return window;
}

} // namespace secateur
