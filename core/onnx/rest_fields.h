// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// What the serialized remainder (`rest`) of a node, graph, function or value says to people: a doc string,
/// and pairs such as the stack traces that exporters write.
struct RestFields {
    std::string docString;
    std::vector<std::pair<std::string, std::string>> metadata;

    /// The value of a metadata key; null when there is none.
    [[nodiscard]] const std::string* find(std::string_view key) const;
};

/// Of a node: Node::rest.
[[nodiscard]] RestFields nodeFields(const Model& model, NodeId node);
/// The value of one metadata key of a node, without copying the others; empty when it has none. Valid as long
/// as the model.
[[nodiscard]] std::string_view nodeMetadata(const Model& model, NodeId node, std::string_view key);
/// Of a graph or function: GraphHeader.
[[nodiscard]] RestFields graphFields(const Model& model, GraphId graph);
/// Of a declared value: ValueInfo.
[[nodiscard]] RestFields valueFields(const ValueInfo& info);

/// Node::rest without doc string and metadata; what is left is empty for most nodes.
[[nodiscard]] std::string nodeRestWithoutTexts(std::string_view rest);
/// A ValueInfo without doc string and metadata; the same pointer when it has none.
[[nodiscard]] ValueInfoPtr infoWithoutTexts(const ValueInfoPtr& info);
/// A header without doc string and metadata.
[[nodiscard]] GraphHeader headerWithoutTexts(const GraphHeader& header, bool isFunction);
} // namespace secateur
