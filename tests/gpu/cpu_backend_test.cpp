// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cells.h"
#include "core/exec/test_folder.h"
#include "core/onnx/text.h"
#include "gpu/cpu/body_model.h"
#include "gpu/cpu/fusion.h"
#include "tests/gpu/two_backends.h"
#include "tests/support/allocation_counter.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace secateur {
namespace {

using testing::CpuRun;
using testing::expectLaws;
using testing::randomInputs;
using testing::Values;

LoadedModel modelOf(const std::string& graph, int opset = 17) {
    auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                                 ", \"com.microsoft\" : 1, \"local\" : 1]>\n" + graph);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    return std::move(*loaded);
}

/// The laws on random inputs of a graph in text form.
CpuRun check(const std::string& graph, int opset = 17) {
    const LoadedModel loaded = modelOf(graph, opset);
    const auto inputs = randomInputs(loaded.model);
    EXPECT_TRUE(inputs.ok()) << (inputs.ok() ? "" : inputs.error().toString());
    CpuRun run = expectLaws(loaded.model, *inputs, graph);
    EXPECT_TRUE(run.isDone) << graph << run.error;
    return run;
}

std::size_t countOf(const CpuRun& run, const std::string& kernel) {
    return static_cast<std::size_t>(std::count_if(run.report.nodes.begin(), run.report.nodes.end(),
                                                  [&](const auto& node) { return node.kernel == kernel; }));
}

TEST(CpuBackend, convolutionsCarryTheirLayoutThroughWhatFollows) {
    const CpuRun run = check(
        "g (float[1,16,14,14] x, float[32,16,3,3] w, float[32] b, float[32,32,1,1] v, float[1,32,1,1] s) => "
        "(float[1,32,12,12] y) { c = Conv(x, w, b) r = Relu(c) m = Mul(r, s) d = Conv(m, v) a = Add(d, r) "
        "t = Sigmoid(a) y = Max(t, r) }");
    // Into the layout of the first convolution and out of it at the end.
    EXPECT_LE(countOf(run, "conversion"), 2U);
    EXPECT_EQ(countOf(run, "onednn"), 2U);
    EXPECT_EQ(countOf(run, "reference"), 0U);
}

TEST(CpuBackend, longFiltersOverRowsOfOneChannel) {
    for (const auto& [filters, length] : {std::pair(1, 64), {3, 70}, {4, 96}, {5, 257}, {36, 256}}) {
        const std::string w = "[" + std::to_string(filters) + ",1,1," + std::to_string(length) + "]";
        const CpuRun run = check("g (float[2,1,3,700] x, float" + w + " w, float[" + std::to_string(filters) +
                                 "] b) => (float[n,c,h,t] y) { y = Conv <strides = [1,3]> (x, w, b) }");
        EXPECT_EQ(countOf(run, "own"), 1U) << w;
    }
    // Padding, several channels and steps between taps are for oneDNN.
    check("g (float[1,1,200] x, float[2,1,64] w) => (float[n,c,t] y) { y = Conv <pads = [3,4]> (x, w) }");
    check("g (float[1,1,200] x, float[2,1,64] w) => (float[n,c,t] y) { y = Conv <dilations = [2]> (x, w) }");
    check("g (float[1,2,200] x, float[2,2,64] w) => (float[n,c,t] y) { y = Conv(x, w) }");
}

TEST(CpuBackend, channelsThatDoNotFillTheirBlocksStayRight) {
    check("g (float[2,5,9,9] x, float[11,5,3,3] w, float[11] b, float[11] k, float[1,11,1,1] s) => "
          "(float[2,11,7,7] y, float[2,11,1,1] p) { c = Conv(x, w, b) e = Exp(c) h = HardSwish(c) q = Div(e, "
          "s) "
          "z = Mul(h, s) n = BatchNormalization(z, k, k, k, b) t = Add(n, q) y = Sub(t, s) p = "
          "GlobalAveragePool(y) }");
}

