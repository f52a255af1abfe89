// SPDX-License-Identifier: Apache-2.0
//
// The rows of a node: its weights, the constants and shape arithmetic that only it reads as chips, the
// attributes that tell it apart.
#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/messages/sentences.h"
#include "core/picture/model_text.h"
#include "core/picture/union_builder.h"
#include "core/support/printable.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace secateur {

namespace {

constexpr std::size_t kMostWeightRows = 4;
constexpr std::size_t kMostAttributeRows = 2;
constexpr std::size_t kFewElements = 4; ///< a constant of so many is shown by its contents
constexpr std::size_t kChipLength = 24;

std::string shapeSuffix(const TypeTable& types, ValueId value) {
    std::string text = typeText(types, value);
    const std::size_t bracket = text.find('[');
    return bracket == std::string::npos ? std::string() : " " + text.substr(bracket);
}

/// What inference knows of a shape operand: `[batch,8,16]`, `[?,64]`; none when it knows no element.
std::string elementsText(const TypeTable& types, ValueId value) {
    const auto elements = types.elements(value);
    if (!elements || elements->empty()) return {};
    bool isAnyKnown = false;
    std::string text;
    for (const Dim& dim : *elements) {
        const bool isOwn = !dim.isKnown() && (dim.symbol.empty() || types.isOwnSymbol(dim.symbol));
        isAnyKnown = isAnyKnown || !isOwn;
        const std::string known = dim.isKnown() ? std::to_string(*dim.value) : dim.symbol;
        text.append(text.empty() ? "" : ",").append(isOwn ? "?" : known);
    }
    if (!isAnyKnown) return {};
    return types.type(value).dims.empty() ? text : "[" + text + "]";
}

/// A tensor of the file that is learnt: of fractions, where sizes and indices are integers.
bool isWeight(const Model& model, ValueId value) {
    const TensorPtr& tensor = model.value(value).tensor;
    if (!tensor) return false;
    switch (tensor->type) {
    case ElementType::float32:
    case ElementType::float64:
    case ElementType::float16:
    case ElementType::bfloat16: return true;
    default: return false;
    }
}

/// Where a Slice ends: the largest integers are how exporters write "up to the end".
std::string openEnds(std::string text) {
    for (const std::string_view largest : {"9223372036854775807", "2147483647"})
        for (std::size_t at = text.find(largest); at != std::string::npos; at = text.find(largest))
            text.replace(at, largest.size(), message("picture.to-the-end"));
    return text;
}

} // namespace

NodeFace UnionBuilder::faceOfNode(const Model& model, const TypeTable& types, NodeId id) {
    NodeFace face;
    face.title = printable(model.op(id));
    face.name = std::string(model.name(id));
    face.kind =
        operatorKindOf(model.op(id), model.isDefaultDomain(id) || model.domain(id) == "com.microsoft");
    addRows(model, types, id, face);
    return face;
}

NodeFace UnionBuilder::faceOfInput(const Model& model, const TypeTable& types, ValueId value) const {
    NodeFace face;
    face.name = std::string(model.name(value));
    face.title = printable(face.name);
    face.kind = OperatorKind::input;
    const bool isCaptured = model.graph(m_graph).kind == GraphKind::subgraph &&
                            !model.isInside(model.value(value).graph, m_graph);
    face.rows.push_back({LayoutRow::Kind::note,
                         isCaptured ? std::string(message("picture.captured")) : std::string(),
                         typeText(knowing(types, value), value), value.index});
    return face;
}

void UnionBuilder::addRows(const Model& model, const TypeTable& types, NodeId id, NodeFace& face) {
    const InputRange inputs = model.inputs(id);
    std::size_t weights = 0;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
        const ValueId value = inputs[slot];
        if (value.isNone()) continue;
        const NodeId producer = model.producer(value);
        const std::string_view label = m_labels.of(model, id, slot);
        if (isParameterLike(model, m_roles, value)) {
            if (++weights <= kMostWeightRows) addWeightRow(model, types, value, label, face);
        } else if (!producer.isNone() && drawn(producer) == Drawn::asRow) {
            face.rows.push_back(chipOf(model, types, value, label));
            if (label == "ends") face.rows.back().value = openEnds(face.rows.back().value);
        }
    }
    if (weights > kMostWeightRows) {
        const std::string more = formatMessage("picture.more", {std::to_string(weights - kMostWeightRows)});
        face.rows.push_back({LayoutRow::Kind::note, more, "", kNoIndex});
    }
    addAttributeRows(model, id, face);
}

void UnionBuilder::collectWeightNames(const Model& model) {
    if (m_graph.index >= model.graphIdCount()) return;
    for (const NodeId id : model.nodes(m_graph))
        for (const ValueId input : model.inputs(id))
            if (!input.isNone() && isParameterLike(model, m_roles, input))
                m_weightNames.add(printable(model.name(input)));
}

