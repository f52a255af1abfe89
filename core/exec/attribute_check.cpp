// SPDX-License-Identifier: Apache-2.0
#include "core/exec/attribute_check.h"

#include "core/exec/tensor_data.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"

#include <algorithm>
#include <string_view>

namespace secateur {
namespace {

/// The smallest number that makes sense, for attributes that mean the same in every operator that has them.
struct Least {
    std::string_view attribute;
    std::int64_t number;
    std::string_view butIn = {}; ///< an operator with another meaning
};
constexpr Least kLeast[] = {
    {"blocksize", 1},      {"dilations", 1},      {"group", 1},       {"hidden_size", 1},
    {"kernel_shape", 1},   {"num_groups", 1},     {"num_outputs", 1}, {"output_height", 1},
    {"output_padding", 0}, {"output_width", 1},   {"pads", 0, "Pad"}, {"pooled_shape", 1},
    {"sample_size", 1},    {"sampling_ratio", 0}, {"size", 1},        {"strides", 1},
};

Result<void> checkLeast(const Model& model, NodeId node, const Attribute& attribute) {
    const auto rule = std::find_if(std::begin(kLeast), std::end(kLeast),
                                   [&](const Least& each) { return each.attribute == attribute.name; });
    if (rule == std::end(kLeast) || rule->butIn == model.op(node)) return {};
    std::vector<std::int64_t> numbers;
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value))
        numbers = *list;
    else if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
        numbers = {*number};
    if (std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n >= rule->number; }))
        return {};
    return invalidInput(formatMessage("exec.attribute-least",
                                      {attribute.name, shapeText(numbers), std::to_string(rule->number)}),
                        nodeText(model, node));
}

/// Since opset 18 Split may say how many pieces it makes: as many as the node has results.
Result<void> checkPieces(const Model& model, NodeId node) {
    const Attribute* given = model.isOp(node, "Split") ? model.attribute(node, "num_outputs") : nullptr;
    const auto* number = given == nullptr ? nullptr : std::get_if<std::int64_t>(&given->value);
    const auto results = static_cast<std::int64_t>(model.outputs(node).size());
    if (number == nullptr || *number == results) return {};
    return invalidInput(formatMessage("exec.attribute-results",
                                      {given->name, std::to_string(*number), std::to_string(results)}),
                        nodeText(model, node));
}

} // namespace

Result<void> checkAttributeValues(const Model& model, NodeId node) {
    if (!model.isDefaultDomain(node)) return {};
    for (const Attribute& attribute : model.attributes(node))
        TRY(checkLeast(model, node, attribute));
    return checkPieces(model, node);
}

} // namespace secateur