TEST(CpuBackend, oneTwoAndThreeSpatialDimensionsGroupsStridesAndDilations) {
    check("g (float[1,8,20] x, float[6,4,3] w) => (float[1,6,8] y) { y = Conv <group = 2, strides = [2], "
          "pads = [1,0], dilations = [2]> (x, w) }");
    check("g (float[1,4,6,6,6] x, float[3,4,2,2,2] w) => (float[1,3,5,5,5] y) { y = Conv(x, w) }");
    check("g (float[1,16,9,9] x, float[16,1,3,3] w) => (float[1,16,9,9] y) { y = Conv <group = 16, pads = "
          "[1,1,1,1]> (x, w) }");
    check("g (float[1,3,9,9] x, float[4,3,3,3] w) => (float[1,4,5,5] y) { y = Conv <auto_pad = "
          "\"SAME_LOWER\", strides = [2,2]> (x, w) }");
    check("g (float[1,4,5,5] x) => (float[1,6,10,10] y) { s = Constant <value_ints = [4,6,2,2]> () "
          "w = ConstantOfShape <value = float[1] {0.5}> (s) y = ConvTranspose <strides = [2,2]> (x, w) }");
}

TEST(CpuBackend, poolingOfEveryKind) {
    check("g (float[1,8,9,9] x, float[8,8,1,1] w) => (float[1,8,4,4] a, float[1,8,5,5] b, float[1,8,5,5] c, "
          "float[1,8,1,1] d) { "
          "k = Conv(x, w) a = MaxPool <kernel_shape = [3,3], strides = [2,2]> (k) "
          "b = MaxPool <kernel_shape = [2,2], strides = [2,2], ceil_mode = 1> (k) "
          "c = AveragePool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1], count_include_pad = 1> "
          "(k) "
          "d = GlobalMaxPool(k) }");
    check("g (float[1,2,7,7] x) => (float[1,2,4,4] y, int64[1,2,4,4] i) { y, i = MaxPool <kernel_shape = "
          "[2,2], strides = [2,2], ceil_mode = 1> (x) }");
}

TEST(CpuBackend, matrixProductsBatchedBroadcastAndSwapped) {
    check("g (float[2,3,4,5] a, float[5,6] b) => (float[2,3,4,6] y) { y = MatMul(a, b) }");
    check("g (float[2,1,4,5] a, float[3,5,6] b) => (float[2,3,4,6] y) { y = MatMul(a, b) }");
    check("g (float[5] a, float[5,6] b) => (float[6] y) { y = MatMul(a, b) }");
    check("g (float[5,4] a, float[6,5] b, float[6] c) => (float[4,6] y) { y = Gemm <transA = 1, transB = 1> "
          "(a, b, c) }");
    check("g (float[4,5] a, float[5,6] b, float[4,1] c) => (float[4,6] y) { y = Gemm <alpha = 2.0> (a, b, c) "
          "}");
}

TEST(CpuBackend, movementsInAnyTypeAndLayout) {
    check("g (float[1,8,6,6] x, float[8,8,1,1] w) => (float[1,16,6,6] y, float[1,8,12,12] z, float[1,6,6,8] "
          "t) { "
          "c = Conv(x, w) d = Relu(c) y = Concat <axis = 1> (c, d) "
          "k = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> () "
          "z = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = "
          "\"floor\"> (c, , k) "
          "t = Transpose <perm = [0,2,3,1]> (c) }");
    check("g (int64[4,6] x) => (int64[2,3] y, int64[6,4] t, int64[4,2] a, int64[4,4] b) { "
          "s = Constant <value_ints = [3,5]> () e = Constant <value_ints = [-9,-9]> () x0 = Constant "
          "<value_ints = [0,1]> () "
          "p = Constant <value_ints = [-2,-2]> () y = Slice(x, s, e, x0, p) t = Transpose(x) "
          "q = Constant <value_ints = [2,4]> () a, b = Split <axis = 1> (x, q) }");
    check("g (float[2,3,5] x) => (float[2,6,9] y, float[2,3,9] z) { p = Constant <value_ints = "
          "[0,1,2,0,2,2]> () "
          "y = Pad(x, p) r = Constant <value_ints = [0,0,2,0,0,2]> () z = Pad <mode = \"reflect\"> (x, r) }");
}

