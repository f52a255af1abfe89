// SPDX-License-Identifier: Apache-2.0
//
// ONNX Cast, CastLike, BitCast: between all element types.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/quantized.h"
#include "core/kernels/narrow_float.h"
#include "core/kernels/truncation.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace secateur {
namespace {

/// What Cast's attributes say of narrow targets.
struct CastRules {
    bool isSaturating = true;
    kernels::PowerRounding rounding = kernels::PowerRounding::up;
};

template <kernels::NarrowFormat format>
void narrowAll(const std::vector<float>& from, TensorData& to, bool isSaturating) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint32_t code = kernels::narrow<format>(from[i], isSaturating);
        if (cellBytes(to.type()) == 2)
            to.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(code);
        else
            to.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(code);
    }
}

/// Floats into the formats that the rules are about; false for other types.
bool writeNarrow(const std::vector<float>& from, TensorData& to, const CastRules& rules) {
    const ElementType type = to.type();
    const bool saturates = rules.isSaturating;
    if (type == ElementType::float8e4m3fn)
        narrowAll<kernels::kFloat8E4M3FN>(from, to, saturates);
    else if (type == ElementType::float8e4m3fnuz)
        narrowAll<kernels::kFloat8E4M3FNUZ>(from, to, saturates);
    else if (type == ElementType::float8e5m2)
        narrowAll<kernels::kFloat8E5M2>(from, to, saturates);
    else if (type == ElementType::float8e5m2fnuz)
        narrowAll<kernels::kFloat8E5M2FNUZ>(from, to, saturates);
    else if (type != ElementType::float8e8m0)
        return false;
    else {
        for (std::size_t i = 0; i < from.size(); ++i)
            to.as<std::uint8_t>()[i] = kernels::powerCode(from[i], rules.rounding, saturates);
    }
    return true;
}

template <typename C> void castNumbers(const TensorData& x, TensorData& y, const CastRules& rules) {
    const std::vector<C> from = readAll<C>(x);
    switch (computeTypeOf(y.type())) {
    case ComputeType::f32: {
        std::vector<float> to(from.begin(), from.end());
        // double goes by way of float into what is narrower, as runtimes do.
        if (!writeNarrow(to, y, rules)) writeAll(y, to);
        return;
    }
    case ComputeType::f64: writeAll(y, std::vector<double>(from.begin(), from.end())); return;
    case ComputeType::i64:
    case ComputeType::u64: break;
    case ComputeType::none: return;
    }
    if (y.type() == ElementType::boolean) {
        for (std::size_t i = 0; i < from.size(); ++i)
            y.as<std::uint8_t>()[i] = from[i] != C{0} ? 1 : 0;
    } else if constexpr (!std::is_floating_point_v<C>) {
        writeAll(y, from);
    } else if (elementBits(y.type()) < 8) {
        // Integers narrower than a byte round and saturate (ONNX Cast, opset 21 on).
        std::vector<double> real(from.begin(), from.end());
        writeQuantized(real, 0, y);
    } else if (computeTypeOf(y.type()) == ComputeType::i64) {
        std::vector<std::int64_t> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i] = kernels::truncated<std::int64_t>(static_cast<double>(from[i]));
        writeAll(y, to);
    } else {
        std::vector<std::uint64_t> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i] = kernels::truncated<std::uint64_t>(static_cast<double>(from[i]));
        writeAll(y, to);
    }
}

/// A number as ONNX Cast writes it: "1", "0.5", "1e-07", "INF", "-INF", "NaN".
template <typename C> std::string textOf(C value) {
    if constexpr (std::is_floating_point_v<C>) {
        if (std::isnan(value)) return "NaN";
        if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
    }
    std::array<char, 64> text{};
    const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() ? std::string(text.data(), end) : std::string();
}

Result<void> toStrings(const KernelCall& call, const TensorData& x, TensorData& y) {
    return withComputeType(
        x.type(),
        [&]<typename C>(C) -> Result<void> {
            const auto numbers = readAll<C>(x);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                y.strings()[i] = textOf(numbers[i]);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x.type()); });
}

