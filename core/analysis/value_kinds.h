// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/roles.h"
#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>
#include <string_view>

namespace secateur {

/// What an input or initializer of a graph is there for.
enum class ValueKind : std::uint8_t {
    data,            ///< an input that the network computes with
    constant,        ///< a number or table that the network computes with, and that nothing trains
    weight,          ///< a parameter of the network
    statistic,       ///< a running mean or variance of a BatchNormalization
    label,           ///< what the loss compares the prediction with
    seed,            ///< what derivatives begin with: a gradient of an output, a tangent of an input
    lossNumber,      ///< another number that the loss works with
    gradientNumber,  ///< a number or table that only the backward half works with
    gradientBuffer,  ///< where gradients are added up between two updates
    bufferSwitch,    ///< says whether the gradient buffers are cleared
    moment,          ///< what the optimizer keeps for a weight from step to step
    stepCount,       ///< how many steps the optimizer has made
    optimizerNumber, ///< a learning rate, a decay, a factor of the moments
    unread,          ///< nothing reads it
};
/// "data", "weight" ... as JSON writes it.
[[nodiscard]] std::string_view valueKindName(ValueKind kind);

struct ValueUse {
    ValueKind kind = ValueKind::unread;
    ValueId of; ///< of a moment or gradient buffer: the weight; none where it is not known
};

/// What `value`, an input or initializer of the main graph of the opened `model`, is there for: by who reads
/// it, by structure and operator types, never by a name. Linear in its readers and in the nodes of the graph.
[[nodiscard]] ValueUse useOf(const Model& model, const TypeTable& types, const RoleTable& roles,
                             ValueId value);

} // namespace secateur
