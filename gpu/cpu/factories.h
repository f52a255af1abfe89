// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <span>
#include <string_view>

namespace secateur {

/// Makes a fast kernel for a node; none where there is none for these types, shapes or attributes.
using KernelFactory = std::optional<PreparedStep> (*)(const NodeFacts&);

struct FactoryEntry {
    std::string_view op; ///< all opset versions; of other domains as "com.microsoft.Gelu"
    KernelFactory make;
};

// One table for each file.
[[nodiscard]] std::span<const FactoryEntry> unaryFactories();
[[nodiscard]] std::span<const FactoryEntry> binaryFactories();
[[nodiscard]] std::span<const FactoryEntry> batchNormalizationFactories();
[[nodiscard]] std::span<const FactoryEntry> convolutionFactories();
[[nodiscard]] std::span<const FactoryEntry> poolingFactories();
[[nodiscard]] std::span<const FactoryEntry> matrixFactories();
[[nodiscard]] std::span<const FactoryEntry> paddingFactories();
[[nodiscard]] std::span<const FactoryEntry> quantizationFactories();
[[nodiscard]] std::span<const FactoryEntry> quantizedConvolutionFactories();
[[nodiscard]] std::span<const FactoryEntry> quantizedProductFactories();
[[nodiscard]] std::span<const FactoryEntry> quantizedRecurrentFactories();
[[nodiscard]] std::span<const FactoryEntry> recurrentFactories();
[[nodiscard]] std::span<const FactoryEntry> resizeFactories();
[[nodiscard]] std::span<const FactoryEntry> reductionFactories();
[[nodiscard]] std::span<const FactoryEntry> movementFactories();
[[nodiscard]] std::span<const FactoryEntry> typedElementwiseFactories(); ///< asked after all others

/// The fast kernel of a node, or a step without a kernel: the reference kernel runs it then. Never throws.
[[nodiscard]] PreparedStep prepareStep(const NodeFacts& facts);

} // namespace secateur
