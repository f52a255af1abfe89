// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/check.h"

#include "core/messages/sentences.h"
#include "core/onnx/save.h"

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <exception>

namespace secateur {

Result<void> checkModel(const Model& model) {
    const std::string bytes = TRY(serializeModel(model));
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) {
        return Error{ErrorCode::verification, formatMessage("check.no-model", {}), {}};
    }
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
