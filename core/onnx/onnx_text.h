// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

struct ModelText {
    std::string text;
    std::uint64_t leftOut = 0; ///< tensors of which the text has no elements, as its first line says
};

/// The model in ONNX's own text syntax, to be read by people: tensors of more than `mostElements` elements
/// are named with their type and how many elements are left out. Names of operators, domains and attributes
/// that the syntax has no way to write get underscores; what cannot be seen in other names is written out.
/// Builds the whole message in memory for the time of the call.
Result<ModelText> onnxText(const Model& model, std::uint64_t mostElements = 64);

/// Some nodes of the model in the same syntax, one below the other in program order: what is copied from a
/// picture. Bodies are named by how many nodes they hold. Nodes that are gone are left out.
Result<std::string> nodesText(const Model& model, std::vector<NodeId> nodes, std::uint64_t mostElements = 64);

} // namespace secateur
