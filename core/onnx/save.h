// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace secateur {

/// The bytes of the model as protobuf would write it: fields in order, without what is erased.
Result<std::string> serializeModel(const Model& model);

/// Size in bytes of what serializeModel gives, without making it.
Result<std::uint64_t> serializedSize(const Model& model);

/// Refuses, with `usage`, to write over a file that tensors of the model are read from: the opened model
/// would lose its weights.
Result<void> checkHoldsNoWeights(const Model& model, const std::filesystem::path& target);

/// How a model is written.
struct SaveOptions {
    /// A model file over this size gets its larger initializers in a file beside it. The format allows no
    /// more than the default, one byte less than 2 GiB.
    std::uint64_t largestFile = 0x7fffffff;
};

/// Writes the model, whole or not at all (a temporary file, synced and renamed; never over a mapped file in
/// place). Tensors that lie in external files are copied beside the target, to `<name>.data`, when the target
/// is in another folder than they are; a model over 2 GiB (or `options.largestFile`) is written with external
/// data, too. A Usage error, and nothing written, where `path` or the data file holds weights that the model
/// is read from, and where the data file is there and does not belong to the model at `path`.
Result<void> saveModel(const Model& model, const std::filesystem::path& path, const WorkContext& work = {},
                       const SaveOptions& options = {});

} // namespace secateur
