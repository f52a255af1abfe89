// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/runtime_value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// How far two results may lie apart and still be called equal: |a - b| <= absolute + relative * |b|.
struct Tolerance {
    double relative = 1e-4;
    double absolute = 1e-5;
};

/// How two results differ; of sequences and optionals, the worst of their parts.
struct ValueDifference {
    bool fits = true; ///< same kind, element type and shape; else nothing below is set
    bool isWithin =
        true; ///< within the tolerance, NaN only where the other has it, strings and integers equal
    bool isFloating = false;         ///< of a floating point type: only there ULP and cosine mean anything
    bool isSameBits = true;          ///< not one bit differs
    double maxAbsolute = 0;          ///< largest |a - b| of finite elements
    double maxRelative = 0;          ///< largest |a - b| / max(|b|, smallest normal float)
    std::uint64_t maxUlp = 0;        ///< largest distance in representable numbers of the element type
    double cosine = 1;               ///< of the two as vectors, in double; 1 where both are zero
    std::uint64_t elements = 0;      ///< that were compared
    std::uint64_t telling = 0;       ///< of these, elements that are no NaN or infinity on both sides
    std::uint64_t differing = 0;     ///< elements whose bits differ
    std::uint64_t nanMismatches = 0; ///< elements that are NaN or infinite on one side only
    std::uint64_t outside = 0;       ///< elements that are not within the tolerance
    /// The largest |a - b| / (absolute + relative * |b|): above 1 is outside of the tolerance; infinite where
    /// NaN or an infinity stands on one side only, and of elements that have no distance.
    double excess = 0;
    std::uint64_t worstAt = 0;           ///< the element with the largest excess
    double worstAbsolute = 0;            ///< |a - b| of that element; NaN where it has none
    double worstRelative = 0;            ///< the same / |b|; infinite where b is 0
    std::string worstGot, worstExpected; ///< that element of a and of b as text; empty where all are the same
    std::string misfit;                  ///< in words, when `fits` is false

    /// How far the worst element lies apart: "3.0e-07 absolute, 1.2e-06 relative". Asked for where something
    /// differs.
    [[nodiscard]] std::string apartText() const;
    /// The worst element in words: "element 5 is 0.31, expected is 0.25 (0.06 absolute, 0.24 relative)"; what
    /// does not fit where it does not. Asked for where something differs.
    [[nodiscard]] std::string worstText() const;
};

/// Compares `a` with the expected `b`.
[[nodiscard]] ValueDifference compareValues(const RuntimeValue& a, const RuntimeValue& b,
                                            const Tolerance& tolerance);

/// Is there more to say of `a` than of `b`: does it lie further beyond what is allowed?
[[nodiscard]] bool isWorse(const ValueDifference& a, const ValueDifference& b);
/// Makes `all` the worse of both: for several outputs, sets of inputs, parts of a sequence.
void joinWorse(ValueDifference& all, const ValueDifference& part);

} // namespace secateur
