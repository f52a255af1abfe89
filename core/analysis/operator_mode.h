// SPDX-License-Identifier: Apache-2.0
//
// Does a node run in training mode? One answer for the roles, which tell a training graph by it, and for the
// passes, which take it out.
#pragma once

#include "core/ir/model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace secateur {

/// Mask of a form of Dropout: one boolean an element, one element of the data's type, or 32 elements in an
/// uint32.
enum class MaskKind : std::uint8_t { boolean, likeData, packed };

/// A form of Dropout: the standard one, or one that ONNX Runtime fuses with what stands before it.
struct DropoutForm {
    static constexpr std::size_t kNoSlot = 99;
    std::string_view op;
    std::size_t bias, residual, ratio, trainingMode; ///< input slots
    MaskKind mask;
    bool hasSoftmax;
};

/// The form of a Dropout of any kind at the opset of its node; none for other operators.
[[nodiscard]] std::optional<DropoutForm> dropoutForm(const Model& model, NodeId node);

/// How a Dropout decides whether to drop.
enum class DropoutMode : std::uint8_t {
    inference, ///< it does not
    zeroRatio, ///< nothing, as its ratio is a constant 0
    training,  ///< it does
    computed,  ///< its training_mode is only known at run time
};
[[nodiscard]] DropoutMode dropoutMode(const Model& model, NodeId node, const DropoutForm& form);

/// BatchNormInternal of com.microsoft?
[[nodiscard]] bool isBatchNormInternal(const Model& model, NodeId node);
/// Does a BatchNormalization or BatchNormInternal take its statistics from the batch? By version: `is_test`
/// up to opset 6, the number of results from 7 to 13, `training_mode` from 14 on.
[[nodiscard]] bool takesBatchStatistics(const Model& model, NodeId node);

} // namespace secateur
