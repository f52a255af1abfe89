// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {

/// Contents are looked at up to this size: shapes, axes, paddings. Larger tensors are data, not shapes.
constexpr std::size_t kContentLimit = 64 * 1024;
/// As many elements of a partially known value are kept.
constexpr int kElementLimit = 8192;

/// The elements of a small integer tensor as far as they are known: numbers, symbols, unknown. This is
/// libonnx's way to write it.
using PartialValue = std::shared_ptr<const onnx::TensorShapeProto>;

/// All that inference knows of one value.
struct ValueFacts {
    std::uint32_t type = 0;  ///< in the TypePool
    bool isDeclared = false; ///< rests on a declaration of the file
    PartialValue value;      ///< null when nothing is known
};

/// One activation of a root graph: of the model's own graphs (all their facts are in the table), or of the
/// body of one function call, whose facts are scratch: a body has other types at each call site.
struct Frame {
    GraphId root;
    Frame* caller = nullptr; ///< null for the model's own graphs
    NodeId call;             ///< the node in `caller` that calls
    std::string stem;        ///< of the symbols that are made in it
    std::unordered_map<std::uint32_t, ValueFacts> facts;
    std::unordered_map<std::uint32_t, TensorPtr> constants; ///< of the inputs
    std::vector<ValueId> absentInputs;                      ///< formal inputs that the call omits
    std::vector<std::pair<std::string_view, const Attribute*>>
        attributes; ///< what the call gives, or a default

    [[nodiscard]] bool isCall() const { return caller != nullptr; }
};

} // namespace secateur
