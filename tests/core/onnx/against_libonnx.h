// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace secateur {

/// How our types of a model compare with those of libonnx's own driver.
struct Comparison {
    std::size_t values = 0; ///< results of nodes, bodies included
    std::size_t equal = 0;
    std::size_t ours = 0;          ///< where we know more
    std::vector<std::string> lost; ///< where libonnx knows more, or something else: one line each
    std::string failure;           ///< libonnx gave up on the model
};

/// Drops value_info everywhere, infers with libonnx (data propagation on), and compares result by result with
/// `types` of `model`, which must come from the same bytes.
Comparison compareWithLibonnx(const Model& model, const TypeTable& types, onnx::ModelProto proto);

onnx::ModelProto readProto(const std::filesystem::path& path);

/// The model without the declarations of inner values.
void dropValueInfo(onnx::GraphProto& graph);

} // namespace secateur
