// SPDX-License-Identifier: Apache-2.0
#include "core/exec/windows.h"

#include "core/exec/broadcast.h"

#include <algorithm>
#include <limits>

namespace secateur {
namespace {

std::size_t productOf(const Shape& shape) {
    std::size_t product = 1;
    for (const std::int64_t dim : shape)
        product *= static_cast<std::size_t>(dim);
    return product;
}

/// Beyond this no window of a tensor that can exist goes, and sums of products stay in 64 bits.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

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

/// A kernel that reaches beyond the input and its padding meets nowhere: refused where there is an input at
/// all.
Result<void> sizeOutputs(const KernelCall& call, Window& window, bool isCeil) {
    for (std::size_t d = 0; d < window.rank(); ++d) {
        const std::int64_t span = window.input[d] + window.before[d] + window.behind[d] - reachOf(window, d);
        if (span < 0 && window.input[d] > 0)
            return call.fail("exec.bad-window", {"kernel_shape", shapeText(window.kernel)});
        const std::int64_t stride = window.strides[d];
        std::int64_t out = span < 0 ? 0 : (isCeil ? (span + stride - 1) / stride : span / stride) + 1;
        // A window that begins behind the input and its padding before is left out.
        if (isCeil && out > 0 && (out - 1) * stride >= window.input[d] + window.before[d]) --out;
        window.output.push_back(out);
    }
    return {};
}

Error padsMisfit(const KernelCall& call, const Window& window) {
    Shape pads = window.before;
    pads.insert(pads.end(), window.behind.begin(), window.behind.end());
    return call.fail("exec.bad-window", {"pads", shapeText(pads)});
}

/// A pooling window that lies in the padding alone has nothing to take the largest or the mean of.
Result<void> checkPoolPadding(const KernelCall& call, const Window& window) {
    for (std::size_t d = 0; d < window.rank(); ++d) {
        const std::int64_t most = window.kernel[d] * window.dilations[d];
        if (window.before[d] >= most || window.behind[d] >= most) return padsMisfit(call, window);
    }
    return {};
}

/// The kernel's own sizes where the attribute says nothing else.
Result<void> checkKernel(const KernelCall& call, const Shape& kernel) {
    const auto* given = call.integers("kernel_shape");
    if (given != nullptr && !given->empty() && *given != kernel)
        return call.fail("exec.kernel-is-not-that-of-weights", {shapeText(*given), shapeText(kernel)});
    return {};
}

Result<void> checkKernelSizes(const KernelCall& call, const Shape& kernel, std::size_t rank) {
    const bool isSound =
        kernel.size() == rank &&
        std::all_of(kernel.begin(), kernel.end(), [](std::int64_t n) { return n >= 1 && n <= kLargest; });
    if (!isSound) return call.fail("exec.bad-window", {"kernel_shape", shapeText(kernel)});
    return {};
}

/// Attributes that all windows have.
Result<void> readLists(const KernelCall& call, Window& window, std::size_t rank) {
    window.strides = TRY(windowList(call, "strides", rank, 1, 1));
    window.dilations = TRY(windowList(call, "dilations", rank, 1, 1));
    const Shape pads = TRY(windowList(call, "pads", 2 * rank, 0, 0));
    window.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
    window.behind.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
    return {};
}

/// One dimension of what ConvTranspose gives where nothing is cut off.
Result<std::int64_t> fullSize(const KernelCall& call, const Window& window, std::size_t d,
                              std::int64_t extra) {
    const std::int64_t reach = reachOf(window, d);
    std::int64_t full = 0;
    if (__builtin_mul_overflow(window.strides[d], window.output[d] - 1, &full) ||
        __builtin_add_overflow(full, reach + extra, &full))
        return call.fail("exec.bad-window", {"strides", shapeText(window.strides)});
    return full;
}

} // namespace

Result<Shape> windowList(const KernelCall& call, std::string_view name, std::size_t count,
                         std::int64_t otherwise, std::int64_t least) {
    const auto* given = call.integers(name);
    if (given == nullptr || given->empty()) return Shape(count, otherwise);
    const bool isSound =
        given->size() == count && std::all_of(given->begin(), given->end(),
                                              [&](std::int64_t n) { return n >= least && n <= kLargest; });
    if (!isSound) return call.fail("exec.bad-window", {std::string(name), shapeText(*given)});
    return *given;
}

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
    const bool isPool = kernel.empty();
    if (isPool)
        kernel = TRY(windowList(call, "kernel_shape", rank, 0, 1));
    else
        TRY(checkKernel(call, kernel));
    window.kernel = std::move(kernel);
    TRY(checkKernelSizes(call, window.kernel, rank));
    TRY(readLists(call, window, rank));
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
    } else if (isPool) {
        TRY(checkPoolPadding(call, window));
    }
    TRY(sizeOutputs(call, window, call.integer("ceil_mode", 0) != 0));
    return window;
}

Result<Window> transposedWindowOf(const KernelCall& call, const Shape& x, const Shape& w) {
    if (x.size() < 3 || w.size() != x.size())
        return call.fail("exec.shapes-differ", {shapeText(x), shapeText(w)});
    const std::size_t rank = x.size() - 2;
    Window window;
    window.kernel.assign(w.begin() + 2, w.end());
    TRY(checkKernel(call, window.kernel));
    window.output.assign(x.begin() + 2, x.end());
    TRY(checkKernelSizes(call, window.kernel, rank));
    TRY(readLists(call, window, rank));
    const Shape extra = TRY(windowList(call, "output_padding", rank, 0, 0));
    const std::string_view mode = call.text("auto_pad", "NOTSET");
    const bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    if (!isSame && mode != "VALID" && mode != "NOTSET" && !mode.empty())
        return call.fail("exec.bad-attribute", {"auto_pad", std::string(mode)});
    if (mode == "VALID") window.before = window.behind = Shape(rank, 0);
    // Some files list the batch and the channels as well.
    const auto* listed = call.integers("output_shape");
    const bool isSized = listed != nullptr && !listed->empty();
    const Shape wanted =
        isSized ? TRY(windowList(call, "output_shape", listed->size() == x.size() ? x.size() : rank, 0, 0))
                : Shape();
    for (std::size_t d = 0; d < rank; ++d) {
        if (extra[d] > 0 && extra[d] >= std::max(window.strides[d], window.dilations[d]))
            return call.fail("exec.bad-window", {"output_padding", shapeText(extra)});
        const std::int64_t full = TRY(fullSize(call, window, d, extra[d]));
        if (isSized || isSame) {
            const std::int64_t size =
                isSized ? wanted[wanted.size() - rank + d] : window.output[d] * window.strides[d];
            const std::int64_t total = std::max<std::int64_t>(full - size, 0);
            window.before[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
            window.behind[d] = total - window.before[d];
            window.input.push_back(std::max<std::int64_t>(size, 0));
        } else {
            const std::int64_t size = full - window.before[d] - window.behind[d];
            if (size < 1 && window.output[d] > 0) return padsMisfit(call, window);
            window.input.push_back(std::max<std::int64_t>(size, 0));
        }
    }
    return window;
}

} // namespace secateur
