// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/weight_numbers.h"

#include "core/ir/scalar_tensor.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

/// 2 GiB of doubles.
constexpr std::size_t kMostNumbers = std::size_t{1} << 28U;

/// Half of the distance between 1 and the next number of the type.
double roundingOf(ElementType type) {
    switch (type) {
    case ElementType::float16: return 0x1p-11;
    case ElementType::bfloat16: return 0x1p-8;
    case ElementType::float64: return 0x1p-53;
    default: return 0x1p-24;
    }
}

} // namespace

bool isWeight(const RuleView& view, ValueId value) {
    const TensorPtr tensor = view.constant(value);
    const bool isReadable = tensor && tensor->elementCount().value_or(kMostNumbers) < kMostNumbers;
    return isReadable && view.isFloat(value) && rawBytes(*tensor).has_value();
}

std::vector<double> weightNumbers(const RuleView& view, ValueId value) {
    const TensorPtr tensor = view.constant(value);
    return tensor ? asDoubles(*tensor, kMostNumbers).value_or(std::vector<double>()) : std::vector<double>();
}

TensorPtr roundedWeight(ElementType type, std::vector<std::int64_t> dims, const std::vector<double>& numbers,
                        const PartOf& partOf) {
    TensorPtr made = roundedTensor(type, std::move(dims), numbers);
    if (!made) return nullptr;
    const auto rounded = asDoubles(*made, kMostNumbers);
    if (!rounded || rounded->size() != numbers.size()) return nullptr;
    struct Part {
        double error = 0, magnitude = 0;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite((*rounded)[i])) return nullptr;
        const std::size_t at = partOf(i);
        if (at >= parts.size()) parts.resize(at + 1);
        parts[at].error += std::abs((*rounded)[i] - numbers[i]);
        parts[at].magnitude += std::abs(numbers[i]);
    }
    const bool isHeld = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return part.error <= 2 * roundingOf(type) * part.magnitude;
    });
    return isHeld ? made : nullptr;
}

bool isCopyAffordable(const RuleView& view, ValueId weight) {
    const bool isFreed = view.model().value(weight).useCount == 1;
    return isFreed || view.type(weight).bytes().value_or(UINT64_MAX) <= view.limits().bytesLeft;
}

} // namespace secateur
