// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/text.h"

#include "core/messages/sentences.h"

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <exception>

namespace secateur {
Result<LoadedModel> parseModelText(std::string_view text, std::string name) {
    onnx::ModelProto proto;
    std::string failure;
    try {
        onnx::OnnxParser parser(text);
        const auto status = parser.Parse(proto);
        if (!status.IsOK())
            failure = status.ErrorMessage();
        else if (!parser.EndOfInput())
            failure = message("model-text.more-text");
    } catch (const std::exception& thrown) {
        failure = thrown.what();
    }
    if (!failure.empty())
        return invalidInput(formatMessage("model-text.refused", {failure}), std::move(name));
    const std::string bytes = proto.SerializeAsString();
    std::vector<std::byte> copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return loadModelFromBytes(ByteRef::own(std::move(copy)), std::move(name));
}

} // namespace secateur
