// SPDX-License-Identifier: Apache-2.0
//
// What a model's nodes and values are called in sentences, and reasons as sentences. The sentences themselves
// stand in sentences.h, which every layer may use.
#pragma once

#include "core/ir/model.h"
#include "core/ir/reason.h"
#include "core/messages/sentences.h"

#include <string>

namespace secateur {

/// A reason as a sentence: nodes as "Op `name`", values as "`name`", numbers with separators. Names are read
/// from `model`, whose erased nodes and values stay readable.
[[nodiscard]] std::string formatReason(const Reason& reason, const Model& model);
/// "MatMul `node_MatMul_46`"; an unnamed node is called by its first result: "MatMul making `v12`". The entry
/// and exit of a graph are "inputs" and "outputs".
[[nodiscard]] std::string nodeText(const Model& model, NodeId node);
/// "`hidden`"; an unnamed value by its producer: "result 1 of Split `s`".
[[nodiscard]] std::string valueText(const Model& model, ValueId value);
/// One argument of a reason as `formatReason` writes it.
[[nodiscard]] std::string argumentText(const ReasonArgument& argument, const Model& model);

} // namespace secateur
