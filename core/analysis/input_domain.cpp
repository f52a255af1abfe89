// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/input_domain.h"

#include "core/ir/constants.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace secateur {
namespace {

using Kind = InputDomain::Kind;

/// What one input slot of an operator asks of the numbers in it.
struct Demand {
    Kind kind = Kind::any;
    std::optional<std::int64_t> lowest, highest;
};

/// The number of elements along a dimension, where it is known.
std::optional<std::int64_t> dimOf(const TypeTable& types, ValueId value, std::int64_t axis) {
    if (value.isNone()) return std::nullopt;
    const Type& type = types.type(value);
    if (!type.isTensor() || !type.hasShape) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(type.dims.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    return type.dims[static_cast<std::size_t>(axis)].value;
}

std::optional<std::int64_t> lastOf(std::optional<std::int64_t> dim) {
    return dim && *dim > 0 ? std::optional(*dim - 1) : std::nullopt;
}

/// Operators that index the dimension `axis` of input 0 by slot 1.
bool indexesAlongAxis(std::string_view op) {
    return op == "Gather" || op == "GatherElements" || op == "ScatterElements" || op == "Scatter";
}

/// Operators with a running variance in slot 4, of which they take a root.
bool isNormalization(std::string_view op) {
    return op == "BatchNormalization" || op == "BatchNormInternal";
}

/// Losses with labels in slot `label` for the classes in dimension 1 of slot `scores`.
struct LossSlots {
    std::string_view op;
    std::size_t scores, label;
};
constexpr LossSlots kLosses[] = {
    {"SoftmaxCrossEntropyLoss", 0, 1},
    {"NegativeLogLikelihoodLoss", 0, 1},
    {"SoftmaxCrossEntropyLossInternal", 0, 1},
    {"NegativeLogLikelihoodLossInternal", 0, 1},
    {"NegativeLogLikelihoodLossInternal2", 0, 1},
    {"SparseSoftmaxCrossEntropy", 0, 1},
    {"SoftmaxCrossEntropyLossGrad", 1, 2},
    {"SoftmaxCrossEntropyLossInternalGrad", 1, 2},
    {"SparseSoftmaxCrossEntropyGrad", 1, 2},
};

Demand demandOf(const Model& model, const TypeTable& types, NodeId node, std::size_t slot) {
    const std::string_view op = model.op(node);
    if (slot == 1 && indexesAlongAxis(op))
        return {Kind::index, 0,
                lastOf(dimOf(types, model.input(node, 0), model.intAttribute(node, "axis", 0)))};
    if (slot == 1 && (op == "GatherND" || op == "ScatterND"))
        return {Kind::index, 0,
                lastOf(dimOf(types, model.input(node, 0), model.intAttribute(node, "batch_dims", 0)))};
    if (slot == 0 && op == "OneHot") {
        const auto depth = constantScalar(model, model.input(node, 1));
        return {Kind::index, 0, depth ? lastOf(static_cast<std::int64_t>(*depth)) : std::nullopt};
    }
    for (const LossSlots& loss : kLosses) {
        if (loss.op == op && loss.label == slot)
            return {Kind::label, 0, lastOf(dimOf(types, model.input(node, loss.scores), 1))};
    }
    if (slot == 4 && isNormalization(op)) return {Kind::positive, {}, {}};
    if (op == "ReverseSequence" && slot == 1)
        return {Kind::length, 0,
                dimOf(types, model.input(node, 0), model.intAttribute(node, "time_axis", 0))};
    const bool isRecurrent =
        op == "LSTM" || op == "GRU" || op == "RNN" || op == "LSTMTraining" || op == "GRUTraining";
    if (isRecurrent && slot == 4)
        return {Kind::length, 1,
                dimOf(types, model.input(node, 0), model.intAttribute(node, "layout", 0) == 0 ? 0 : 1)};
    if (op == "TopK" && slot == 1)
        return {Kind::count, 1, dimOf(types, model.input(node, 0), model.intAttribute(node, "axis", -1))};
    const bool takesCount = (op == "Expand" && slot == 1) || (op == "ConstantOfShape" && slot == 0) ||
                            (op == "Tile" && slot == 1) || (op == "Loop" && slot == 0);
    // A small number that still shows what happens more than once.
    constexpr std::int64_t kMostOfAnything = 4;
    if (takesCount) return {Kind::count, 1, kMostOfAnything};
    if (op == "Cast" && model.intAttribute(node, "to", 0) == static_cast<std::int64_t>(ElementType::boolean))
        return {Kind::flag, 0, 1};
    if ((op == "If" && slot == 0) || (op == "Loop" && slot == 1)) return {Kind::flag, 0, 1};
    return {};
}

/// Does the result hold the very numbers of slot `slot`, rearranged at most?
bool handsOn(std::string_view op, std::size_t slot) {
    static const std::set<std::string_view> kRearranging{
        "Identity", "Cast",      "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand",
        "Gather",   "Transpose", "Slice",   "Split",   "Tile",    "Concat",    "GatherElements"};
    return kRearranging.contains(op) && (slot == 0 || op == "Concat");
}

void narrow(InputDomain& domain, const Demand& demand, NodeId node) {
    if (demand.kind == Kind::any) return;
    // What indexes says more than what is only asked whether it is zero.
    if (domain.kind == Kind::any || (domain.kind == Kind::flag && demand.kind != Kind::flag)) {
        domain.kind = demand.kind;
        domain.because = node;
        domain.lowest = demand.lowest;
        domain.highest = demand.highest;
        return;
    }
    if (demand.kind == Kind::flag) return;
    if (demand.lowest) domain.lowest = std::max(domain.lowest.value_or(*demand.lowest), *demand.lowest);
    if (demand.highest && (!domain.highest || *demand.highest < *domain.highest)) {
        domain.highest = demand.highest;
        domain.because = node;
    }
}

void addChoice(std::vector<double>& choices, double number) {
    const bool isKnown = std::find(choices.begin(), choices.end(), number) != choices.end();
    if (!isKnown && choices.size() < kMostChoices) choices.push_back(number);
}

/// What an operator that compares slot `slot` with the other one makes worth trying.
void addCompared(const Model& model, NodeId node, std::size_t slot, std::vector<double>& choices) {
    static const std::set<std::string_view> kComparing{"Equal", "Less", "LessOrEqual", "Greater",
                                                       "GreaterOrEqual"};
    const std::string_view op = model.op(node);
    if (!kComparing.contains(op) || slot > 1) return;
    const auto with = constantScalar(model, model.input(node, 1 - slot));
    if (with) {
        addChoice(choices, *with);
        addChoice(choices, *with + 1);
        if (op != "Equal") addChoice(choices, *with - 1);
    } else if (op != "Equal") { // a bound for what is computed: first the one that all of it keeps
        constexpr double kBeyondMost = 1e6;
        const bool isUpper = op.starts_with("Less") == (slot == 1);
        addChoice(choices, isUpper ? kBeyondMost : -kBeyondMost);
        addChoice(choices, isUpper ? -kBeyondMost : kBeyondMost);
    }
}

/// Those that the bounds of the domain allow.
void boundChoices(InputDomain& domain) {
    std::erase_if(domain.choices, [&](double number) {
        return (domain.lowest && number < static_cast<double>(*domain.lowest)) ||
               (domain.highest && number > static_cast<double>(*domain.highest));
    });
    if (domain.kind == Kind::flag) domain.choices = {1, 0};
}

/// Follows one input forward through what hands its numbers on. Bodies are entered where they capture it.
InputDomain domainOf(const Model& model, const TypeTable& types, ValueId input) {
    InputDomain domain;
    domain.input = input;
    if (types.type(input).element == ElementType::boolean) {
        domain.kind = Kind::flag;
        domain.lowest = 0;
        domain.highest = 1;
        domain.choices = {1, 0};
        return domain;
    }
    std::vector<ValueId> open{input};
    std::set<ValueId> seen{input};
    while (!open.empty()) {
        const ValueId value = open.back();
        open.pop_back();
        for (const Use use : model.uses(value)) {
            if (model.node(use.node).kind != NodeKind::operation) continue;
            narrow(domain, demandOf(model, types, use.node, use.slot), use.node);
            addCompared(model, use.node, use.slot, domain.choices);
            if (!handsOn(model.op(use.node), use.slot)) continue;
            for (const ValueId result : model.outputs(use.node)) {
                if (!result.isNone() && seen.insert(result).second) open.push_back(result);
            }
        }
    }
    boundChoices(domain);
    return domain;
}

} // namespace

std::vector<InputDomain> inputDomains(const Model& model, const TypeTable& types) {
    std::vector<InputDomain> domains;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        domains.push_back(domainOf(model, types, input));
    return domains;
}

} // namespace secateur
