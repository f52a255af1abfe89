// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// The sliding window of a convolution or pooling over the spatial dimensions of an input N x C x D1 x ...
/// (ONNX Conv, MaxPool: kernel_shape, strides, dilations, pads, auto_pad, ceil_mode).
struct Window {
    Shape input; ///< spatial dimensions
    Shape kernel, strides, dilations;
    Shape before, behind; ///< padding
    Shape output;         ///< spatial dimensions of the result

    [[nodiscard]] std::size_t rank() const { return input.size(); }
    [[nodiscard]] std::size_t kernelCount() const;
    [[nodiscard]] std::size_t outputCount() const;
    [[nodiscard]] std::size_t inputCount() const;
    /// The input elements that kernel elements meet at an output position: -1 where it lies in the padding.
    void placesAt(std::size_t output, std::vector<std::int64_t>& places) const;
    /// Does the kernel element meet the padding that was asked for, as opposed to what ceil_mode adds behind
    /// it?
    [[nodiscard]] std::size_t countWithPadding(std::size_t output) const;
};

/// A list attribute of a window of `count` elements, each from `least` to 2^31 - 1; `otherwise` where it is
/// not given. Errors name the attribute.
Result<Shape> windowList(const KernelCall& call, std::string_view name, std::size_t count,
                         std::int64_t otherwise, std::int64_t least);

/// Reads the attributes of `call` for an input of `shape` and a kernel of `kernel` (empty: from
/// kernel_shape, which else must say the same). Errors name the attribute that does not fit.
Result<Window> windowOf(const KernelCall& call, const Shape& shape, Shape kernel);

/// The same for ONNX ConvTranspose with weights of shape `w`: a convolution with input and output swapped, so
/// that `output` is the operand's and `input` the result's.
Result<Window> transposedWindowOf(const KernelCall& call, const Shape& x, const Shape& w);

} // namespace secateur
