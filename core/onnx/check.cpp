// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/check.h"

#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/onnx/format_problems.h"
#include "core/onnx/parse_message.h"
#include "core/onnx/save.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace secateur {
namespace {

/// Weights whose bytes lie in a file that could not be read, in the words of the problem found on opening.
std::vector<std::string> missingContents(const LoadedModel& file, const Model& made) {
    std::vector<std::string> missing;
    for (const GraphId graph : allGraphs(made)) {
        for (const ValueId value : made.graph(graph).initializers) {
            if (!made.isAlive(value) || !made.isInitializer(value)) continue;
            const Tensor& tensor = *made.value(value).tensor;
            if (tensor.encoding != Tensor::Encoding::external || tensor.payload.size > 0 ||
                tensor.byteSize() == 0U)
                continue;
            const std::string name = valueText(made, value);
            const auto at =
                std::find_if(file.problems.begin(), file.problems.end(), [&](const Problem& problem) {
                    return problem.text.find(name) != std::string::npos;
                });
            missing.push_back(at != file.problems.end() ? at->text
                                                        : formatMessage("save.no-contents", {name}));
        }
    }
    return missing;
}

/// The checker would look for external data beside the program. Where the contents lie is none of its
/// business here (opening and saving check that): such a tensor is shown to it as one of its elements.
void standIn(onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    tensor.clear_data_location();
    tensor.clear_external_data();
    tensor.clear_dims();
    constexpr std::size_t kLargestElement = 16;
    tensor.set_raw_data(std::string(kLargestElement, '\0'));
}

void standIn(onnx::GraphProto& graph) {
    std::vector<onnx::GraphProto*> open{&graph};
    while (!open.empty()) {
        onnx::GraphProto& here = *open.back();
        open.pop_back();
        for (onnx::TensorProto& tensor : *here.mutable_initializer())
            standIn(tensor);
        for (onnx::NodeProto& node : *here.mutable_node()) {
            for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
                if (attribute.has_t()) standIn(*attribute.mutable_t());
                for (onnx::TensorProto& tensor : *attribute.mutable_tensors())
                    standIn(tensor);
                if (attribute.has_g()) open.push_back(attribute.mutable_g());
                for (onnx::GraphProto& body : *attribute.mutable_graphs())
                    open.push_back(&body);
            }
        }
    }
}

} // namespace

std::optional<Error> whyNotConverted(const LoadedModel& file) {
    const auto isFatal = [](const Problem& problem) { return problem.isFatal; };
    const auto first = std::find_if(file.problems.begin(), file.problems.end(), isFatal);
    if (first == file.problems.end()) return std::nullopt;
    const auto others = std::count_if(first + 1, file.problems.end(), isFatal);
    const std::string more = others == 0 ? "" : formatMessage("save.more-fatal", {std::to_string(others)});
    return invalidInput(formatMessage("save.not-converted", {first->text, more}), file.path.string());
}

std::vector<std::string> inheritedDefects(const LoadedModel& file, const Model& made) {
    const auto isError = [](const Problem& problem) { return problem.severity == Problem::Severity::error; };
    if (std::none_of(file.problems.begin(), file.problems.end(), isError)) return {};
    std::vector<std::string> defects = missingContents(file, made);
    for (auto* find : {&findFormatProblems, &findProblems}) {
        for (const Problem& problem : (*find)(made)) {
            if (isError(problem)) defects.push_back(problem.text);
        }
    }
    return defects;
}

Result<void> checkModel(const Model& model) {
    const std::string bytes = TRY(serializeModel(model));
    onnx::ModelProto proto;
    const ParsedMessage parsed = parseMessage(bytes, proto);
    if (parsed != ParsedMessage::model) {
        const char* why = parsed == ParsedMessage::deep ? "check.deep" : "check.no-model";
        return Error{
            ErrorCode::verification, formatMessage(why, {std::to_string(kDeepestBodiesElsewhere)}), {}};
    }
    standIn(*proto.mutable_graph());
    // An output without a shape is a problem of its own (problem.output-unshaped), and runs.
    for (onnx::ValueInfoProto& output : *proto.mutable_graph()->mutable_output())
        if (output.type().has_tensor_type() && !output.type().tensor_type().has_shape())
            output.mutable_type()->mutable_tensor_type()->mutable_shape();
    try {
        onnx::checker::check_model(proto);
    } catch (const std::exception& refused) {
        std::string text = refused.what();
        if (const auto end = text.find('\n'); end != std::string::npos) text.resize(end);
        return Error{ErrorCode::verification, std::move(text), {}};
    }
    return {};
}

} // namespace secateur
