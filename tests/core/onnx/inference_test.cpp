// SPDX-License-Identifier: Apache-2.0
#include "core/ir/editor.h"
#include "core/onnx/text.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

TEST(TypeInference, typesFollowFromInputsAndInitializers) {
    ModelMaker m;
    const ValueId x = m.input("x", ElementType::float32, {"N", 8});
    const ValueId w = m.constant("w", {8, 4});
    const ValueId y = m.node("MatMul", {x, w});
    const ValueId z = m.node("Relu", {y});
    m.output(z);
    TypeTable types;
    types.inferAll(m.model);
    EXPECT_EQ(types.type(z).text(), "float[N,4]");
    EXPECT_FALSE(types.isDeclared(z));
    EXPECT_TRUE(types.problems().empty());
}

TEST(TypeInference, aFaultInAFunctionIsOneForAllItsCalls) {
    auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                                 "g (float[2,3] x, float[4] z) => (a, b, y, w) "
                                 "{ a = local.f(x) b = local.f(x) y = local.h(x) w = local.f(z) }\n"
                                 "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                                 "f (p) => (r) { s = Softmax<axis = 7>(p) r = Relu(s) }\n"
                                 "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                                 "h (p) => (r) { r = Softmax<axis = 7>(p) }");
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    std::size_t once = 0, twice = 0, thrice = 0;
    for (const Problem& problem : types.problems()) {
        if (problem.text.find("1 more call)") != std::string::npos)
            ++twice;
        else if (problem.text.find("2 more calls)") != std::string::npos)
            ++thrice;
        else
            ++once;
    }
    // The axis is out of range for f(x) twice, for h and f(z) once each, with other bounds; the Relu of f
    // knows no type in any call.
    EXPECT_EQ(once, 2U);
    EXPECT_EQ(twice, 1U);
    EXPECT_EQ(thrice, 1U);
    EXPECT_EQ(types.problems().front().node, *loaded->model.nodes(loaded->model.mainGraph()).begin());
}

} // namespace
} // namespace secateur
