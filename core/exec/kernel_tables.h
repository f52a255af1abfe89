// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <span>
#include <vector>

namespace secateur {

// One table for each file of core/exec/operators.
[[nodiscard]] std::span<const KernelEntry> activationGradientKernels();
[[nodiscard]] std::span<const KernelEntry> arithmeticKernels();
[[nodiscard]] std::span<const KernelEntry> castKernels();
[[nodiscard]] std::span<const KernelEntry> comparisonKernels();
[[nodiscard]] std::span<const KernelEntry> controlFlowKernels();
[[nodiscard]] std::span<const KernelEntry> convolutionKernels();
[[nodiscard]] std::span<const KernelEntry> deformableKernels();
[[nodiscard]] std::span<const KernelEntry> detectionKernels();
[[nodiscard]] std::span<const KernelEntry> einsumKernels();
[[nodiscard]] std::span<const KernelEntry> gatherScatterKernels();
[[nodiscard]] std::span<const KernelEntry> gridSampleKernels();
[[nodiscard]] std::span<const KernelEntry> lossKernels();
[[nodiscard]] std::span<const KernelEntry> matrixKernels();
[[nodiscard]] std::span<const KernelEntry> movementKernels();
[[nodiscard]] std::span<const KernelEntry> normalizationKernels();
[[nodiscard]] std::span<const KernelEntry> optimizerKernels();
[[nodiscard]] std::span<const KernelEntry> poolingKernels();
[[nodiscard]] std::span<const KernelEntry> quantizationKernels();
[[nodiscard]] std::span<const KernelEntry> randomKernels();
[[nodiscard]] std::span<const KernelEntry> recurrentKernels();
[[nodiscard]] std::span<const KernelEntry> reductionKernels();
[[nodiscard]] std::span<const KernelEntry> resizeKernels();
[[nodiscard]] std::span<const KernelEntry> sequenceKernels();
[[nodiscard]] std::span<const KernelEntry> shapeKernels();
[[nodiscard]] std::span<const KernelEntry> softmaxKernels();
[[nodiscard]] std::span<const KernelEntry> sortingKernels();
[[nodiscard]] std::span<const KernelEntry> spectraKernels();
[[nodiscard]] std::span<const KernelEntry> stringKernels();
[[nodiscard]] std::span<const KernelEntry> textFeatureKernels();
[[nodiscard]] std::span<const KernelEntry> unaryMathKernels();

/// All tables.
[[nodiscard]] std::vector<std::span<const KernelEntry>> kernelTables();

} // namespace secateur
