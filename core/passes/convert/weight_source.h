// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/support/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {

/// Named tensors of a file: an ONNX Runtime training checkpoint, or the initializers of an ONNX model.
/// Contents stay in the mapped file.
struct WeightSource {
    std::vector<std::pair<std::string, TensorPtr>> tensors; ///< file order
    std::unordered_map<std::string, std::size_t> byName;

    [[nodiscard]] TensorPtr find(const std::string& name) const {
        const auto at = byName.find(name);
        return at == byName.end() ? nullptr : tensors[at->second].second;
    }
};

/// Opens a file of weights, by content.
Result<WeightSource> openWeights(const std::filesystem::path& path);

} // namespace secateur
