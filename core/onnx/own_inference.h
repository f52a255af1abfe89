// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inference functions of our own operator table. Each takes the node and the rule of its entry.

#include "core/onnx/node_context.h"

#include <string_view>

namespace secateur::own {

/// One word per output, separated by spaces: `=0` like input 0 (`=0|1`: whatever input 1 knows beyond that),
/// `bool=0` another element type in the shape of input 0, `bool[]` a scalar, `bool[1]` a vector of one,
/// `int64[?]` a vector of unknown length, `-` nothing.
void byRule(GraphAwareContext& context, std::string_view rule);
/// Every output i is like input i + the number in the rule.
void pairwise(GraphAwareContext& context, std::string_view rule);
/// By libonnx's function of the standard operator named in the rule ("Concat 13"), then the rest of the rule
/// as byRule reads it ("Concat 13 - int64[?]").
void byStandard(GraphAwareContext& context, std::string_view rule);
/// Output 0 has the element type of the input the rule names second and the shape that the input named first
/// holds.
void shapedByValue(GraphAwareContext& context, std::string_view rule);

void convGrad(GraphAwareContext& context, std::string_view rule);
void maxPoolGrad(GraphAwareContext& context, std::string_view rule);
void averagePoolGrad(GraphAwareContext& context, std::string_view rule);
/// Y like X; the statistics named in the rule (1 or 2 of them) with the normalised dimensions 1.
void layerNormalization(GraphAwareContext& context, std::string_view rule);
/// A loss over scores (input 0) and labels (input 1), with log probabilities as second result.
void crossEntropy(GraphAwareContext& context, std::string_view rule);
/// LSTM and GRU that keep what their gradients need. The rule is the number of gates.
void recurrentTraining(GraphAwareContext& context, std::string_view rule);
void recurrentGrad(GraphAwareContext& context, std::string_view rule);
void concatTraining(GraphAwareContext& context, std::string_view rule);
void splitTraining(GraphAwareContext& context, std::string_view rule);
void bitmaskDropout(GraphAwareContext& context, std::string_view rule);
void fusedMatMul(GraphAwareContext& context, std::string_view rule);
void matMulPacked(GraphAwareContext& context, std::string_view rule);
void mixedPrecisionScale(GraphAwareContext& context, std::string_view rule);
void yieldOp(GraphAwareContext& context, std::string_view rule);
void broadcastFloat(GraphAwareContext& context, std::string_view rule);
void tableRegressor(GraphAwareContext& context, std::string_view rule);

} // namespace secateur::own
