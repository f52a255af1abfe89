// SPDX-License-Identifier: Apache-2.0
#include "core/exec/compare.h"

#include "core/exec/cells.h"
#include "core/messages/sentences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace secateur {
namespace {

/// A float's place among all floats of its width: neighbours differ by one, -0 and +0 are one place.
std::int64_t placeOf(std::uint64_t bits, unsigned width) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t bitsAt(const TensorData& tensor, std::size_t i) {
    const std::size_t cell = cellBytes(tensor.type());
    std::uint64_t bits = 0;
    std::memcpy(&bits, tensor.data() + i * cell, std::min<std::size_t>(cell, sizeof bits));
    return bits;
}

/// The largest finite magnitude, at least 1e-300: what numbers are divided by so that their squares stay
/// finite.
double largestOf(const std::vector<double>& numbers) {
    double largest = 1e-300;
    for (const double number : numbers)
        if (std::isfinite(number)) largest = std::max(largest, std::fabs(number));
    return largest;
}

/// Sums for the cosine, of vectors that are scaled to a largest element of 1.
struct Angle {
    double scaleA = 1, scaleB = 1;
    double ab = 0, aa = 0, bb = 0;

    void add(double a, double b) {
        a /= scaleA;
        b /= scaleB;
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    [[nodiscard]] double cosine() const {
        if (aa == 0 && bb == 0) return 1;
        const double length = std::sqrt(aa) * std::sqrt(bb);
        return length == 0 ? 0 : ab / length;
    }
};

void compareFloats(const TensorData& a, const TensorData& b, const Tolerance& tolerance,
                   ValueDifference& found) {
    const auto left = readAll<double>(a), right = readAll<double>(b);
    const unsigned width = elementBits(a.type());
    Angle angle{largestOf(left), largestOf(right)};
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double x = left[i], y = right[i];
        if (bitsAt(a, i) != bitsAt(b, i)) {
            found.isSameBits = false;
            ++found.differing;
        }
        if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) {
            const bool isSame = x == y || (std::isnan(x) && std::isnan(y));
            found.telling += std::isfinite(x) || std::isfinite(y) ? 1U : 0U;
            if (!isSame) {
                ++found.nanMismatches;
                found.isWithin = false;
            }
            continue;
        }
        ++found.telling;
        angle.add(x, y);
        const double distance = std::fabs(x - y);
        if (distance > tolerance.absolute + tolerance.relative * std::fabs(y)) found.isWithin = false;
        if (distance > found.maxAbsolute) {
            found.maxAbsolute = distance;
            found.worstAt = i;
        }
        const double floor = static_cast<double>(std::numeric_limits<float>::min());
        found.maxRelative = std::max(found.maxRelative, distance / std::max(std::fabs(y), floor));
        const std::int64_t place = placeOf(bitsAt(a, i), width), other = placeOf(bitsAt(b, i), width);
        // The difference of two places may be beyond what a signed number holds.
        const auto low = static_cast<std::uint64_t>(std::min(place, other));
        found.maxUlp = std::max(found.maxUlp, static_cast<std::uint64_t>(std::max(place, other)) - low);
    }
    found.cosine = angle.cosine();
}

void compareIntegers(const TensorData& a, const TensorData& b, ValueDifference& found) {
    const auto left = readAll<std::int64_t>(a), right = readAll<std::int64_t>(b);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] == right[i]) continue;
        found.isSameBits = found.isWithin = false;
        ++found.differing;
        const bool isUnsigned = computeTypeOf(a.type()) == ComputeType::u64;
        const double x = isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(left[i]))
                                    : static_cast<double>(left[i]);
        const double y = isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(right[i]))
                                    : static_cast<double>(right[i]);
        const double distance = std::fabs(x - y);
        if (distance > found.maxAbsolute) {
            found.maxAbsolute = distance;
            found.worstAt = i;
        }
        found.maxRelative = std::max(found.maxRelative, distance / std::max(std::fabs(y), 1.0));
    }
}

/// Elements without an order: strings, complex numbers.
template <typename Equal> void compareEach(std::size_t count, Equal equal, ValueDifference& found) {
    for (std::size_t i = 0; i < count; ++i) {
        if (equal(i)) continue;
        found.isSameBits = found.isWithin = false;
        if (found.differing++ == 0) found.worstAt = i;
    }
}

ValueDifference misfitOf(const RuntimeValue& a, const RuntimeValue& b) {
    ValueDifference found;
    found.fits = found.isWithin = found.isSameBits = false;
    found.elements = found.telling = 1; // the value as a whole
    found.misfit = formatMessage("exec.misfit", {a.text(), b.text()});
    return found;
}

ValueDifference compareTensors(const RuntimeValue& left, const RuntimeValue& right,
                               const Tolerance& tolerance) {
    const TensorData& a = *left.tensor();
    const TensorData& b = *right.tensor();
    if (a.type() != b.type() || a.shape() != b.shape()) return misfitOf(left, right);
    ValueDifference found;
    found.elements = a.count();
    const auto count = static_cast<std::size_t>(a.count());
    if (!isFloating(a.type())) found.telling = found.elements;
    if (a.isString())
        compareEach(
            count, [&](std::size_t i) { return a.strings()[i] == b.strings()[i]; }, found);
    else if (isFloating(a.type()))
        compareFloats(a, b, tolerance, found);
    else if (computeTypeOf(a.type()) != ComputeType::none)
        compareIntegers(a, b, found);
    else {
        const std::size_t cell = cellBytes(a.type());
        compareEach(
            count,
            [&](std::size_t i) { return std::memcmp(a.data() + i * cell, b.data() + i * cell, cell) == 0; },
            found);
    }
    return found;
}

} // namespace

void joinWorse(ValueDifference& all, const ValueDifference& part) {
    all.fits = all.fits && part.fits;
    all.isWithin = all.isWithin && part.isWithin;
    all.isSameBits = all.isSameBits && part.isSameBits;
    if (part.maxAbsolute > all.maxAbsolute) all.worstAt = part.worstAt;
    all.maxAbsolute = std::max(all.maxAbsolute, part.maxAbsolute);
    all.maxRelative = std::max(all.maxRelative, part.maxRelative);
    all.maxUlp = std::max(all.maxUlp, part.maxUlp);
    all.cosine = std::min(all.cosine, part.cosine);
    all.elements += part.elements;
    all.telling += part.telling;
    all.differing += part.differing;
    all.nanMismatches += part.nanMismatches;
    if (all.misfit.empty()) all.misfit = part.misfit;
}

ValueDifference compareValues(const RuntimeValue& a, const RuntimeValue& b, const Tolerance& tolerance) {
    if (a.tensor() != nullptr && b.tensor() != nullptr) return compareTensors(a, b, tolerance);
    if (a.sequence() != nullptr && b.sequence() != nullptr) {
        if (a.sequence()->element != b.sequence()->element) return misfitOf(a, b);
        const auto& left = a.sequence()->items;
        const auto& right = b.sequence()->items;
        if (left.size() != right.size()) return misfitOf(a, b);
        ValueDifference all;
        for (std::size_t i = 0; i < left.size(); ++i)
            joinWorse(all, compareValues(left[i], right[i], tolerance));
        return all;
    }
    if (a.optional() != nullptr && b.optional() != nullptr)
        return compareValues(a.optional()->value, b.optional()->value, tolerance);
    if (a.isAbsent() && b.isAbsent()) return {};
    return misfitOf(a, b);
}

} // namespace secateur