TEST(CpuBackend, softmaxLayerNormAndReductions) {
    check("g (float[3,4,5] x, float[5] s, float[5] b) => (float[3,4,5] a, float[3,4,5] c, float[3,4,5] d, "
          "float[3] e, float[3,4,1] f) { "
          "a = Softmax <axis = 1> (x) c = LogSoftmax(x) d = LayerNormalization(x, s, b) "
          "e = ReduceMean <axes = [1,2], keepdims = 0> (x) f = ReduceMax <axes = [-1]> (x) }");
}

TEST(CpuBackend, recurrentLayersInEveryDirection) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
        const std::string d = direction == "bidirectional" ? "2" : "1";
        const CpuRun run = check("g (float[5,2,3] x, float[" + d + ",16,3] w, float[" + d +
                                 ",16,4] r, float[" + d + ",32] b, float[" + d + ",2,4] h, float[" + d +
                                 ",2,4] c) => (float[5," + d + ",2,4] y, float[" + d + ",2,4] yh, float[" +
                                 d + ",2,4] yc) { y, yh, yc = LSTM <hidden_size = 4, direction = \"" +
                                 direction + "\"> (x, w, r, b, , h, c) }");
        EXPECT_EQ(countOf(run, "reference"), 0U);
    }
    check("g (float[5,2,3] x, float[1,16,3] w, float[1,16,4] r) => (float[1,2,4] yh) { , yh = LSTM "
          "<hidden_size = 4, clip = 0.5> (x, w, r) }");
}

TEST(CpuBackend, whatFollowsAnIfThatHangsOnShapesHasFastKernels) {
    const CpuRun run = check(
        "g (float[1,3,9] x, float[4,3,3] w) => (float[1,4,7] y, float[4,7] z) { s = Shape <start = 0, end "
        "= 1> (x) o = Constant <value_ints = [1]> () c = Equal(s, o) a = If (c) <then_branch = t () => "
        "(float[1,4,7] p) { p = Conv(x, w) }, else_branch = e () => (float[1,4,7] q) { k = Conv(x, w) q "
        "= Neg(k) }> y = Relu(a) z = If (c) <then_branch = t2 () => (float[4,7] p2) { zero = Constant "
        "<value_ints = [0]> () p2 = Squeeze(y, zero) }, else_branch = e2 () => (float[1,4,7] q2) { q2 = "
        "Identity(y) }> }");
    EXPECT_EQ(countOf(run, "reference"), 0U);
    EXPECT_EQ(countOf(run, "onednn"), 1U);
}

TEST(CpuBackend, whatMapsChannelsBehindAConvolutionGoesIntoItsWeights) {
    const std::string weights =
        "k = Constant <value_ints = [5,3,2,2]> () w = ConstantOfShape <value = float[1] {0.3}> (k) ";
    const std::string constants =
        "<float[5] s = {1,2,3,4,5}, float[5] b = {1,-1,0,2,3}, float[5] m = {0,1,2,3,4}, "
        "float[5] v = {1,2,0.5,1,3}, float[1,5,1,1] t = {3,1,2,0.5,-1}, float one = {0.5}> ";
    const CpuRun run =
        check("g (float[2,3,5,5] x) => (float[2,5,4,4] y) " + constants + "{ " + weights +
              "c = Conv(x, w, b) n = BatchNormalization(c, s, b, m, v) p = Mul(t, n) q = Add(p, one) r = "
              "Div(q, t) u = Sub(r, one) y = HardSwish(u) }");
    EXPECT_EQ(countOf(run, "onednn") + countOf(run, "conversion"), run.report.nodes.size());
    // What somebody else reads stays.
    const CpuRun both =
        check("g (float[2,3,5,5] x) => (float[2,5,4,4] y, float[2,5,4,4] c) " + constants + "{ " + weights +
              "c = Conv(x, w) n = BatchNormalization(c, s, b, m, v) y = Relu(n) }");
    EXPECT_EQ(countOf(both, "own"), 2U);
    // A sum over positions is none over channels; what is drawn from the batch is not known before.
    check("g (float[1,3,5,5] x, float[4] z) => (float[1,5,4,4] y) " + constants + "{ " + weights +
          "c = Conv(x, w) y = Add(c, z) }");
    check("g (float[2,3,5,5] x) => (float[2,5,4,4] y) " + constants + "{ " + weights +
          "c = Conv(x, w) y = BatchNormalization <training_mode = 1> (c, s, b, m, v) }");
}

