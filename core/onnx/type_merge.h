// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace secateur {

/// What came of laying a declared type beside an inferred one.
struct MergeResult {
    bool usedDeclaration = false; ///< the declaration filled something that inference left open
    bool contradicts = false;     ///< where both know something they differ; inference was kept
};

/// Completes `inferred` with what `declared` knows beyond it. What is inferred is never changed: where both
/// name a dimension by a symbol the inferred one stays.
MergeResult mergeDeclared(onnx::TypeProto& inferred, const onnx::TypeProto& declared);

/// May the type have a dimension that is neither a number nor a symbol? Cheap; exact for tensors.
[[nodiscard]] bool hasUnknownDims(const onnx::TypeProto& type);

/// Gives each dimension of which nothing is known a symbol: `stem` and a running number, so that equal
/// dimensions can be recognised further on.
void nameUnknownDims(onnx::TypeProto& type, std::string_view stem);

} // namespace secateur
