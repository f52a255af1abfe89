// SPDX-License-Identifier: Apache-2.0
#include "core/messages/value_list.h"

#include "core/messages/messages.h"

#include <algorithm>
#include <vector>

namespace secateur {
namespace {

template <class Id, class Text>
std::string list(std::span<const Id> ids, std::size_t most, const Text& textOf) {
    std::vector<std::string> shown;
    for (const Id id : ids.first(std::min(most, ids.size())))
        shown.push_back(textOf(id));
    shown.resize(ids.size()); // those that are only counted
    return shortList(shown, most);
}

} // namespace

std::string valueList(const Model& model, std::span<const ValueId> values, std::size_t most) {
    return list(values, most, [&](ValueId value) { return valueText(model, value); });
}

std::string nodeList(const Model& model, std::span<const NodeId> nodes, std::size_t most) {
    return list(nodes, most, [&](NodeId node) { return nodeText(model, node); });
}

} // namespace secateur