TEST(CpuBackend, constantsMadeForAPlanCountAndAreNotMadeWhereThereIsNoRoom) {
    const LoadedModel loaded = modelOf(
        "g (float[2,3,5,5] x) => (float[2,5,4,4] y) <float[5] s = {1,2,3,4,5}> { k = Constant <value_ints = "
        "[5,3,2,2]> () w = ConstantOfShape <value = float[1] {0.3}> (k) c = Conv(x, w) n = "
        "BatchNormalization(c, s, s, s, s) y = Relu(n) }");
    const std::uint64_t weights = 5 * 3 * 2 * 2 * 4;
    const auto operatorsAfter = [&](std::uint64_t limit, bool isFused) {
        const MemoryPool pool(limit);
        auto source = specializeModel(loaded.model, {}, pool);
        EXPECT_TRUE(source.ok());
        const std::uint64_t before = pool.liveBytes();
        EXPECT_GE(before, weights) << "w, computed once";
        fuseConvolutions(*source, RunMode::asWritten, pool);
        // The new weights beside the old ones, and a bias.
        EXPECT_EQ(pool.liveBytes() - before, isFused ? weights + 5 * 4 : 0U);
        std::vector<std::string> operators;
        for (const NodeId node : source->model.nodes(source->model.mainGraph()))
            operators.emplace_back(source->model.op(node));
        return operators;
    };
    const std::vector<std::string> fused{"Conv", "Relu"}, whole{"Conv", "BatchNormalization", "Relu"};
    EXPECT_EQ(operatorsAfter(MemoryPool::kDefaultLimit, true), fused);
    EXPECT_EQ(operatorsAfter(weights + 100, false), whole);
}

TEST(CpuBackend, whoListensIsToldOfEveryNodeByItself) {
    const LoadedModel loaded = modelOf("g (float[2,3,5,5] x) => (float[2,5,4,4] y) <float[5] s = "
                                       "{1,2,3,4,5}, float[5] b = {1,-1,0,2,3}> { k = "
                                       "Constant <value_ints = [5,3,2,2]> () w = ConstantOfShape <value = "
                                       "float[1] {0.3}> (k) c = Conv(x, w) n = "
                                       "BatchNormalization(c, s, b, b, s) y = HardSwish(n) }");
    std::vector<std::string> ops;
    BackendOptions options;
    options.onNode = [&](const Model& model, NodeId node, std::span<const RuntimeValue>) {
        ops.emplace_back(model.op(node));
    };
    auto backend = openCpuBackend(loaded.model, std::move(options), {});
    const auto inputs = randomInputs(loaded.model);
    ASSERT_TRUE(backend.ok() && inputs.ok());
    ASSERT_TRUE((*backend)->run({*inputs}, {}).ok());
    EXPECT_EQ(ops, (std::vector<std::string>{"Conv", "BatchNormalization", "HardSwish"}));
}

