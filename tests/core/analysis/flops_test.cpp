// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/flops.h"

#include "core/onnx/text.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Flops of the only node of a graph in text form.
std::optional<FlopCount> flopsIn(const std::string& inputs, const std::string& node,
                                 const std::string& result = "float[*] y") {
    const std::string text = "<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]>\ng (" + inputs +
                             ") => (" + (result == "float[*] y" ? "y" : result) + ")\n{ " + node + " }";
    auto parsed = parseModelText(text);
    if (!parsed) throw std::runtime_error(parsed.error().toString());
    const LoadedModel loaded = std::move(parsed).take();
    TypeTable types;
    types.inferAll(loaded.model);
    return flopsOf(loaded.model, types, *loaded.model.nodes(loaded.model.mainGraph()).begin());
}

double countOf(const std::string& inputs, const std::string& node) {
    const auto flops = flopsIn(inputs, node);
    return flops ? flops->count : -1;
}

TEST(Flops, matrixProducts) {
    EXPECT_EQ(countOf("float[4,8] a, float[8,3] b", "y = MatMul (a, b)"), 2 * 4 * 8 * 3);
    EXPECT_EQ(countOf("float[5,4,8] a, float[5,8,3] b", "y = MatMul (a, b)"), 2 * 5 * 4 * 8 * 3);
    EXPECT_EQ(countOf("float[8] a, float[8,3] b", "y = MatMul (a, b)"), 2 * 8 * 3);
    EXPECT_EQ(countOf("float[4,8] a, float[8,3] b", "y = Gemm (a, b)"), 2 * 4 * 8 * 3);
    EXPECT_EQ(countOf("float[4,8] a, float[8,3] b, float[3] c", "y = Gemm (a, b, c)"), 2 * 4 * 8 * 3 + 4 * 3);
    EXPECT_EQ(countOf("float[8,4] a, float[8,3] b", "y = Gemm <transA: int = 1> (a, b)"), 2 * 4 * 8 * 3);
}

TEST(Flops, convolutions) {
    EXPECT_EQ(countOf("float[1,3,8,8] x, float[16,3,3,3] w", "y = Conv <pads: ints = [1,1,1,1]> (x, w)"),
              2.0 * 16 * 8 * 8 * 3 * 3 * 3);
    EXPECT_EQ(countOf("float[1,16,8,8] x, float[16,1,3,3] w",
                      "y = Conv <group: int = 16, pads: ints = [1,1,1,1]> (x, w)"),
              2.0 * 16 * 8 * 8 * 3 * 3);
    EXPECT_EQ(countOf("float[1,3,8,8] x, float[16,3,1,1] w, float[16] b", "y = Conv (x, w, b)"),
              2.0 * 16 * 8 * 8 * 3 + 16 * 8 * 8);
    EXPECT_EQ(
        countOf("float[1,3,8,8] x, float[3,5,2,2] w", "y = ConvTranspose <strides: ints = [2,2]> (x, w)"),
        2.0 * 3 * 8 * 8 * 5 * 2 * 2);
}

TEST(Flops, arithmeticAndWhatOnlyMovesData) {
    EXPECT_EQ(countOf("float[4,8] a, float[8] b", "y = Add (a, b)"), 32);
    EXPECT_EQ(countOf("float[4,8] a, float[4,8] b, float[4,8] c", "y = Sum (a, b, c)"), 64);
    EXPECT_EQ(countOf("float[4,8] a", "y = ReduceSum (a)"), 32);
    EXPECT_EQ(countOf("float[4,8] a", "y = Transpose <perm: ints = [1,0]> (a)"), 0);
}

TEST(Flops, matrixProductsOfRecurrences) {
    // 5 steps, 2 sequences, 3 features, 4 hidden, one direction
    EXPECT_EQ(countOf("float[5,2,3] x, float[1,16,3] w, float[1,16,4] r",
                      "y = LSTM <hidden_size: int = 4> (x, w, r)"),
              2.0 * 5 * 2 * 16 * (3 + 4));
    EXPECT_EQ(countOf("float[5,2,3] x, float[2,12,3] w, float[2,12,4] r",
                      "y = GRU <hidden_size: int = 4, direction: string = \"bidirectional\"> (x, w, r)"),
              2.0 * 2 * 5 * 2 * 12 * (3 + 4));
    EXPECT_EQ(
        countOf("float[5,2,3] x, float[1,4,3] w, float[1,4,4] r", "y = RNN <hidden_size: int = 4> (x, w, r)"),
        2.0 * 5 * 2 * 4 * (3 + 4));
    EXPECT_EQ(countOf("float[5,2,3] x, float[1,16,3] w, float[1,16,4] r",
                      "y = com.microsoft.LSTMGrad <hidden_size: int = 4> (x, w, r)"),
              2 * 2.0 * 5 * 2 * 16 * (3 + 4));
    EXPECT_FALSE(flopsIn("float[5,2,3] x, float[1,12,3] w, float[1,12,4] r",
                         "y = LSTM <hidden_size: int = 4> (x, w, r)"))
        << "three gates are no LSTM";
}

TEST(Flops, whatDependsOnTheKernelIsNotCounted) {
    EXPECT_FALSE(flopsIn("float[4,8] a", "y = Softmax (a)"));
    EXPECT_FALSE(flopsIn("float[4,8] a", "y = Exp (a)"));
}

TEST(Flops, namedDimensionsCountOnceAndUnknownShapesNotAtAll) {
    const auto named = flopsIn("float[batch,8] a, float[8,3] b", "y = MatMul (a, b)");
    ASSERT_TRUE(named);
    EXPECT_EQ(named->count, 2 * 8 * 3);
    EXPECT_TRUE(named->hasNamedDims);
    EXPECT_FALSE(flopsIn("float[4,8] a, float[8,3] b", "y = MatMul (a, b)")->hasNamedDims);
    EXPECT_FALSE(flopsIn("float a, float b", "y = MatMul (a, b)"));
}

} // namespace
} // namespace secateur
