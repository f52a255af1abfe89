// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/models.h"

namespace secateur::testing {

/// The models beside the sources, and the cases that come with them; none on a machine without.
inline std::vector<std::filesystem::path> realModels() {
    std::vector<std::filesystem::path> out;
    const std::filesystem::path models = modelsFolder();
    if (models.empty()) return out;
    for (const std::filesystem::path& folder : {models, models.parent_path() / "cases"}) {
        const auto more = filesBelow(folder, ".onnx");
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

/// Every model at hand: those above, and the test data of ONNX itself.
inline std::vector<std::filesystem::path> everyModel() {
    auto out = filesBelow(SECATEUR_ONNX_TEST_DATA, ".onnx");
    const auto more = realModels();
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

} // namespace secateur::testing
