// SPDX-License-Identifier: Apache-2.0
#include "core/exec/compare.h"

#include "core/exec/cells.h"
#include "core/messages/sentences.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <fmt/format.h>

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Counts an element that differs, and keeps it where it is the worst so far.
void note(ValueDifference& found, std::size_t element, double excess, double absolute, double relative) {
    if (excess > 1) {
        ++found.outside;
        found.isWithin = false;
    }
    const bool isFirst = found.worstGot.empty();
    if (!isFirst && excess <= found.excess) return;
    found.excess = excess;
    found.worstAt = element;
    found.worstAbsolute = absolute;
    found.worstRelative = relative;
    found.worstGot = found.worstExpected = "?"; // read once the worst is known
}

/// An element that has no distance, such as a text, or NaN beside a number.
void noteOther(ValueDifference& found, std::size_t element) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    note(found, element, kInfinity, none, none);
}

/// How much of what is allowed a distance takes.
double excessOf(double distance, double expected, const Tolerance& tolerance) {
    const double allowed = tolerance.absolute + tolerance.relative * std::fabs(expected);
    if (distance <= allowed) return allowed > 0 ? distance / allowed : 0;
    // Not 1 by rounding: it is outside.
    return allowed > 0 ? std::max(distance / allowed, std::nextafter(1.0, 2.0)) : kInfinity;
}

double relativeOf(double distance, double expected) {
    return distance == 0 ? 0 : expected == 0 ? kInfinity : distance / std::fabs(expected);
}

/// One element for people; what they see differs where the bits do, as far as numbers go.
std::string elementText(const TensorData& tensor, std::size_t i) {
    constexpr std::size_t kMostCharacters = 40;
    if (tensor.isString()) return "`" + elideMiddle(tensor.strings()[i], kMostCharacters) + "`";
    const auto at = static_cast<std::int64_t>(i);
    switch (computeTypeOf(tensor.type())) {
    case ComputeType::f32: {
        float number = 0;
        cellReader<float>(tensor.type())(tensor.data(), at, 1, 1, &number);
        return fmt::format("{}", number);
    }
    case ComputeType::f64: {
        double number = 0;
        cellReader<double>(tensor.type())(tensor.data(), at, 1, 1, &number);
        return fmt::format("{}", number);
    }
    case ComputeType::u64: {
        std::uint64_t number = 0;
        cellReader<std::uint64_t>(tensor.type())(tensor.data(), at, 1, 1, &number);
        return std::to_string(number);
    }
    case ComputeType::i64: {
        std::int64_t number = 0;
        cellReader<std::int64_t>(tensor.type())(tensor.data(), at, 1, 1, &number);
        return std::to_string(number);
    }
    case ComputeType::none: break;
    }
    std::string bytes = "0x";
    const std::size_t cell = cellBytes(tensor.type());
    for (std::size_t k = cell; k-- > 0;)
        bytes += fmt::format("{:02x}", std::to_integer<unsigned>(tensor.data()[i * cell + k]));
    return bytes;
}

void compareFloats(const TensorData& a, const TensorData& b, const Tolerance& tolerance,
                   ValueDifference& found) {
    found.isFloating = true;
    const auto left = readAll<double>(a), right = readAll<double>(b);
    const unsigned width = elementBits(a.type());
    Angle angle{largestOf(left), largestOf(right)};
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double x = left[i], y = right[i];
        const bool areBitsSame = bitsAt(a, i) == bitsAt(b, i);
        if (!areBitsSame) {
            found.isSameBits = false;
            ++found.differing;
        }
        if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) {
            const bool isSame = x == y || (std::isnan(x) && std::isnan(y));
            found.telling += std::isfinite(x) || std::isfinite(y) ? 1U : 0U;
            if (!isSame) {
                ++found.nanMismatches;
                noteOther(found, i);
            } else if (!areBitsSame) {
                note(found, i, 0, 0, 0);
            }
            continue;
        }
        ++found.telling;
        angle.add(x, y);
        const double distance = std::fabs(x - y);
        if (!areBitsSame) note(found, i, excessOf(distance, y, tolerance), distance, relativeOf(distance, y));
        found.maxAbsolute = std::max(found.maxAbsolute, distance);
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
        found.isSameBits = false;
        ++found.differing;
        const bool isUnsigned = computeTypeOf(a.type()) == ComputeType::u64;
        const double x = isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(left[i]))
                                    : static_cast<double>(left[i]);
        const double y = isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(right[i]))
                                    : static_cast<double>(right[i]);
        const double distance = std::fabs(x - y);
        // Whole numbers are equal or not: any distance is outside, and the largest is the worst.
        note(found, i, 1 + std::max(distance, 1.0), distance, relativeOf(distance, y));
        found.maxAbsolute = std::max(found.maxAbsolute, distance);
        found.maxRelative = std::max(found.maxRelative, distance / std::max(std::fabs(y), 1.0));
    }
}

/// Elements without an order: strings, complex numbers.
template <typename Equal> void compareEach(std::size_t count, Equal equal, ValueDifference& found) {
    for (std::size_t i = 0; i < count; ++i) {
        if (equal(i)) continue;
        found.isSameBits = false;
        ++found.differing;
        noteOther(found, i);
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
    if (!found.worstGot.empty()) {
        found.worstGot = elementText(a, static_cast<std::size_t>(found.worstAt));
        found.worstExpected = elementText(b, static_cast<std::size_t>(found.worstAt));
    }
    return found;
}

} // namespace

std::string ValueDifference::apartText() const {
    if (std::isnan(worstAbsolute)) return formatMessage("exec.apart-other", {worstGot, worstExpected});
    if (worstAbsolute == 0) return std::string(message("exec.apart-bits"));
    if (std::isinf(worstRelative)) return formatMessage("exec.apart-zero", {roundedNumber(worstAbsolute)});
    return formatMessage("exec.apart", {roundedNumber(worstAbsolute), roundedNumber(worstRelative)});
}

std::string ValueDifference::worstText() const {
    if (!fits) return misfit;
    const std::string element = std::to_string(worstAt);
    if (std::isnan(worstAbsolute))
        return formatMessage("exec.worst-other", {element, worstGot, worstExpected});
    return formatMessage("exec.worst", {element, worstGot, worstExpected, apartText()});
}

bool isWorse(const ValueDifference& a, const ValueDifference& b) {
    if (a.fits != b.fits) return !a.fits;
    if (a.isWithin != b.isWithin) return !a.isWithin;
    if (a.isSameBits != b.isSameBits) return !a.isSameBits;
    return a.excess > b.excess;
}

void joinWorse(ValueDifference& all, const ValueDifference& part) {
    if (isWorse(part, all)) {
        all.excess = part.excess;
        all.worstAt = part.worstAt;
        all.worstAbsolute = part.worstAbsolute;
        all.worstRelative = part.worstRelative;
        all.worstGot = part.worstGot;
        all.worstExpected = part.worstExpected;
    }
    all.fits = all.fits && part.fits;
    all.isWithin = all.isWithin && part.isWithin;
    all.isSameBits = all.isSameBits && part.isSameBits;
    all.isFloating = all.isFloating || part.isFloating;
    all.maxAbsolute = std::max(all.maxAbsolute, part.maxAbsolute);
    all.maxRelative = std::max(all.maxRelative, part.maxRelative);
    all.maxUlp = std::max(all.maxUlp, part.maxUlp);
    all.cosine = std::min(all.cosine, part.cosine);
    all.elements += part.elements;
    all.telling += part.telling;
    all.differing += part.differing;
    all.outside += part.outside;
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
