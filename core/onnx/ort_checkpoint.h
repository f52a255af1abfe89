// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

/// The weights in an ONNX Runtime training checkpoint. Tensors are ranges of the mapped file (or of its
/// `.data`).
struct OrtCheckpoint {
    struct Entry {
        std::string name;
        TensorPtr tensor;
        bool isTrainable = false;
    };
    std::vector<Entry> entries; ///< file order, names are unique
    std::filesystem::path path;

    [[nodiscard]] const Entry* find(std::string_view name) const;
    std::unordered_map<std::string, std::size_t> byName;
};

/// Is this file such a checkpoint, by its first bytes?
[[nodiscard]] bool looksLikeOrtCheckpoint(const std::filesystem::path& path);

/// Reads a checkpoint, every offset checked. Fails with InvalidInput on another revision, on damage, and on
/// one that "holds names and types only".
Result<OrtCheckpoint> loadOrtCheckpoint(const std::filesystem::path& path);

} // namespace secateur
