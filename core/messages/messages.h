// SPDX-License-Identifier: Apache-2.0
//
// Every sentence that people read, by id. The texts stand in resources/messages/en/<area>.json, one flat object each,
// and are part of the program. A sentence has places: {0}, {1} ... are filled by the arguments in order, and
// {0|node|nodes} gives the first word where argument 0 is the number 1, the second otherwise.
#pragma once

#include "core/ir/model.h"
#include "core/rewrite/reason.h"

#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// The sentence of a message id in the language of this process; the id itself, in brackets, when it is unknown.
[[nodiscard]] std::string_view message(std::string_view id);
[[nodiscard]] bool hasMessage(std::string_view id);
/// All ids, sorted.
[[nodiscard]] std::vector<std::string> messageIds();

/// Fills {0}, {1} ... of the sentence with texts. A place without an argument stays as it is written.
[[nodiscard]] std::string formatMessage(std::string_view id, const std::vector<std::string>& arguments);
/// A reason as a sentence: nodes as "Op `name`", values as "`name`", numbers with separators. Names are read from
/// `model`, whose erased nodes and values stay readable.
[[nodiscard]] std::string formatReason(const Reason& reason, const Model& model);
/// "MatMul `node_MatMul_46`"; an unnamed node is called by its first result: "MatMul -> `v12`". The entry and exit of
/// a graph are "inputs" and "outputs".
[[nodiscard]] std::string nodeText(const Model& model, NodeId node);
/// "`hidden`"; an unnamed value by its producer: "result 1 of Split `s`".
[[nodiscard]] std::string valueText(const Model& model, ValueId value);
/// One argument of a reason as `formatReason` writes it.
[[nodiscard]] std::string argumentText(const ReasonArgument& argument, const Model& model);

} // namespace secateur
