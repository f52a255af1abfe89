// SPDX-License-Identifier: Apache-2.0
//
// The corners of the CPU backend: numbers that are not finite, padding of blocked layouts, plans made anew.
#include "core/ir/editor.h"
#include "core/onnx/text.h"
#include "gpu/cpu/fast_math.h"
#include "tests/gpu/two_backends.h"

#include <cmath>
#include <limits>

namespace secateur {
namespace {

using testing::CpuRun;
using testing::Values;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Model modelOf(const std::string& graph, int opset = 17) {
    auto loaded =
        parseModelText("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    return std::move(loaded->model);
}

template <typename T> TensorData tensorOf(ElementType type, const Shape& shape, const std::vector<T>& cells) {
    static MemoryPool pool;
    TensorData tensor = TensorData::make(pool, type, shape).take();
    std::copy(cells.begin(), cells.end(), tensor.as<T>().begin());
    return tensor;
}
TensorData floats(const Shape& shape, const std::vector<float>& cells) {
    return tensorOf(ElementType::float32, shape, cells);
}

/// The laws on random inputs.
CpuRun check(const std::string& graph) {
    const Model model = modelOf(graph);
    const auto inputs = testing::randomInputs(model);
    EXPECT_TRUE(inputs.ok()) << (inputs.ok() ? "" : inputs.error().toString());
    CpuRun run = testing::expectLaws(model, *inputs, graph);
    EXPECT_TRUE(run.isDone) << graph << run.error;
    return run;
}

/// What a device says where it refuses a model; "" where it runs it.
struct Refusals {
    std::string cpu, reference;
};
Refusals refusalsOf(const Model& model, const Values& inputs) {
    const CpuRun run = testing::runOnCpu(model, inputs, false);
    const auto expected = testing::runOnReference(model, inputs);
    return {run.isDone ? "" : run.error, expected.ok() ? "" : expected.error().toString()};
}

struct Refused {
    const char* graph;
    const char* word; ///< in both refusals
};

TEST(CpuEdgeCases, whatTheStandardRefusesBothDevicesRefuseWithTheSameWords) {
    for (const Refused& each : std::initializer_list<Refused>{
             {"g (float[2,3,4] x) => (float[3,2] y) { y = Transpose <perm = [1,0]> (x) }", "rank"},
             {"g (float[2,3] x) => (float[2,2] y) { y = Transpose <perm = [0,0]> (x) }", "axis 0"},
             {"g (float[3] x) => (float[5] y) { p = Constant <value = int64[2] {1,1}> () y = "
              "Pad <mode = \"banana\"> (x, p) }",
              "banana"},
             // Lists and numbers of attributes.
             {"g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = Conv <pads = [-1,0]> (x, w) }",
              "`pads`"},
             {"g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = Conv <group = 0> (x, w) }",
              "`group`"},
             {"g (float[1,2,2] x, float[4,2,3] w) => (float[A,B,C] y) { y = Conv (x, w) }", "`kernel_shape`"},
             {"g (float[1,2,2] x) => (float[A,B,C] y) { y = MaxPool <kernel_shape = [3]> (x) }",
              "`kernel_shape`"},
             {"g (float[1,2,5] x) => (float[A,B,C] y) { y = MaxPool <kernel_shape = [2], pads = [2,0]> (x) }",
              "`pads`"},
             {"g (float[1,2,5] x) => (float[A,B,C] y) { y = AveragePool <kernel_shape = [2], pads = [0,3]> "
              "(x) }",
              "`pads`"},
             {"g (float[1,2,5] x) => (float[A,B,C] y) { y = LpPool <kernel_shape = [2], pads = [-1,0]> (x) }",
              "`pads`"},
             {"g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = ConvTranspose <output_padding = "
              "[1]> (x, w) }",
              "`output_padding`"},
             {"g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = ConvTranspose <pads = [5,5]> (x, "
              "w) }",
              "`pads`"},
             {"g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = ConvTranspose <output_shape = "
              "[1099511627776]> (x, w) }",
              "`output_shape`"},
             {"g (float[1,2,3,3] x) => (float[1,2,3,3] y) { y = LRN <size = -3> (x) }", "`size`"},
             {"g (float[2,3] x) => (float[A,B] y, float[C,D] z) { y, z = Split <axis = 1, num_outputs = 0> "
              "(x) }",
              "`num_outputs`"},
             {"g (float[2,3] x) => (float[A,B] y, float[C,D] z) { y, z = Split <axis = 1, num_outputs = 3> "
              "(x) }",
              "`num_outputs`"},
             {"g (float[1,4,2,2] x) => (float[A,B,C,D] y) { y = DepthToSpace <blocksize = 0> (x) }",
              "`blocksize`"},
             {"g (float[2,3] x) => (float[A,B] y) { y = Einsum <equation = \"ij->ii\"> (x) }", "ij->ii"},
             // One size in two places.
             {"g (float[2,1,3] x, float[1,12,3] w, float[1,12,3] r) => (float[A,B,C,D] y) { y = LSTM "
              "<hidden_size = 1099511627776> (x, w, r) }",
              "`hidden_size`"},
             {"g (float[2,1,3] x, float[1,9,3] w, float[1,9,3] r) => (float[A,B,C,D] y) { y = GRU "
              "<hidden_size = 2> (x, w, r) }",
              "`hidden_size`"},
             {"g (float[2,1,3] x, float[1,12,3] w, float[1,12,3] r) => (float[A,B,C,D] y) { y = LSTM "
              "<hidden_size = -1> (x, w, r) }",
              "`hidden_size`"},
             // An axis twice.
             {"g (float[2,3] x) => (float[A,B] y) { s = Constant <value = int64[2] {0,1}> () e = Constant "
              "<value = int64[2] {1,2}> () a = Constant <value = int64[2] {0,-2}> () y = Slice (x, s, e, a) "
              "}",
              "axis -2"},
             // Bodies and functions.
             {"g (bool c, float[2] x) => (float[2] y) { y = If (c) <then_branch = t () => (float[2] a) { a = "
              "Neg(x) }, else_branch = e (float[2] q) => (float[2] b) { b = Neg(q) }> }",
              "takes 1 value"},
             {"g (bool c, float[2] x) => (float[2] y) { y = If (c) <then_branch = t () => (float[2] a) { a = "
              "Neg(x) }, else_branch = e () => (int64[2] b) { b = Cast <to = 7> (x) }> }",
              "int64"},
             {"g (float[2] x) => (float[2] y) { y = Loop (, , x) <body = b (int64 i, bool d, float[2] v) => "
              "(bool e, int64[2] w) { e = Identity(d) w = Cast <to = 7> (v) }> }",
              "int64"},
         }) {
        const Model model = modelOf(each.graph, 18);
        const auto inputs = testing::randomInputs(model);
        ASSERT_TRUE(inputs.ok()) << each.graph;
        const Refusals said = refusalsOf(model, *inputs);
        EXPECT_NE(said.cpu.find(each.word), std::string::npos) << each.graph << said.cpu;
        EXPECT_EQ(said.cpu, said.reference) << each.graph;
    }
}

TEST(CpuEdgeCases, aCallThatGivesAFunctionMoreThanItTakesIsRefused) {
    const std::string function = "<domain: \"my\", opset_import: [\"\" : 17]> F (a) => (b) { b = Neg(a) }";
    for (const char* call : {"y = my.F(x, x)", "y, z = my.F(x)"}) {
        auto loaded = parseModelText(std::string("<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>\n") +
                                     "g (float[2] x) => (float[2] y) { " + call + " }\n" + function);
        ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
        const Refusals said = refusalsOf(loaded->model, {floats({2}, {1, 2})});
        EXPECT_NE(said.cpu.find("my.F"), std::string::npos) << call << said.cpu;
        EXPECT_EQ(said.cpu, said.reference) << call;
    }
}

/// Each function calls the next one twice: what runs doubles with every level, what is made for it does not.
TEST(CpuEdgeCases, functionsThatCallEachOtherAreMadeOnceForEachCall) {
    constexpr int kLevels = 13;
    std::string text = "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>\n"
                       "g (float[4] x) => (float[4] y) { y = my.F0(x) }\n";
    for (int level = 0; level < kLevels; ++level) {
        const std::string next =
            level + 1 < kLevels ? "my.F" + std::to_string(level + 1) : std::string("Neg");
        text += "<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]> F" + std::to_string(level) +
                " (a) => (b) { h = " + next + "(a)  b = " + next + "(h) }\n";
    }
    auto loaded = parseModelText(text);
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    BackendOptions options;
    options.threads = 1;
    auto backend = openCpuBackend(loaded->model, std::move(options), {});
    ASSERT_TRUE(backend.ok());
    const auto done = (*backend)->run({{floats({4}, {1, 2, 3, 4})}}, {});
    ASSERT_TRUE(done.ok()) << done.error().toString();
    EXPECT_EQ((*done)[0].outputs[0].tensor()->as<float>()[3], 4.0F);
    constexpr std::uint64_t kOfEachCall = 2000;
    EXPECT_LT((*backend)->highWaterBytes(), (2 * kLevels + 1) * kOfEachCall);
}

TEST(CpuEdgeCases, oneFunctionCalledWithOtherAttributesIsNotMixedUp) {
    auto loaded = parseModelText(
        "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]>\n"
        "g (float[2,2] x) => (int64[4] y) { a = my.Outer <axis = 0> (x)  b = my.Outer <axis = 1> (x)  y = "
        "Concat <axis = 0> (a, b) }\n"
        "<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]> Outer <axis> (a) => (b) { b = my.Inner "
        "<axis: "
        "int = @axis> (a) }\n"
        "<domain: \"my\", opset_import: [\"\" : 17]> Inner <axis> (a) => (b) { b = ArgMax <axis: int = "
        "@axis, "
        "keepdims = 0> (a) }\n");
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    testing::expectLaws(loaded->model, {floats({2, 2}, {1, 2, 4, 3})}, "two axes");
}

/// A file may name an attribute and say no more of it.
TEST(CpuEdgeCases, anAttributeWithoutTypeAndValueIsRefused) {
    Model model = modelOf("g (float[2,2] x) => (float[A,B] y) { y = Concat <axis = 1> (x, x) }");
    const NodeId node = *model.nodes(model.mainGraph()).begin();
    Editor editor(model);
    AttributeList attributes = model.attributes(node);
    attributes[0] = {};
    attributes[0].name = "axis";
    editor.setAttributes(node, std::move(attributes));
    const Refusals said = refusalsOf(model, {floats({2, 2}, {1, 2, 3, 4})});
    EXPECT_NE(said.cpu.find("`axis`"), std::string::npos) << said.cpu;
    EXPECT_EQ(said.cpu, said.reference);
}

/// Neither the sign of a zero nor the last digit of a number that double does not hold.
TEST(CpuEdgeCases, theNearestElementKeepsItsBits) {
    const auto resized = [](const std::string& type, const std::string& attributes) {
        return modelOf("g (" + type + "[1,1,2,2] x) => (" + type +
                       "[1,1,4,4] y) { s = Constant <value = float[4] {1,1,2,2}> () y = Resize <" +
                       attributes + "> (x, , s) }");
    };
    const auto expectSame = [](const Model& model, const TensorData& x) {
        const CpuRun run = testing::runOnCpu(model, {x}, false);
        const auto expected = testing::runOnReference(model, {x});
        ASSERT_TRUE(run.isDone && expected.ok()) << run.error;
        EXPECT_TRUE(compareValues(run.outputs[0], (*expected)[0], {}).isSameBits);
    };
    const TensorData zeros = floats({1, 1, 2, 2}, {-0.0F, 0.0F, -0.0F, -1.0F});
    const Model nearest = resized("float", "mode = \"nearest\"");
    expectSame(nearest, zeros);
    expectSame(resized("float", "mode = \"linear\""), zeros);
    const auto out = testing::runOnReference(nearest, {zeros});
    ASSERT_TRUE(out.ok());
    EXPECT_TRUE(std::signbit((*out)[0].tensor()->as<float>()[0]));
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    const Model whole = resized("int64", "mode = \"nearest\"");
    const TensorData numbers = tensorOf<std::int64_t>(ElementType::int64, {1, 1, 2, 2}, {odd, 1, 2, 3});
    expectSame(whole, numbers);
    const auto kept = testing::runOnReference(whole, {numbers});
    ASSERT_TRUE(kept.ok());
    EXPECT_EQ((*kept)[0].tensor()->as<std::int64_t>()[0], odd);
}

TEST(CpuEdgeCases, aConvolutionWithoutFiltersGivesNothing) {
    check("g (float[1,1,200] x, float[0,1,64] w) => (float[1,0,137] y) { y = Conv(x, w) }");
    check("g (float[0,1,200] x, float[2,1,64] w) => (float[0,2,137] y) { y = Conv(x, w) }");
}

TEST(CpuEdgeCases, theLargestOfAWindowKeepsNanAndMinusInfinity) {
    const Model model = modelOf("g (float[1,1,6] x) => (float[1,1,3] y, float[1,1,1] z) { y = MaxPool "
                                "<kernel_shape = [2], strides = [2]> (x) z = GlobalMaxPool(x) }");
    for (const std::vector<float>& cells :
         {std::vector<float>{1, kNan, -kInfinity, -kInfinity, 2, -kInfinity},
          std::vector<float>(6, -kInfinity), std::vector<float>{-kInfinity, 3, kInfinity, 1, -1, -2}}) {
        const CpuRun run = testing::expectLaws(model, {floats({1, 1, 6}, cells)}, "pooling");
        ASSERT_TRUE(run.isDone) << run.error;
        EXPECT_EQ(run.outputs[0].tensor()->as<float>()[1], std::max(cells[2], cells[3]));
        EXPECT_EQ(std::isnan(run.outputs[1].tensor()->as<float>()[0]), std::isnan(cells[1]));
    }
    // In the layout of a convolution: logarithms of negative numbers and of zeros.
    check(
        "g (float[1,8,9,9] x, float[16,8,3,3] w) => (float[1,16,3,3] a, float[1,16,1,1] b, float[1,16,4,4] "
        "c) { k = Conv(x, w) l = Log(k) a = MaxPool <kernel_shape = [3,3], strides = [2,2]> (l) r = Relu(k) "
        "m = Log(r) b = GlobalMaxPool(m) c = MaxPool <kernel_shape = [2,2], strides = [2,2], pads = "
        "[0,0,1,1]> (m) }");
}

TEST(CpuEdgeCases, aDilatedWindowWithNothingButPaddingIsThatOfTheReference) {
    check("g (float[1,2,1] x) => (float[1,2,1] y) { y = MaxPool <kernel_shape = [2], dilations = [3], pads = "
          "[1,2]> (x) }");
}

TEST(CpuEdgeCases, theExponentialReachesBothEndsOfFloat) {
    const fast::Exp e;
    for (const float x : {88.3F, 88.376F, 88.4F, 88.5F, 88.7F, 88.72F, 88.7228F, 88.72283F, -87.0F, -87.3F,
                          1.0F, 0.0F, -0.5F}) {
        const double expected = std::exp(static_cast<double>(x));
        EXPECT_NEAR(e(x) / expected, 1.0, 5e-7) << x;
    }
    for (const float x : {-87.5F, -90.0F, -100.0F, -103.0F, -103.9F, -104.0F})
        EXPECT_NEAR(e(x), std::exp(static_cast<double>(x)), 1.5e-45) << x; // one step of subnormal numbers
    EXPECT_GT(e(-100.0F), 0.0F);
    EXPECT_EQ(e(-105.0F), 0.0F);
    EXPECT_EQ(e(-kInfinity), 0.0F);
    EXPECT_EQ(e(88.73F), kInfinity);
    EXPECT_EQ(e(kInfinity), kInfinity);
    EXPECT_TRUE(std::isnan(e(kNan)));
}

TEST(CpuEdgeCases, oneChannelForAllNeverFillsThePaddingOfBlocks) {
    const std::string head =
        "g (float[1,5,6,6] x, float[11,5,3,3] w, float[1,1,1,1] s) => (float[1,4,4,4] y) { "
        "k = Constant <value_ints = [4,11,1,1]> () v = ConstantOfShape <value = float[1] "
        "{0.5}> (k) c = Conv(x, w) p = Abs(c) ";
    for (const std::string op : {"Min(p, s)", "Min(s, p)", "Mul(p, s)", "Mul(s, p)", "Max(p, s)"}) {
        const Model model = modelOf(head + "m = " + op + " y = Conv(m, v) }");
        auto inputs = testing::randomInputs(model);
        ASSERT_TRUE(inputs.ok());
        for (const float number : {-1.0F, 1.0F, kInfinity, -kInfinity, kNan}) {
            (*inputs)[2] = floats({1, 1, 1, 1}, {number});
            testing::expectLaws(model, *inputs, op + " with " + std::to_string(number));
        }
    }
}

TEST(CpuEdgeCases, infinitiesAndNanAreQuantizedAsTheReferenceDoes) {
    const Model model = modelOf("g (float[4] x) => (uint8[4] q, float s, uint8 z) { q, s, z = "
                                "DynamicQuantizeLinear(x) }");
    for (const float number : {-kInfinity, kInfinity, kNan, 0.0F})
        testing::expectLaws(model, {floats({4}, {number, 1, -2, 0})}, std::to_string(number));
    testing::expectLaws(model, {floats({4}, {0, 0, 0, 0})}, "zeros");
}

TEST(CpuEdgeCases, anotherNameOfAConstantKeepsItForTheNextRun) {
    const Model model = modelOf("g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { d = Dropout(w) "
                                "y = Add(x, d) }");
    auto backend = openCpuBackend(model, {}, {});
    ASSERT_TRUE(backend.ok());
    const Values inputs{floats({4}, {10, 20, 30, 40})};
    auto runs = (*backend)->run({inputs, inputs, inputs}, {});
    ASSERT_TRUE(runs.ok()) << runs.error().toString();
    for (const BackendRun& run : *runs) {
        const auto y = run.outputs[0].tensor()->as<float>();
        EXPECT_EQ(std::vector<float>(y.begin(), y.end()), (std::vector<float>{11, 22, 33, 44}));
    }
}

TEST(CpuEdgeCases, aResultOfUnknownSizeTakesNoPlaceOfAnother) {
    const Model model =
        modelOf("g (int64[4] x) => (int64[k] y, int64[4] i, int64[k] z) { y, , i = Unique(x) z "
                "= Neg(y) }");
    const CpuRun run =
        testing::expectLaws(model, {tensorOf<std::int64_t>(ElementType::int64, {4}, {7, 5, 9, 1})}, "Unique");
    ASSERT_TRUE(run.isDone) << run.error;
    EXPECT_EQ(run.outputs[0].tensor()->as<std::int64_t>()[0], 1);
}

TEST(CpuEdgeCases, aPlanMadeAnewDrawsTheSameRandomNumbers) {
    const Model model = modelOf(
        "g (float[1] x) => (float[1] r, float[m] y) { r = RandomNormalLike(x) n = Constant <value = int64 "
        "{3}> "
        "() t = Constant <value = bool {1}> () y = Loop (n, t, x) <body = l (int64 i, bool k, float[1] v) => "
        "(bool k2, float[1] w) { k2 = Identity(k) w = Concat <axis = 0> (v, v) }> }");
    const Values inputs{floats({1}, {1})};
    const auto expected = testing::runOnReference(model, inputs);
    auto backend = openCpuBackend(model, {}, {});
    ASSERT_TRUE(backend.ok());
    auto runs = (*backend)->run({inputs, inputs}, {});
    ASSERT_TRUE(runs.ok() && expected.ok()) << (runs.ok() ? "" : runs.error().toString());
    for (const BackendRun& run : *runs)
        EXPECT_TRUE(compareValues(run.outputs[0], (*expected)[0], {0, 0}).isSameBits);
}

TEST(CpuEdgeCases, rowsFarFromZeroThatLieCloseTogetherAreNormalizedAsTheReferenceDoes) {
    std::vector<float> cells;
    for (int i = 0; i < 512; ++i)
        cells.push_back(1000 + 0.01F * std::sin(static_cast<float>(i)));
    const std::vector<float> ones(64, 1), zeros(64, 0);
    testing::expectLaws(modelOf("g (float[8,64] x, float[64] s) => (float[8,64] y) { y = LayerNormalization "
                                "<epsilon = 1e-12> (x, s) }"),
                        {floats({8, 64}, cells), floats({64}, ones)}, "LayerNormalization");
    testing::expectLaws(
        modelOf(
            "g (float[8,8,8] x, float[8] s, float[8] b) => (float[8,8,8] y, float[8,8,8] z) { y = "
            "InstanceNormalization(x, s, b) z = BatchNormalization <training_mode = 1> (x, s, b, b, s) }"),
        {floats({8, 8, 8}, cells), floats({8}, std::vector<float>(8, 1)),
         floats({8}, std::vector<float>(8, 0))},
        "InstanceNormalization");
    const std::vector<float> mean(64, 1000), variance(64, 1e-4F);
    testing::expectLaws(
        modelOf("g (float[8,64] x, float[64] s, float[64] b, float[64] m, float[64] v) => "
                "(float[8,64] y) { y = BatchNormalization <epsilon = 1e-12> (x, s, b, m, v) }"),
        {floats({8, 64}, cells), floats({64}, ones), floats({64}, zeros), floats({64}, mean),
         floats({64}, variance)},
        "BatchNormalization");
    testing::expectLaws(
        modelOf("g (float[8,64] x) => (float[8] a, float[8] b, float[8] c) { a = ReduceL2 "
                "<axes = [1], keepdims = 0> (x) b = ReduceLogSumExp <axes = [1], keepdims = 0> "
                "(x) c = ReduceSumSquare <axes = [1], keepdims = 0> (x) }"),
        {floats({8, 64}, cells)}, "reductions", {1e-6, 0});
}

TEST(CpuEdgeCases, whatTheReferenceRefusesIsRefusedHere) {
    const std::string huge = std::to_string(std::int64_t{1} << 62);
    const TensorData x = floats({1, 1, 5}, {1, 2, 3, 4, 5}), w = floats({1, 1, 2}, {1, 1});
    for (const std::string& node :
         {"Conv <pads = [" + huge + "," + huge + "]> (x, w)", std::string("Conv <kernel_shape = [3]> (x, w)"),
          std::string("ConvTranspose <kernel_shape = [3]> (x, w)"),
          std::string("Conv <strides = [0]> (x, w)"),
          std::string("MaxPool <kernel_shape = [2], dilations = [0]> (x)"),
          "ConvTranspose <pads = [" + huge + "," + huge + "]> (x, w)"}) {
        const Model model =
            modelOf("g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = " + node + " }");
        EXPECT_FALSE(testing::runOnCpu(model, {x, w}, false).isDone) << node;
        EXPECT_FALSE(testing::runOnReference(model, {x, w}).ok()) << node;
    }
}

TEST(CpuEdgeCases, tablesOfResultsBeyondTheLimitAreNotMade) {
    BackendOptions options;
    options.limits.memoryBytes = 16 << 20;
    const Model model = modelOf("g (float[1,1,2,2] x) => (float[1,1,2,N] y) { s = Constant <value_ints = "
                                "[1,1,2,100000000]> () y = Resize(x, , , s) }");
    const CpuRun run = testing::runOnCpu(model, {floats({1, 1, 2, 2}, {1, 2, 3, 4})}, false, options);
    EXPECT_NE(run.error.find("beyond the limit"), std::string::npos) << run.error;
}

TEST(CpuEdgeCases, planningIsToldApartFromRunning) {
    const Model model = modelOf("g (float[n] x) => (float[n] y) { y = Exp(x) }");
    auto backend = openCpuBackend(model, {}, {});
    ASSERT_TRUE(backend.ok());
    const Values inputs{floats({3}, {1, 2, 3})};
    ASSERT_TRUE((*backend)->run({inputs}, {}).ok());
    const double once = (*backend)->report()->planSeconds;
    EXPECT_GT(once, 0);
    ASSERT_TRUE((*backend)->run({inputs}, {}).ok());
    EXPECT_EQ((*backend)->report()->planSeconds, once);
}

TEST(CpuEdgeCases, oneLimitHoldsForPlannedMemoryAndAllElse) {
    const Model model =
        modelOf("g (float[25000] x) => (float[25000] y) { a = Exp(x) b = Softmax(a) y = Div(b, a) }");
    constexpr std::uint64_t kTensor = 100'000; // bytes: one in the arena, one that leaves the run
    const Values inputs{floats({25000}, std::vector<float>(25000, 1))};
    for (const std::uint64_t limit : {3 * kTensor / 2, 4 * kTensor}) {
        BackendOptions options;
        options.limits.memoryBytes = limit;
        const CpuRun run = testing::runOnCpu(model, inputs, false, options);
        EXPECT_EQ(run.isDone, limit > 2 * kTensor) << run.error;
        EXPECT_EQ(run.error.find("beyond the limit") != std::string::npos, !run.isDone) << run.error;
    }
}

TEST(CpuEdgeCases, thePlanForAnyShapeKnowsWhichInputsAreThere) {
    const Model model = modelOf("g (float[n] x, float[1] w = {2}) => (float[n] y) { y = Mul(x, w) }");
    auto backend = openCpuBackend(model, {}, {});
    ASSERT_TRUE(backend.ok());
    for (std::int64_t size = 1; size <= 30; ++size) {
        const TensorData x = floats({size}, std::vector<float>(static_cast<std::size_t>(size), 1));
        auto runs = (*backend)->run({{x, RuntimeValue()}, {x, floats({1}, {5})}}, {});
        ASSERT_TRUE(runs.ok()) << size << runs.error().toString();
        EXPECT_EQ((*runs)[0].outputs[0].tensor()->as<float>()[0], 2) << size;
        EXPECT_EQ((*runs)[1].outputs[0].tensor()->as<float>()[0], 5) << size;
    }
}

} // namespace
} // namespace secateur