/// A number in text, as ONNX Cast reads it: plain, scientific, "INF", "+INF", "-INF", "NaN" in any case.
template <typename C> bool numberOf(std::string_view text, C& number) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size();
}

template <typename C> Result<void> fromStrings(const KernelCall& call, const TensorData& x, TensorData& y) {
    std::vector<C> numbers(static_cast<std::size_t>(x.count()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        double fallback = 0;
        if (numberOf(x.strings()[i], numbers[i])) continue;
        if (!numberOf(x.strings()[i], fallback)) return call.fail("exec.no-number", {x.strings()[i]});
        numbers[i] = static_cast<C>(fallback);
    }
    writeAll(y, numbers);
    return {};
}

Result<TensorData> castTo(const KernelCall& call, const TensorData& x, ElementType type) {
    CastRules rules;
    rules.isSaturating = call.integer("saturate", 1) != 0;
    const std::string_view rounding = call.text("round_mode", "up");
    if (rounding == "down")
        rules.rounding = kernels::PowerRounding::down;
    else if (rounding == "nearest")
        rules.rounding = kernels::PowerRounding::nearest;
    else if (rounding != "up")
        return call.fail("exec.bad-attribute", {"round_mode", std::string(rounding)});
    if (x.type() == type) return x;
    TensorData y = TRY(call.make(type, x.shape()));
    if (type == ElementType::string) {
        TRY(toStrings(call, x, y));
        return y;
    }
    const auto refuse = [&](ElementType unknown) -> Result<void> { return call.noCodeFor(unknown); };
    if (x.isString()) {
        TRY(withComputeType(
            type, [&]<typename C>(C) -> Result<void> { return fromStrings<C>(call, x, y); },
            [&] { return refuse(type); }));
        return y;
    }
    if (computeTypeOf(type) == ComputeType::none) return call.noCodeFor(type);
    TRY(withComputeType(
        x.type(),
        [&]<typename C>(C) -> Result<void> {
            castNumbers<C>(x, y, rules);
            return {};
        },
        [&] { return refuse(x.type()); }));
    return y;
}

/// The names that opsets before 6 have for types.
ElementType typeCalled(std::string_view name) {
    constexpr std::pair<std::string_view, ElementType> kNames[] = {
        {"FLOAT", ElementType::float32}, {"DOUBLE", ElementType::float64}, {"FLOAT16", ElementType::float16},
        {"INT8", ElementType::int8},     {"INT16", ElementType::int16},    {"INT32", ElementType::int32},
        {"INT64", ElementType::int64},   {"UINT8", ElementType::uint8},    {"UINT16", ElementType::uint16},
        {"UINT32", ElementType::uint32}, {"UINT64", ElementType::uint64},  {"BOOL", ElementType::boolean},
        {"STRING", ElementType::string},
    };
    for (const auto& [known, type] : kNames) {
        if (known == name) return type;
    }
    return ElementType::undefined;
}

Result<void> runCast(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    constexpr std::int64_t kTypeIsNumber = 6;
    const auto type = call.opset < kTypeIsNumber ? typeCalled(call.text("to", ""))
                                                 : static_cast<ElementType>(call.integer("to", 0));
    call.setOutput(0, TRY(castTo(call, *x, type)));
    return {};
}

Result<void> runCastLike(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    call.setOutput(0, TRY(castTo(call, *x, TRY(call.tensor(1))->type())));
    return {};
}

/// ONNX BitCast: the same bits as another type of the same width.
Result<void> runBitCast(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto type = static_cast<ElementType>(call.integer("to", 0));
    if (cellBytes(type) == 0 || elementBits(type) != elementBits(x->type())) return call.noCodeFor(type);
    TensorData y = TRY(call.make(type, x->shape()));
    if (y.byteSize() != 0) std::memcpy(y.data(), x->data(), static_cast<std::size_t>(y.byteSize()));
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kCasts[] = {
    {"", "BitCast", 26, &runBitCast},
    {"", "Cast", 1, &runCast},
    {"", "CastLike", 15, &runCastLike},
};

} // namespace

std::span<const KernelEntry> castKernels() {
    return kCasts;
}

} // namespace secateur
