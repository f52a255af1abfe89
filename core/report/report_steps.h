// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// The nodes of the original in whose place a step put others, by NodeId index.
[[nodiscard]] std::vector<bool> replacedNodes(const History& history);
/// The steps of a history in words, reasons grouped by kind.
[[nodiscard]] std::vector<ReportStep> describeSteps(const History& history);

/// What the letters of classes in `letters` mean, in words, each once: "E exact: ...; C conversion: ...".
[[nodiscard]] std::string classesInWords(std::string_view letters);

/// Every node of the original that is gone at the end, in program order, with its reason and path.
[[nodiscard]] std::vector<RemovedNode> describeRemoved(const History& history);

/// The name that stands for a node in lists: its own, else its first result's, else "#id".
[[nodiscard]] std::string nodeLabel(const Model& model, NodeId node);

} // namespace secateur
