// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"

#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

namespace secateur {
namespace {

std::string integerText(std::int64_t number) {
    if (number >= 0) return formatCount(static_cast<std::uint64_t>(number));
    return "-" + formatCount(0 - static_cast<std::uint64_t>(number));
}

std::string quoted(std::string_view name) {
    constexpr std::size_t kMostCharacters = 80;
    return "`" + elideMiddle(printable(name), kMostCharacters) + "`";
}

} // namespace

std::string nodeText(const Model& model, NodeId node) {
    if (node.isNone()) return std::string(message("text.no-node"));
    const Node& n = model.node(node);
    if (n.kind == NodeKind::entry) return std::string(message("text.inputs"));
    if (n.kind == NodeKind::exit) return std::string(message("text.outputs"));
    const std::string op = printable(model.op(node));
    if (!model.name(node).empty()) return op + " " + quoted(model.name(node));
    for (const ValueId value : model.outputs(node)) {
        if (!value.isNone() && !model.name(value).empty())
            return formatMessage("text.node-making", {op, quoted(model.name(value))});
    }
    return fmt::format("{} #{}", op, node.index);
}

std::string valueText(const Model& model, ValueId value) {
    if (value.isNone()) return std::string(message("text.omitted"));
    if (!model.name(value).empty()) return quoted(model.name(value));
    const NodeId producer = model.producer(value);
    if (producer.isNone()) return fmt::format("#{}", value.index);
    return formatMessage("text.result-of",
                         {std::to_string(model.value(value).resultIndex + 1), nodeText(model, producer)});
}

std::string argumentText(const ReasonArgument& argument, const Model& model) {
    if (const auto* text = std::get_if<std::string>(&argument)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&argument)) return integerText(*number);
    if (const auto* real = std::get_if<double>(&argument)) return fmt::format("{:.6g}", *real);
    // What a later step made is not in a model of before.
    if (const auto* node = std::get_if<NodeId>(&argument)) {
        const bool isThere = node->isNone() || node->index < model.nodeIdCount();
        return isThere ? nodeText(model, *node) : std::string(message("text.later-node"));
    }
    const ValueId value = std::get<ValueId>(argument);
    const bool isThere = value.isNone() || value.index < model.valueIdCount();
    return isThere ? valueText(model, value) : std::string(message("text.later-value"));
}

std::string formatReason(const Reason& reason, const Model& model) {
    std::vector<std::string> texts;
    texts.reserve(reason.arguments.size());
    for (const ReasonArgument& argument : reason.arguments)
        texts.push_back(argumentText(argument, model));
    return formatMessage(reason.id, texts);
}

} // namespace secateur
