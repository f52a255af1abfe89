// SPDX-License-Identifier: Apache-2.0
//
// ONNX DFT (17, 20), STFT, MelWeightMatrix. Sums in double, O(n log n) for every length.
#include "core/exec/axis_rows.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

namespace secateur {
namespace {

using Complex = std::complex<double>;

/// Of one transform; sizes of its tables are far from overflowing then.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 40;

std::vector<Complex> rootsOf(std::size_t length, bool isInverse) {
    std::vector<Complex> roots(length);
    const double turn = (isInverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    for (std::size_t k = 0; k < length; ++k)
        roots[k] = std::polar(1.0, turn * static_cast<double>(k));
    return roots;
}

/// Cooley and Tukey's, of a length that is a power of two; from `signal` to `result`, which is another place.
void transformPowerOfTwo(const std::vector<Complex>& roots, const std::vector<Complex>& signal,
                         std::vector<Complex>& result) {
    const std::size_t length = roots.size();
    result.resize(length);
    for (std::size_t n = 0, reversed = 0; n < length; ++n) {
        result[reversed] = signal[n];
        std::size_t bit = length >> 1;
        while (bit != 0 && (reversed & bit) != 0) {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
    for (std::size_t half = 1; half < length; half *= 2) {
        const std::size_t step = length / (2 * half);
        for (std::size_t start = 0; start < length; start += 2 * half) {
            for (std::size_t k = 0; k < half; ++k) {
                const Complex upper = result[start + k];
                const Complex lower = result[start + k + half] * roots[k * step];
                result[start + k] = upper + lower;
                result[start + k + half] = upper - lower;
            }
        }
    }
}

/// The discrete Fourier transform of one length, forward or back (back without the division by the length).
/// Other lengths than powers of two by their definition where they are short, else by Bluestein's way: with
/// k * n = (k^2 + n^2 - (k - n)^2) / 2 the sum is a convolution, for which a power of two may be taken.
class Transform {
  public:
    Transform(std::size_t length, bool isInverse) : m_length(length) {
        if (isDirect(length)) {
            m_roots = rootsOf(length, isInverse);
            return;
        }
        const std::size_t whole = wholeOf(length);
        m_roots = rootsOf(whole, false);
        m_chirp.resize(length);
        std::vector<Complex> filter(whole);
        const double turn = (isInverse ? 1 : -1) * std::numbers::pi / static_cast<double>(length);
        std::size_t square = 0; // n * n modulo 2 * length: angles stay small, and exact
        for (std::size_t n = 0; n < length; ++n) {
            m_chirp[n] = std::polar(1.0, turn * static_cast<double>(square));
            filter[n] = std::conj(m_chirp[n]);
            if (n != 0) filter[whole - n] = filter[n];
            square = (square + 2 * n + 1) % (2 * length);
        }
        transformPowerOfTwo(m_roots, filter, m_filter);
    }

    /// `signal` has the transform's length; `result` gets it as well.
    void run(const std::vector<Complex>& signal, std::vector<Complex>& result) {
        if (!m_chirp.empty()) return runByConvolution(signal, result);
        if (std::has_single_bit(m_length)) return transformPowerOfTwo(m_roots, signal, result);
        runByDefinition(signal, result);
    }

    /// Complex numbers that a transform of a length holds, a signal and a result of that length among them.
    static std::uint64_t numbersFor(std::uint64_t length) {
        return isDirect(length) ? 3 * length : 3 * length + 4 * wholeOf(length);
    }

  private:
    static bool isDirect(std::uint64_t length) {
        constexpr std::uint64_t kShort = 32;
        return length <= kShort || std::has_single_bit(length);
    }
    static std::uint64_t wholeOf(std::uint64_t length) { return std::bit_ceil(2 * length - 1); }

    void runByDefinition(const std::vector<Complex>& signal, std::vector<Complex>& result) const {
        result.resize(m_length);
        for (std::size_t k = 0; k < m_length; ++k) {
            Complex sum = 0;
            std::size_t turn = 0; // k * n modulo the length
            for (std::size_t n = 0; n < m_length; ++n) {
                sum += signal[n] * m_roots[turn];
                turn += k;
                if (turn >= m_length) turn -= m_length;
            }
            result[k] = sum;
        }
    }

    void runByConvolution(const std::vector<Complex>& signal, std::vector<Complex>& result) {
        const std::size_t whole = m_roots.size();
        m_padded.assign(whole, Complex{});
        for (std::size_t n = 0; n < m_length; ++n)
            m_padded[n] = signal[n] * m_chirp[n];
        transformPowerOfTwo(m_roots, m_padded, m_spectrum);
        // Back by the conjugates, so that one table of roots does.
        for (std::size_t k = 0; k < whole; ++k)
            m_spectrum[k] = std::conj(m_spectrum[k] * m_filter[k]);
        transformPowerOfTwo(m_roots, m_spectrum, m_padded);
        result.resize(m_length);
        for (std::size_t k = 0; k < m_length; ++k)
            result[k] = std::conj(m_padded[k]) * m_chirp[k] / static_cast<double>(whole);
    }

    std::size_t m_length;
    std::vector<Complex> m_roots;           ///< of the length, or of the one that is convolved in
    std::vector<Complex> m_chirp, m_filter; ///< Bluestein's; empty where not taken
    std::vector<Complex> m_padded, m_spectrum;
};

/// Whether the last dimension holds real numbers (1) or pairs (2).
Result<std::size_t> partsOf(const KernelCall& call, const TensorData& x) {
    const bool fits = x.rank() >= 2 && (x.shape().back() == 1 || x.shape().back() == 2);
    if (!fits) return call.fail("exec.bad-signal", {shapeText(x.shape())});
    if (!isFloating(x.type())) return call.noCodeFor(x.type());
    return static_cast<std::size_t>(x.shape().back());
}

/// A length that an input gives, or `otherwise` where it is omitted.
Result<std::int64_t> lengthIn(const KernelCall& call, std::size_t slot, std::int64_t otherwise) {
    const auto given = TRY(call.integersIn(slot));
    if (!given) return otherwise;
    if (given->size() != 1)
        return call.fail("exec.needs-one-element", {std::to_string(slot), std::to_string(given->size())});
    return given->front();
}

/// Room for the tables and rows of a transform, which are not small for a length of billions.
Result<std::shared_ptr<void>> chargeTables(const KernelCall& call, std::int64_t length) {
    return call.pool->charge(Transform::numbersFor(static_cast<std::uint64_t>(length)) * sizeof(Complex));
}

/// How many frequencies the result has: half of them say all about a real signal.
std::int64_t binsOf(std::int64_t length, bool isOneSided) {
    return isOneSided ? length / 2 + 1 : length;
}

Result<std::size_t> transformedAxis(const KernelCall& call, std::size_t rank) {
    constexpr std::int64_t kAxisIsInput = 20;
    const std::int64_t axis =
        call.opset >= kAxisIsInput ? TRY(lengthIn(call, 2, -2)) : call.integer("axis", 1);
    const std::size_t found = TRY(axisOf(call, axis, rank));
    if (found + 1 == rank)
        return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(rank - 1)});
    return found;
}

/// ONNX DFT 17, 20: N x D1.. x (1|2); `inverse` divides by the length.
Result<void> runDft(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::size_t parts = TRY(partsOf(call, *x));
    const std::size_t axis = TRY(transformedAxis(call, x->rank()));
    const bool isInverse = call.integer("inverse", 0) != 0, isOneSided = call.integer("onesided", 0) != 0;
    // Half of the result says all only about a real signal.
    if (isOneSided && (isInverse || parts == 2)) return call.fail("exec.bad-attribute", {"onesided", "1"});
    const std::int64_t length = TRY(lengthIn(call, 1, x->shape()[axis]));
    if (length < 1 || length > kMostSamples)
        return call.fail("exec.bad-position", {std::to_string(length), std::to_string(kMostSamples)});
    Shape shape = x->shape();
    shape[axis] = binsOf(length, isOneSided);
    shape.back() = 2;
    TensorData y = TRY(call.make(x->type(), shape));
    const auto workspace = TRY(chargeTables(call, length));
    Transform transform(static_cast<std::size_t>(length), isInverse);
    const auto cells = readAll<double>(*x);
    std::vector<double> made(static_cast<std::size_t>(y.count()));
    // Rows along the axis, of the real parts; the imaginary ones lie beside them.
    const AxisRows from(x->shape(), axis), to(shape, axis);
    std::vector<Complex> signal, result;
    const std::size_t taken = std::min<std::size_t>(static_cast<std::size_t>(length), from.offsets().size());
    for (std::size_t r = 0; r < from.rows(); r += parts) {
        if (call.work->isCancelled()) return cancelled();
        signal.assign(static_cast<std::size_t>(length), Complex{});
        for (std::size_t i = 0; i < taken; ++i) {
            const std::size_t at = from.start(r) + from.offsets()[i];
            signal[i] = {cells[at], parts == 2 ? cells[at + 1] : 0};
        }
        transform.run(signal, result);
        const double scale = isInverse ? 1 / static_cast<double>(length) : 1;
        for (std::size_t k = 0; k < to.offsets().size(); ++k) {
            const std::size_t at = to.start(r / parts * 2) + to.offsets()[k];
            made[at] = result[k].real() * scale;
            made[at + 1] = result[k].imag() * scale;
        }
    }
    writeAll(y, made);
    call.setOutput(0, std::move(y));
    return {};
}

/// The frames of one STFT.
struct Frames {
    std::int64_t step = 0, length = 0, count = 0;
    std::vector<double> window; ///< as long as a frame
};

Result<Frames> framesOf(const KernelCall& call, const TensorData& signal) {
    Frames frames;
    frames.step = TRY(lengthIn(call, 1, 0));
    const TensorData* window = TRY(call.optionalTensor(2));
    const std::int64_t samples = signal.shape()[1];
    const std::int64_t otherwise = window == nullptr ? samples : static_cast<std::int64_t>(window->count());
    frames.length = TRY(lengthIn(call, 3, otherwise));
    const bool fits = frames.step >= 1 && frames.length >= 1 && frames.length <= samples &&
                      (window == nullptr || window->count() == static_cast<std::uint64_t>(frames.length));
    if (!fits)
        return call.fail("exec.bad-frames", {std::to_string(frames.length), std::to_string(frames.step),
                                             std::to_string(samples)});
    if (window != nullptr && !isFloating(window->type())) return call.noCodeFor(window->type());
    frames.window = window == nullptr ? std::vector<double>(static_cast<std::size_t>(frames.length), 1)
                                      : readAll<double>(*window);
    frames.count = (samples - frames.length) / frames.step + 1;
    return frames;
}

/// ONNX STFT 17: N x samples x (1|2) to N x frames x frequencies x 2.
Result<void> runStft(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::size_t parts = TRY(partsOf(call, *x));
    if (x->rank() != 3) return call.fail("exec.bad-rank", {"3", shapeText(x->shape())});
    const Frames frames = TRY(framesOf(call, *x));
    const bool isOneSided = call.integer("onesided", 1) != 0;
    if (isOneSided && parts == 2) return call.fail("exec.bad-attribute", {"onesided", "1"});
    const std::int64_t bins = binsOf(frames.length, isOneSided);
    TensorData y = TRY(call.make(x->type(), {x->shape()[0], frames.count, bins, 2}));
    const auto workspace = TRY(chargeTables(call, frames.length));
    const auto length = static_cast<std::size_t>(frames.length);
    Transform transform(length, false);
    const auto cells = readAll<double>(*x);
    std::vector<double> made;
    made.reserve(static_cast<std::size_t>(y.count()));
    std::vector<Complex> signal(length), result;
    for (std::size_t n = 0; n < static_cast<std::size_t>(x->shape()[0]); ++n) {
        for (std::int64_t f = 0; f < frames.count; ++f) {
            if (call.work->isCancelled()) return cancelled();
            const std::size_t first =
                n * static_cast<std::size_t>(x->shape()[1]) + static_cast<std::size_t>(f * frames.step);
            for (std::size_t i = 0; i < length; ++i) {
                const std::size_t at = (first + i) * parts;
                signal[i] = Complex(cells[at], parts == 2 ? cells[at + 1] : 0) * frames.window[i];
            }
            transform.run(signal, result);
            for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k) {
                made.push_back(result[k].real());
                made.push_back(result[k].imag());
            }
        }
    }
    writeAll(y, made);
    call.setOutput(0, std::move(y));
    return {};
}

/// One number of a one-element input.
Result<double> numberIn(const KernelCall& call, std::size_t slot) {
    const TensorData* given = TRY(call.tensor(slot));
    if (given->count() != 1)
        return call.fail("exec.needs-one-element", {std::to_string(slot), shapeText(given->shape())});
    if (computeTypeOf(given->type()) == ComputeType::none) return call.noCodeFor(given->type());
    return readAll<double>(*given).front();
}

/// The frequencies, in steps of the spectrum, between which the triangles of the mel scale stand.
struct MelScale {
    std::int64_t bands = 0, bins = 0;
    std::vector<std::int64_t> corners; ///< bands + 2, each a bin
};

Result<MelScale> melScaleOf(const KernelCall& call) {
    const double bands = TRY(numberIn(call, 0)), length = TRY(numberIn(call, 1)),
                 rate = TRY(numberIn(call, 2)), low = TRY(numberIn(call, 3)), high = TRY(numberIn(call, 4));
    constexpr double kMost = 1e9;
    const bool fits = bands >= 1 && bands < kMost && length >= 1 && length < kMost && rate > 0 && low >= 0 &&
                      high >= low && high <= rate / 2;
    if (!fits) return call.fail("exec.bad-mel-scale");
    const auto melOf = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    MelScale scale;
    scale.bands = static_cast<std::int64_t>(bands);
    scale.bins = static_cast<std::int64_t>(length) / 2 + 1;
    const double lowMel = melOf(low), step = (melOf(high) - lowMel) / (bands + 2);
    for (std::int64_t i = 0; i < scale.bands + 2; ++i) {
        const double mel = lowMel + static_cast<double>(i) * step;
        const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
        const auto bin = static_cast<std::int64_t>(std::floor((length + 1) * hertz / rate));
        scale.corners.push_back(std::clamp<std::int64_t>(bin, 0, scale.bins - 1));
    }
    return scale;
}

/// ONNX MelWeightMatrix 17: frequencies x bands, one triangle a band.
Result<void> runMelWeightMatrix(const KernelCall& call) {
    const MelScale scale = TRY(melScaleOf(call));
    const auto type = static_cast<ElementType>(call.integer("output_datatype", 1));
    if (computeTypeOf(type) == ComputeType::none) return call.noCodeFor(type);
    TensorData y = TRY(call.make(type, {scale.bins, scale.bands}));
    std::vector<double> weights(static_cast<std::size_t>(y.count()));
    const auto at = [&](std::int64_t bin, std::int64_t band) -> double& {
        return weights[static_cast<std::size_t>(bin * scale.bands + band)];
    };
    for (std::int64_t band = 0; band < scale.bands; ++band) {
        const std::int64_t lower = scale.corners[static_cast<std::size_t>(band)],
                           centre = scale.corners[static_cast<std::size_t>(band + 1)],
                           upper = scale.corners[static_cast<std::size_t>(band + 2)];
        if (centre == lower) at(centre, band) = 1;
        for (std::int64_t bin = lower; bin <= centre && centre > lower; ++bin)
            at(bin, band) = static_cast<double>(bin - lower) / static_cast<double>(centre - lower);
        for (std::int64_t bin = centre; bin < upper; ++bin)
            at(bin, band) = static_cast<double>(upper - bin) / static_cast<double>(upper - centre);
    }
    writeAll(y, weights);
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kSpectra[] = {
    {"", "DFT", 17, &runDft},
    {"", "MelWeightMatrix", 17, &runMelWeightMatrix},
    {"", "STFT", 17, &runStft},
};

} // namespace

std::span<const KernelEntry> spectraKernels() {
    return kSpectra;
}

} // namespace secateur