TEST(CpuBackend, aBodyAsAModelHoldsWhatTheBodyReadsAndNoMore) {
    std::string chain = "v0 = Relu(x) ";
    for (int i = 1; i < 100; ++i)
        chain += "v" + std::to_string(i) + " = Neg(v" + std::to_string(i - 1) + ") ";
    const LoadedModel loaded = modelOf(
        "g (float[2] x, bool c) => (float[2] y) <float[2] w = {1, 2}> { " + chain +
        "y = If (c) <then_branch = t () => (float[2] p) { a = Add(v99, w) d = Cast <to = 9> (a) e = "
        "ReduceMax <keepdims = 0> (v7) f = Cast <to = 9> (e) p = If (f) <then_branch = tt () => (float[2] q) "
        "{ q = Mul(a, v99) }, else_branch = te () => (float[2] r) { r = Sub(a, w) }> }, else_branch = e () "
        "=> "
        "(float[2] s) { s = Identity(x) }> }");
    const Model& model = loaded.model;
    GraphId branch;
    for (const NodeId node : model.nodes(model.mainGraph()))
        if (model.isOp(node, "If")) branch = model.subgraphs(node).front();
    const BodyModel body = bodyAsModel(model, FunctionTable(model), branch);
    EXPECT_EQ(body.captured.size(), 2U); // v99 and v7; w is a constant
    EXPECT_EQ(body.model.nodeIdCount(), 7U + 2 * 3);
    EXPECT_LT(body.model.valueIdCount(), 12U);
    EXPECT_EQ(model.op(body.origins.at(2)), "Add");
    const auto inputs = randomInputs(model);
    for (const bool condition : {true, false}) {
        Values given = *inputs;
        MemoryPool pool;
        TensorData taken = TensorData::make(pool, ElementType::boolean, {}).take();
        taken.as<std::uint8_t>()[0] = condition ? 1 : 0;
        given[1] = taken;
        EXPECT_TRUE(expectLaws(model, given, "bodies").isDone);
    }
}

TEST(CpuBackend, quantizedValuesKeepTheLayoutOfConvolutions) {
    const CpuRun run =
        check("g (float[1,5,6,6] x, float[11,5,3,3] w, float[12,11,1,1] v) => (float[1,12,4,4] y) { "
              "s = Constant <value = float {0.02}> () z = Constant <value = uint8 {7}> () a = Conv(x, w) "
              "q = QuantizeLinear(a, s, z) d = DequantizeLinear(q, s, z) y = Conv(d, v) }");
    EXPECT_EQ(countOf(run, "reference"), 0U);
    EXPECT_LE(countOf(run, "conversion"), 2U);
    check("g (float[2,3,4] x) => (float[2,3,4] y, int8[2,3,4] q) { s = Constant <value_floats = [0.1, 0.2, "
          "0.01]> () "
          "z = Constant <value = int8[3] {0, 3, -5}> () q = QuantizeLinear <axis = 1> (x, s, z) y = "
          "DequantizeLinear <axis = 1> (q, s, z) }");
    check("g (float[4,6] x, float[6,3] w) => (int32[4,3] y, float f) { a, s, z = DynamicQuantizeLinear(x) "
          "b, t, u = DynamicQuantizeLinear(w) y = MatMulInteger(a, b, z, u) c = Cast <to = 1> (y) f = "
          "ReduceSum <keepdims = 0> (c) }");
}

TEST(CpuBackend, valuesKnownOnlyWhileRunningLiveOutsideThePlan) {
    const CpuRun run = check("g (float[10] x) => (int64[r,n] y, float[1] z) { p = Relu(x) y = NonZero(p) "
                             "o = Shape(y) q = Cast <to = 1> (o) z = ReduceSum(q) }");
    EXPECT_GT(countOf(run, "reference"), 0U);
}

TEST(CpuBackend, bodiesRunByPlansOfTheirOwn) {
    check("g (float[4] x, bool c) => (float[4] y) { y = If (c) <then_branch = a () => (float[4] p) { p = "
          "Exp(x) }, "
          "else_branch = b () => (float[4] q) { r = Neg(x) q = Add(r, x) }> }");
    check("g (float[4] x) => (float[4] y, float[n,4] s) { n = Constant <value = int64 {5}> () t = Constant "
          "<value = bool {1}> () "
          "h = Abs(x) y, s = Loop (n, t, x) <body = l (int64 i, bool k, float[4] v) => (bool k2, float[4] w, "
          "float[4] u) { "
          "k2 = Identity(k) a = Add(v, h) w = Tanh(a) u = Identity(w) }> }");
    // A state that grows with each iteration has a plan for each shape, and one for all in the end.
    check("g (float[1] x) => (float[m] y) { n = Constant <value = int64 {40}> () t = Constant <value = bool "
          "{1}> () "
          "y = Loop (n, t, x) <body = l (int64 i, bool k, float[p] v) => (bool k2, float[q] w) { "
          "k2 = Identity(k) w = Concat <axis = 0> (v, x) }> }");
}

