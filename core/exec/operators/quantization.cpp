// SPDX-License-Identifier: Apache-2.0
//
// ONNX QuantizeLinear, DequantizeLinear (per tensor, per axis, per block), DynamicQuantizeLinear.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/quantized.h"
#include "core/exec/slabs.h"
#include "core/kernels/narrow_float.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

/// Which scale belongs to an element.
class ScalePlaces {
  public:
    static Result<ScalePlaces> of(const KernelCall& call, const TensorData& x, const TensorData& scale) {
        ScalePlaces places;
        places.m_count = static_cast<std::size_t>(scale.count());
        if (places.m_count == 1 && scale.rank() <= 1) return places;
        places.m_axis = TRY(axisOf(call, call.integer("axis", 1), x.rank()));
        places.m_strides = stridesOf(x.shape());
        places.m_dims = x.shape();
        const auto dim = x.shape()[places.m_axis];
        if (scale.rank() <= 1) {
            if (scale.count() != static_cast<std::uint64_t>(dim))
                return call.fail("exec.shapes-differ", {shapeText(x.shape()), shapeText(scale.shape())});
            places.m_block = 1;
            places.m_isPerAxis = true;
            return places;
        }
        // Blocks along the axis; the other dimensions are those of x.
        const std::int64_t blocks = scale.rank() == x.rank() ? scale.shape()[places.m_axis] : 0;
        if (blocks <= 0)
            return call.fail("exec.shapes-differ", {shapeText(x.shape()), shapeText(scale.shape())});
        places.m_block = call.integer("block_size", 0);
        if (places.m_block <= 0) places.m_block = (dim + blocks - 1) / blocks;
        Shape expected = x.shape();
        expected[places.m_axis] = (dim + places.m_block - 1) / places.m_block;
        if (expected != scale.shape())
            return call.fail("exec.shapes-differ", {shapeText(expected), shapeText(scale.shape())});
        places.m_scaleStrides = stridesOf(scale.shape());
        return places;
    }

    [[nodiscard]] std::size_t operator()(std::size_t element) const {
        if (m_count == 1 && m_dims.empty()) return 0;
        const auto at = static_cast<std::int64_t>(element);
        if (m_isPerAxis) return static_cast<std::size_t>(at / m_strides[m_axis] % m_dims[m_axis]);
        std::int64_t place = 0;
        for (std::size_t d = 0; d < m_dims.size(); ++d) {
            const std::int64_t position = at / m_strides[d] % m_dims[d];
            place += (d == m_axis ? position / m_block : position) * m_scaleStrides[d];
        }
        return static_cast<std::size_t>(place);
    }

  private:
    std::size_t m_count = 1, m_axis = 0;
    std::int64_t m_block = 1;
    bool m_isPerAxis = false;
    Shape m_dims, m_strides, m_scaleStrides;
};

/// The type that QuantizeLinear gives: the zero point's, else the attribute's, else uint8.
ElementType quantizedType(const KernelCall& call, const TensorData* zeroPoint) {
    if (zeroPoint != nullptr) return zeroPoint->type();
    const std::int64_t given = call.integer("output_dtype", 0);
    return given == 0 ? ElementType::uint8 : static_cast<ElementType>(given);
}

/// float8 results round and saturate as Cast does.
void writeFloat8(const std::vector<double>& scaled, bool isSaturating, TensorData& y) {
    using namespace kernels;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        const auto value = static_cast<float>(scaled[i]);
        std::uint32_t code = 0;
        if (y.type() == ElementType::float8e4m3fn)
            code = narrow<kFloat8E4M3FN>(value, isSaturating);
        else if (y.type() == ElementType::float8e4m3fnuz)
            code = narrow<kFloat8E4M3FNUZ>(value, isSaturating);
        else if (y.type() == ElementType::float8e5m2)
            code = narrow<kFloat8E5M2>(value, isSaturating);
        else if (y.type() == ElementType::float8e5m2fnuz)
            code = narrow<kFloat8E5M2FNUZ>(value, isSaturating);
        else
            code = narrow<kFloat4E2M1>(value, true);
        y.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(code);
    }
}

