// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/ir/verifier.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace secateur {

/// A model as it was opened, with all that was wrong with it.
struct LoadedModel {
    Model model;
    std::vector<Problem> problems;    ///< of the file and of the graph; the model is usable all the same
    std::filesystem::path path;       ///< empty when it came from memory
    std::uint64_t fileBytes = 0;      ///< of the model file
    std::uint64_t externalBytes = 0;  ///< of the ranges of other files that its tensors use
    std::uint64_t metadataBytes = 0;  ///< of metadata_props and doc strings on nodes and values
    std::filesystem::path checkpoint; ///< a sibling ONNX Runtime training checkpoint, when there is one
};

/// Opens an ONNX file. The file is mapped; tensor contents stay in it and are read when asked for. Fails with
/// InvalidInput for what is no ONNX model at all - another format is named, with the command that exports it
/// - and opens everything else, listing defects as problems. The journal of the model is empty.
Result<LoadedModel> loadModel(const std::filesystem::path& path, const WorkContext& work = {});

/// The same from memory; `name` stands for the file in messages, `folder` is where external data are looked
/// up.
Result<LoadedModel> loadModelFromBytes(ByteRef bytes, std::string name = "model",
                                       std::filesystem::path folder = {});

} // namespace secateur
