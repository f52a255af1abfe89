// SPDX-License-Identifier: Apache-2.0
#include "core/exec/kernel_tables.h"

namespace secateur {

std::vector<std::span<const KernelEntry>> kernelTables() {
    return {
        activationGradientKernels(),
        arithmeticKernels(),
        castKernels(),
        comparisonKernels(),
        controlFlowKernels(),
        convolutionKernels(),
        deformableKernels(),
        detectionKernels(),
        einsumKernels(),
        gatherScatterKernels(),
        gridSampleKernels(),
        lossKernels(),
        matrixKernels(),
        movementKernels(),
        normalizationKernels(),
        optimizerKernels(),
        poolingKernels(),
        quantizationKernels(),
        randomKernels(),
        recurrentKernels(),
        reductionKernels(),
        resizeKernels(),
        sequenceKernels(),
        shapeKernels(),
        softmaxKernels(),
        sortingKernels(),
        spectraKernels(),
        stringKernels(),
        textFeatureKernels(),
        unaryMathKernels(),
    };
}

} // namespace secateur
