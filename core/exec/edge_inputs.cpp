// SPDX-License-Identifier: Apache-2.0
#include "core/exec/edge_inputs.h"

#include "core/exec/cells.h"

#include <cmath>
#include <limits>

namespace secateur {
namespace {

/// A number near the largest finite one of a type, with room for a sum of a few.
double largeOf(ElementType type) {
    switch (type) {
    case ElementType::float64: return 1e300;
    case ElementType::float32:
    case ElementType::bfloat16: return 1e37;
    case ElementType::float16: return 6e4;
    default: return 4; // the narrowest formats end soon after
    }
}

/// A number below the smallest normal one of a type that it can still hold.
double tinyOf(ElementType type) {
    switch (type) {
    case ElementType::float64: return 1e-310;
    case ElementType::float32:
    case ElementType::bfloat16: return 1e-39;
    case ElementType::float16: return 1e-6;
    default: return 1e-2;
    }
}

/// The pattern at one element that held `number`.
double patternAt(EdgePattern pattern, std::size_t index, double number, ElementType type) {
    const double sign = std::signbit(number) ? -1 : 1;
    switch (pattern) {
    case EdgePattern::zeros: return 0;
    case EdgePattern::ones: return 1;
    case EdgePattern::minusZeros: return -0.0;
    // Every seventh element, so that most of the computation stays finite and shows where they spread.
    case EdgePattern::infinities:
        return index % 7 == 0 ? sign * std::numeric_limits<double>::infinity() : number;
    case EdgePattern::nans: return index % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : number;
    case EdgePattern::large: return sign * largeOf(type);
    case EdgePattern::tiny: return sign * tinyOf(type);
    }
    return number;
}

} // namespace

std::string_view edgePatternId(EdgePattern pattern) {
    switch (pattern) {
    case EdgePattern::zeros: return "exec.edge.zeros";
    case EdgePattern::ones: return "exec.edge.ones";
    case EdgePattern::minusZeros: return "exec.edge.minus-zeros";
    case EdgePattern::infinities: return "exec.edge.infinities";
    case EdgePattern::nans: return "exec.edge.nans";
    case EdgePattern::large: return "exec.edge.large";
    case EdgePattern::tiny: return "exec.edge.tiny";
    }
    return "exec.edge.zeros";
}

Result<bool> applyPattern(std::vector<RuntimeValue>& values, const std::vector<InputDomain>& domains,
                          const std::vector<bool>& isKept, EdgePattern pattern, MemoryPool& pool) {
    bool isAny = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const TensorData* tensor = values[i].tensor();
        if (tensor == nullptr || !isFloating(tensor->type())) continue;
        if (i < isKept.size() && isKept[i]) continue;
        if (i < domains.size() && domains[i].kind != InputDomain::Kind::any) continue;
        TensorData edged = TRY(TensorData::make(pool, tensor->type(), tensor->shape()));
        std::vector<double> numbers = readAll<double>(*tensor);
        for (std::size_t e = 0; e < numbers.size(); ++e)
            numbers[e] = patternAt(pattern, e, numbers[e], tensor->type());
        writeAll(edged, numbers);
        values[i] = std::move(edged);
        isAny = true;
    }
    return isAny;
}

} // namespace secateur