TEST(CpuBackend, emptyTensorsAndOtherTypesFallToTheReferenceKernels) {
    check("g (float[0,4] x, float[4,3] w) => (float[0,3] y) { m = MatMul(x, w) y = Relu(m) }");
    check("g (double[3,4] x, double[4,3] w) => (double[3,3] y) { m = MatMul(x, w) y = Sigmoid(m) }");
    check("g (float16[3,4] x) => (float16[3,4] y) { m = Add(x, x) y = Softmax(m) }");
}

/// Calls of `new` from opening a model to the end of a run.
std::uint64_t allocationsOf(const std::string& text) {
    auto parsed = parseModelText(text);
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().toString());
    if (!parsed) return 0;
    const auto inputs = randomInputs(parsed->model);
    const std::uint64_t before = testing::allocationCount();
    BackendOptions options;
    options.threads = 1;
    auto backend = openCpuBackend(parsed->model, std::move(options), {});
    EXPECT_TRUE(backend.ok() && (*backend)->run({*inputs}, {}).ok());
    return testing::allocationCount() - before;
}

TEST(CpuBackend, whatAPlanTakesGrowsAsTheGraphDoes) {
    const auto wide = [](int width) {
        std::string nodes, names;
        for (int i = 0; i < width; ++i) {
            const std::string name = "r" + std::to_string(i);
            nodes += name + " = Relu(x) ";
            names += (i == 0 ? "" : ", ") + name;
        }
        return "<ir_version: 8, opset_import: [\"\" : 17]> g (float[4] x) => (float[n] y) { " + nodes +
               "y = Concat<axis = 0>(" + names + ") }";
    };
    const auto functions = [](int count) {
        std::string nodes = "v0 = Neg(x) ", bodies;
        for (int i = 0; i < count; ++i) {
            const std::string number = std::to_string(i);
            nodes += "v" + std::to_string(i + 1) + " = local.F" + number + "(v" + number + ") ";
            bodies +=
                "<domain: \"local\", opset_import: [\"\" : 17]> F" + number + " (a) => (b) { b = Neg(a) }\n";
        }
        return "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]> g (float[4] x) => (float[4] y) { " +
               nodes + "y = Neg(v" + std::to_string(count) + ") }\n" + bodies;
    };
    const double wider =
        static_cast<double>(allocationsOf(wide(8000))) / static_cast<double>(allocationsOf(wide(4000)));
    EXPECT_LT(wider, 2.2) << "twice as wide";
    const double more = static_cast<double>(allocationsOf(functions(400))) /
                        static_cast<double>(allocationsOf(functions(200)));
    EXPECT_LT(more, 2.2) << "twice as many functions";
}

TEST(CpuBackend, aBadIndexIsTheErrorOfTheReferenceKernel) {
    const LoadedModel loaded = modelOf("g (float[3,2] x, int64[1] i) => (float[1,2] y) { y = Gather(x, i) }");
    MemoryPool pool;
    TensorData x = TensorData::make(pool, ElementType::float32, {3, 2}).take();
    TensorData i = TensorData::make(pool, ElementType::int64, {1}).take();
    i.as<std::int64_t>()[0] = 7;
    const testing::Values inputs{x, i};
    const CpuRun run = testing::runOnCpu(loaded.model, inputs, false);
    const auto expected = testing::runOnReference(loaded.model, inputs);
    ASSERT_FALSE(run.isDone);
    ASSERT_FALSE(expected.ok());
    EXPECT_EQ(run.error, expected.error().toString());
}

