// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/save.h"
#include "core/onnx/text.h"
#include "tests/cli/command_line.h"

#include <string>

namespace secateur::testing {

/// A test of the verbs that execute models, which it writes.
struct ExecutionTest : CliTest {
    std::string model(const char* name, const std::string& graph, int opset = 17) {
        auto parsed =
            parseModelText("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
        EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().toString());
        EXPECT_TRUE(saveModel(parsed->model, folder / name).ok());
        return in(name);
    }
};

} // namespace secateur::testing
