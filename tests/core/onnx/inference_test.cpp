// SPDX-License-Identifier: Apache-2.0
#include "core/ir/editor.h"
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

} // namespace
} // namespace secateur
