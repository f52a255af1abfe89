// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// Which numbers an input of the model may hold so that the model can run: found by walking back from the
/// operators that index with it.
struct InputDomain {
    enum class Kind : std::uint8_t {
        any,      ///< nothing is known: any number of its type
        index,    ///< positions in a dimension: Gather, GatherElements, GatherND, ScatterElements, OneHot,
                  ///< embeddings
        label,    ///< class numbers of a loss
        length,   ///< lengths of sequences
        count,    ///< a number of things: TopK, Range, Tile, Expand, ConstantOfShape
        positive, ///< numbers above zero: variances of BatchNormalization
        flag,     ///< booleans, and numbers that only become booleans
    };
    ValueId input;
    Kind kind = Kind::any;
    std::optional<std::int64_t> lowest, highest; ///< both included; none: not bounded on that side
    NodeId because;                              ///< the node that says so; none for `any`
    /// Numbers at which the model goes different ways, each once: true and false of a flag, what the input is
    /// compared with and another number. Where that is computed, one below and one above nearly everything.
    std::vector<double> choices;
};

/// Most numbers that are told of one input.
inline constexpr std::size_t kMostChoices = 4;

/// The domain of each input of the main graph, in their order. Where several nodes speak, the narrowest range
/// counts. Linear in the edges.
[[nodiscard]] std::vector<InputDomain> inputDomains(const Model& model, const TypeTable& types);

} // namespace secateur