void UnionBuilder::addWeightRow(const Model& model, const TypeTable& types, ValueId value,
                                std::string_view label, NodeFace& face) const {
    const TensorPtr& tensor = model.value(value).tensor;
    if (tensor && tensor->elementCount().value_or(kFewElements + 1) <= kFewElements) {
        const std::string text = label == "ends" ? openEnds(tensorText(*tensor)) : tensorText(*tensor);
        face.rows.push_back({LayoutRow::Kind::constant, std::string(label), text, value.index});
        return;
    }
    // The widest card has room for so much: a longer name would lose its middle in every picture, whether it
    // is that which tells it from others or not.
    namespace nm = node_metrics;
    constexpr double kPx = std::max(nm::kRowPx, nm::kSmallestPx / nm::kWholeTextZoom);
    const std::string shape = shapeSuffix(knowing(types, value), value);
    const double room = nm::kMaxWidth - nm::kTextLeft - nm::kTextRight -
                        textWidth(label, FontFace::SansRegular, kPx) - (label.empty() ? 0 : nm::kLabelGap) -
                        textWidth(shape, FontFace::MonoRegular, kPx);
    face.rows.push_back(
        {LayoutRow::Kind::weight, std::string(label),
         m_weightNames.cut(printable(model.name(value)), FontFace::MonoRegular, kPx, room) + shape,
         value.index});
}

LayoutRow UnionBuilder::chipOf(const Model& model, const TypeTable& types, ValueId value,
                               std::string_view label) const {
    const NodeId producer = model.producer(value);
    LayoutRow row{LayoutRow::Kind::constant, std::string(label), "", value.index, producer.index};
    if (model.isOp(producer, "Constant")) {
        const AttributeList& attributes = model.attributes(producer);
        row.value = attributes.empty() ? "?" : attributeText(model, attributes[0], kChipLength);
    } else if (model.isOp(producer, "ConstantOfShape")) {
        const Attribute* fill = model.attribute(producer, "value");
        const TensorPtr* tensor = fill ? std::get_if<TensorPtr>(&fill->value) : nullptr;
        std::string text = tensor && *tensor ? tensorText(**tensor, kChipLength) : "0";
        if (text.size() > 2 && text.front() == '[' && text.back() == ']')
            text = text.substr(1, text.size() - 2);
        row.value = text + shapeSuffix(knowing(types, value), value);
    } else {
        row.kind = LayoutRow::Kind::shapeChain;
        row.value = elementsText(knowing(types, value), value);
        if (row.value.empty()) row.value = message(sourceOf(model, producer));
    }
    return row;
}

/// What a chain of hidden nodes begins with, as the id of a sentence: sizes, weights, or constants alone.
const char* UnionBuilder::sourceOf(const Model& model, NodeId last) const {
    bool hasWeights = false;
    std::vector<NodeId> open{last};
    std::unordered_set<std::uint32_t> seen{last.index};
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (model.isOp(id, "Shape") || model.isOp(id, "Size")) return "picture.from-sizes";
        for (const ValueId input : model.inputs(id)) {
            if (input.isNone()) continue;
            const NodeId producer = model.producer(input);
            hasWeights = hasWeights || isWeight(model, input);
            if (!producer.isNone() && drawn(producer) == Drawn::asRow && seen.insert(producer.index).second)
                open.push_back(producer);
        }
    }
    return hasWeights ? "picture.from-weights" : "picture.from-constants";
}

void UnionBuilder::addAttributeRows(const Model& model, NodeId id, NodeFace& face) const {
    // What tells two nodes of one operator apart; the rest stands in the inspector.
    static constexpr std::array<std::string_view, 18> kTelling{
        "axis",      "axes",     "perm",   "to",          "kernel_shape", "strides",
        "group",     "transA",   "transB", "alpha",       "epsilon",      "hidden_size",
        "num_heads", "equation", "mode",   "then_branch", "else_branch",  "body"};
    std::size_t rows = 0;
    for (const Attribute& attribute : model.attributes(id)) {
        if (rows == kMostAttributeRows) return;
        if (std::find(kTelling.begin(), kTelling.end(), attribute.name) == kTelling.end()) continue;
        const auto* number = std::get_if<std::int64_t>(&attribute.value);
        if (number && *number == 0 && attribute.name != "axis") continue;
        const bool isType = number != nullptr && attribute.name == "to" && model.isOp(id, "Cast");
        face.rows.push_back({LayoutRow::Kind::attribute, attribute.name,
                             isType ? elementTypeName(static_cast<ElementType>(*number))
                                    : attributeText(model, attribute, 24),
                             kNoIndex});
        ++rows;
    }
}

} // namespace secateur
