// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>

namespace secateur {

/// Hash of everything that saving would write - names, order, types, metadata - and of the ids and the order
/// of uses besides. Equal before a step and after its undo. Tensors count by type, dims and where their bytes
/// are.
[[nodiscard]] std::uint64_t exactHash(const Model& model);

/// Hash of the computation alone, up to renaming: operators, attributes, data flow and small constants, not
/// names, metadata, ids or the order in which independent nodes stand. Large tensors (over 64 elements) count
/// by type and dims.
[[nodiscard]] std::uint64_t structuralHash(const Model& model);

} // namespace secateur
