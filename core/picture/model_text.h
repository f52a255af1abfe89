// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/layout/layout_graph.h"
#include "core/onnx/type_inference.h"

#include <string>
#include <string_view>

namespace secateur {

/// The value of an attribute in one line, at most `limit` characters: "[3,3]", "0.5", "\"SAME_UPPER\"",
/// "float[64]", "body of 12 nodes".
[[nodiscard]] std::string attributeText(const Model& model, const Attribute& attribute,
                                        std::size_t limit = 40);
/// The type of a value without names for dimensions that the model does not name: of such nothing is known
/// but that they are one number each.
[[nodiscard]] Type shownType(const TypeTable& types, ValueId value);
/// The type of a value with "?" for dimensions of which nothing is known but that they are one number:
/// "float[batch,?,64]".
[[nodiscard]] std::string typeText(const TypeTable& types, ValueId value);
/// A small constant by its contents ("0.125", "[0,-1]"), else by its type.
[[nodiscard]] std::string tensorText(const Tensor& tensor, std::size_t limit = 24);
/// Bytes of a dense tensor, apart from the dimensions that are names.
struct TensorSize {
    double bytes = -1;  ///< for one of each factor; below 0: not known
    std::string factor; ///< the names as a product: "batch × time"; empty: `bytes` is all
};
[[nodiscard]] TensorSize tensorSize(const TypeTable& types, ValueId value);
/// "16 MiB", "1.5 KiB", "batch × 12 KiB"; "" when the size is not known.
[[nodiscard]] std::string sizeText(const TensorSize& size);
/// Family of an operator, for the fill of its title.
[[nodiscard]] OperatorKind operatorKindOf(std::string_view op, bool isKnownDomain);
/// What the operator calls an input, in a word or a letter ("W", "bias"); "" where it has no usual short
/// name.
[[nodiscard]] std::string_view inputLabel(std::string_view op, std::size_t slot);
/// Whether inputLabel() knows the operator at all.
[[nodiscard]] bool hasInputLabels(std::string_view op);
/// "-1.5e-05", "3", "0.125": the shortest text of a number with at most six digits.
[[nodiscard]] std::string numberText(double value);

} // namespace secateur
