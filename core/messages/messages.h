// SPDX-License-Identifier: Apache-2.0
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

/// Fills {0}, {1} ... of the sentence with texts.
[[nodiscard]] std::string formatMessage(std::string_view id, const std::vector<std::string>& arguments);
/// A reason as a sentence: nodes as "Op `name`", values as "`name`", numbers with separators. Names are read from
/// `model`, whose erased nodes and values stay readable.
[[nodiscard]] std::string formatReason(const Reason& reason, const Model& model);
/// "MatMul `node_MatMul_46`"; an unnamed node is called by its first result: "MatMul -> `v12`".
[[nodiscard]] std::string nodeText(const Model& model, NodeId node);

} // namespace secateur