Result<void> runQuantize(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* scale = TRY(call.tensor(1));
    const TensorData* zeroPoint = TRY(call.optionalTensor(2));
    if (computeTypeOf(x->type()) == ComputeType::none) return call.noCodeFor(x->type());
    const ScalePlaces places = TRY(ScalePlaces::of(call, *x, *scale));
    const auto scales = TRY(scalesIn(call, 1));
    const ElementType type = quantizedType(call, zeroPoint);
    TensorData y = TRY(call.make(type, x->shape()));
    const auto cells = readAll<double>(*x);
    std::vector<double> scaled(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        // The quotient is rounded to float before it is rounded to an integer, as the input's type has it.
        const double quotient = cells[i] / scales[places(i)];
        scaled[i] =
            x->type() == ElementType::float64 ? quotient : static_cast<double>(static_cast<float>(quotient));
    }
    if (isFloating(type)) {
        writeFloat8(scaled, call.integer("saturate", 1) != 0, y);
    } else if (isInteger(type)) {
        const auto zeros =
            zeroPoint != nullptr ? readAll<std::int64_t>(*zeroPoint) : std::vector<std::int64_t>{};
        std::vector<std::int64_t> numbers(scaled.size());
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            const std::int64_t zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : places(i)];
            numbers[i] = quantizedNumber(scaled[i], zero, type);
        }
        writeAll(y, numbers);
    } else {
        return call.noCodeFor(type);
    }
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runDequantize(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* scale = TRY(call.tensor(1));
    const TensorData* zeroPoint = TRY(call.optionalTensor(2));
    if (computeTypeOf(x->type()) == ComputeType::none) return call.noCodeFor(x->type());
    const ScalePlaces places = TRY(ScalePlaces::of(call, *x, *scale));
    const auto scales = TRY(scalesIn(call, 1));
    const std::int64_t wanted = call.integer("output_dtype", 0);
    TensorData y = TRY(call.make(wanted == 0 ? scale->type() : static_cast<ElementType>(wanted), x->shape()));
    const auto cells = readAll<double>(*x);
    const auto zeros = zeroPoint != nullptr ? readAll<double>(*zeroPoint) : std::vector<double>{};
    std::vector<double> results(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const double zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : places(i)];
        results[i] = (cells[i] - zero) * scales[places(i)];
    }
    writeAll(y, results);
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX DynamicQuantizeLinear: the range is widened to hold zero. Reckons in the type of x; the standard has
/// float alone.
template <typename T> Result<void> runDynamicQuantizeOf(const KernelCall& call, const TensorData& x) {
    const auto cells = readAll<T>(x);
    T low = 0, high = 0;
    for (const T cell : cells) {
        low = std::min(low, cell);
        high = std::max(high, cell);
    }
    constexpr T kSteps = 255;
    const T scale = (high - low) / kSteps;
    const T near = -low / scale; // NaN where there is nothing but zeros, or an infinity
    const T start = std::isnan(near) ? 0 : std::nearbyint(std::clamp(near, T{0}, kSteps));
    TensorData y = TRY(call.make(ElementType::uint8, x.shape()));
    TensorData yScale = TRY(call.make(x.type(), {}));
    TensorData yZero = TRY(call.make(ElementType::uint8, {}));
    std::vector<double> scaled(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
        scaled[i] = scale == 0 ? 0 : static_cast<double>(cells[i] / scale);
    writeQuantized(scaled, static_cast<std::int64_t>(start), y);
    yScale.as<T>()[0] = scale;
    yZero.as<std::uint8_t>()[0] = static_cast<std::uint8_t>(start);
    call.setOutput(0, std::move(y));
    call.setOutput(1, std::move(yScale));
    call.setOutput(2, std::move(yZero));
    return {};
}

Result<void> runDynamicQuantize(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->type() == ElementType::float32) return runDynamicQuantizeOf<float>(call, *x);
    if (x->type() == ElementType::float64) return runDynamicQuantizeOf<double>(call, *x);
    return call.noCodeFor(x->type());
}

constexpr KernelEntry kQuantization[] = {
    {"", "DequantizeLinear", 10, &runDequantize},
    {"", "DynamicQuantizeLinear", 11, &runDynamicQuantize},
    {"", "QuantizeLinear", 10, &runQuantize},
    {"com.microsoft", "DequantizeLinear", 1, &runDequantize},
    {"com.microsoft", "QuantizeLinear", 1, &runQuantize},
};

} // namespace

std::span<const KernelEntry> quantizationKernels() {
    return kQuantization;
}

} // namespace secateur