TEST(CpuBackend, nanAndInfinitiesPassThroughElementwiseKernels) {
    const LoadedModel loaded =
        modelOf("g (float[6] x) => (float[6] a, float[6] b, float[6] c, float[6] d, float[6] e) { "
                "a = Sigmoid(x) b = Tanh(x) c = Exp(x) d = Relu(x) e = HardSwish(x) }");
    MemoryPool pool;
    TensorData x = TensorData::make(pool, ElementType::float32, {6}).take();
    const float inf = std::numeric_limits<float>::infinity();
    const float cells[] = {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 1e30F, -1e30F, -0.0F};
    std::copy(std::begin(cells), std::end(cells), x.as<float>().begin());
    expectLaws(loaded.model, {x}, "not finite");
}

TEST(CpuBackend, oneAndSeveralThreadsGiveTheSameBytesInOwnKernels) {
    const LoadedModel loaded = modelOf(
        "g (float[64,4096] x) => (float[64,4096] y) { a = Exp(x) b = Add(a, x) c = Softmax(b) y = Tanh(c) }");
    const auto inputs = randomInputs(loaded.model);
    BackendOptions one, three;
    one.threads = 1;
    three.threads = 3;
    const CpuRun a = testing::runOnCpu(loaded.model, *inputs, false, one);
    const CpuRun b = testing::runOnCpu(loaded.model, *inputs, false, three);
    ASSERT_TRUE(a.isDone && b.isDone) << a.error << b.error;
    EXPECT_TRUE(compareValues(a.outputs[0], b.outputs[0], {0, 0}).isSameBits);
}

TEST(CpuBackend, randomOperatorsDrawWhatTheReferenceDraws) {
    check("g (float[50] x) => (float[50] y, float[50] z) { y = RandomNormalLike(x) r = Constant <value = "
          "float {0.5}> () "
          "t = Constant <value = bool {1}> () z = Dropout(x, r, t) }");
}

TEST(CpuBackend, aModelThatAsksForTooMuchStopsWithTheLimit) {
    const LoadedModel loaded = modelOf("g (float[1] x, int64[1] s) => (float[n] y) { y = Expand(x, s) }");
    MemoryPool pool;
    TensorData x = TensorData::make(pool, ElementType::float32, {1}).take();
    TensorData s = TensorData::make(pool, ElementType::int64, {1}).take();
    s.as<std::int64_t>()[0] = std::int64_t{1} << 40;
    const CpuRun run = testing::runOnCpu(loaded.model, {x, s}, false);
    ASSERT_FALSE(run.isDone);
    EXPECT_NE(run.error.find("beyond the limit"), std::string::npos) << run.error;
}

Result<std::unique_ptr<Backend>> openPoisoned(const Model& model, BackendOptions options) {
    options.threads = 2;
    return openCpuBackend(model, std::move(options), {true});
}

TEST(CpuBackend, passesTheNodeTestsThatTheReferencePasses) {
    namespace fs = std::filesystem;
    std::vector<fs::path> cases;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(SECATEUR_ONNX_NODE_TESTS, failed))
        cases.push_back(entry.path());
    if (cases.empty()) GTEST_SKIP() << "ONNX's node tests were not fetched when the build was configured";
    std::sort(cases.begin(), cases.end());
    setCpuBackend(&openPoisoned);
    std::size_t passed = 0, others = 0;
    for (const fs::path& folder : cases) {
        const FolderVerdict ours = runTestFolder(folder, Device::cpu, {}, {1e-3, 1e-5});
        if (ours.state == FolderVerdict::State::passed) {
            ++passed;
            continue;
        }
        ++others;
        const FolderVerdict reference = runTestFolder(folder, Device::reference, {}, {1e-3, 1e-5});
        EXPECT_NE(reference.state, FolderVerdict::State::passed) << folder.filename() << ": " << ours.reason;
    }
    setCpuBackend(nullptr);
    std::printf("%zu passed, %zu others\n", passed, others);
    EXPECT_GE(passed, 1000U);
}

} // namespace
} // namespace secateur
