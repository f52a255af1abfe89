// SPDX-License-Identifier: Apache-2.0
//
// Small models written as ONNX text, run by the reference kernels.
#pragma once

#include "core/exec/cells.h"
#include "core/exec/reference.h"
#include "core/onnx/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace secateur::testing {

/// A tensor of any numeric type with these numbers.
inline TensorData tensorOf(ElementType type, Shape shape, const std::vector<double>& numbers) {
    static MemoryPool pool;
    TensorData made = std::move(TensorData::make(pool, type, std::move(shape))).take();
    EXPECT_EQ(made.count(), numbers.size());
    writeAll(made, numbers);
    return made;
}
inline TensorData floats(Shape shape, const std::vector<double>& numbers) {
    return tensorOf(ElementType::float32, std::move(shape), numbers);
}
inline TensorData integers(Shape shape, const std::vector<double>& numbers) {
    return tensorOf(ElementType::int64, std::move(shape), numbers);
}

inline std::vector<double> numbersOf(const RuntimeValue& value) {
    return value.tensor() == nullptr ? std::vector<double>{} : readAll<double>(*value.tensor());
}
inline Shape shapeOf(const RuntimeValue& value) {
    return value.tensor() == nullptr ? Shape{-1} : value.tensor()->shape();
}

/// A model of one graph: `graph` is its text, `opset` the version of ai.onnx; com.microsoft is imported as
/// well.
inline std::string modelText(const std::string& graph, int opset = 17) {
    return "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
           ", \"com.microsoft\" : 1, \"local\" : 1]>\n" + graph;
}

inline Result<std::vector<RuntimeValue>> runText(const std::string& text, std::vector<RuntimeValue> inputs,
                                                 ReferenceOptions options = {}) {
    auto loaded = parseModelText(text);
    if (!loaded) return loaded.error();
    auto runner = ReferenceRunner::prepare(loaded->model, std::move(options));
    if (!runner) return runner.error();
    return runner->run(std::move(inputs));
}

/// The outputs of a graph that runs; a failure of the test where it does not.
inline std::vector<RuntimeValue> outputsOf(const std::string& graph, std::vector<RuntimeValue> inputs,
                                           int opset = 17, ReferenceOptions options = {}) {
    auto results = runText(modelText(graph, opset), std::move(inputs), std::move(options));
    EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().toString());
    return results.ok() ? std::move(*results) : std::vector<RuntimeValue>(8);
}

} // namespace secateur::testing
