// SPDX-License-Identifier: Apache-2.0
#include "tests/core/exec/run_text.h"

#include <gmock/gmock.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reference, runsNodesInWhateverOrderTheyStand) {
    const auto out =
        outputsOf("g (float[2] x) => (float[2] y) { y = Add(h, x)  h = Neg(x) }", {floats({2}, {1, 2})});
    EXPECT_THAT(numbersOf(out[0]), ElementsAre(0, 0));
}

TEST(Reference, aCycleIsNamedBeforeAnythingRuns) {
    const auto out =
        runText(modelText("g (float[2] x) => (float[2] y) { a = Add(x, b)  b = Neg(a)  y = Relu(b) }"), {});
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().toString(), HasSubstr("cycle"));
}

TEST(Reference, operatorsWithoutKernelAreNamedBeforeAnythingRuns) {
    bool hasRun = false;
    ReferenceOptions options;
    options.onNode = [&](NodeId, std::span<const RuntimeValue>) { hasRun = true; };
    const auto out = runText(modelText("g (float[2] x) => (float[2] y) { h = Neg(x)  y = local.Mystery(h) }"),
                             {floats({2}, {1, 2})}, options);
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.error().code, ErrorCode::missing);
    EXPECT_THAT(out.error().message, HasSubstr("local.Mystery"));
    EXPECT_FALSE(hasRun);
}

/// Against a sort of the whole row, along the last axis and another, with NaN and equals in it.
TEST(Reference, topKIsTheBeginningOfASortedRow) {
    constexpr int kRows = 3, kLength = 200;
    std::vector<double> numbers;
    for (int i = 0; i < kRows * kLength; ++i)
        numbers.push_back(i % 37 == 5 ? std::nan("") : std::floor(40 * std::sin(i * 12.9898)));
    for (const bool isLargest : {true, false}) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{kLength}}) {
            const auto expect = [&](const RuntimeValue& values, const RuntimeValue& indices, bool isLast) {
                for (int r = 0; r < kRows; ++r) {
                    const auto at = [&](std::size_t i) {
                        return isLast ? numbers[static_cast<std::size_t>(r) * kLength + i]
                                      : numbers[i * kRows + static_cast<std::size_t>(r)];
                    };
                    std::vector<std::size_t> order(kLength);
                    for (std::size_t i = 0; i < order.size(); ++i)
                        order[i] = i;
                    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                        const double low = std::isnan(at(a)) ? 1e9 : at(a),
                                     high = std::isnan(at(b)) ? 1e9 : at(b);
                        return isLargest ? low > high : low < high;
                    });
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::size_t place = isLast ? static_cast<std::size_t>(r) * count + i
                                                         : i * kRows + static_cast<std::size_t>(r);
                        EXPECT_EQ(numbersOf(indices)[place], static_cast<double>(order[i])) << r << " " << i;
                        const double found = numbersOf(values)[place];
                        EXPECT_TRUE(found == at(order[i]) || (std::isnan(found) && std::isnan(at(order[i]))));
                    }
                }
            };
            const std::string attributes = std::string("largest = ") + (isLargest ? "1" : "0") + ", axis = ";
            const TensorData k = integers({1}, {static_cast<double>(count)});
            const auto last =
                outputsOf("g (float[3,200] x, int64[1] k) => (float[a,b] v, int64[a,b] i) { v, i = TopK<" +
                              attributes + "1>(x, k) }",
                          {floats({3, 200}, numbers), k});
            expect(last[0], last[1], true);
            const auto first =
                outputsOf("g (float[200,3] x, int64[1] k) => (float[a,b] v, int64[a,b] i) { v, i = TopK<" +
                              attributes + "0>(x, k) }",
                          {floats({200, 3}, numbers), k});
            expect(first[0], first[1], false);
        }
    }
}

TEST(Reference, whatTheStandardRefusesOfANodeIsNamedBeforeAnythingRuns) {
    const auto refusal = [](const std::string& graph, std::vector<RuntimeValue> inputs) {
        const auto out = runText(modelText(graph), std::move(inputs));
        return out.ok() ? std::string("it ran") : out.error().toString();
    };
    const TensorData x = floats({2}, {1, 2});
    EXPECT_THAT(refusal("g (float[2] x) => (float[n] y) { y = Concat(x, x) }", {x}), HasSubstr("`axis`"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[n] y) { y = Softmax<axis = \"0\">(x) }", {x}),
                HasSubstr("of type STRING; the operator Softmax takes INT"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[n] y) { y = Add(x) }", {x}), HasSubstr("input 1 (`B`)"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[n] y) { y = Neg(x, x) }", {x}), HasSubstr("2 inputs"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[n] y) { y, z = Neg(x) }", {x}), HasSubstr("at most 1"));
    EXPECT_THAT(
        refusal("g (float[2] x, int64 n) => (float[k] y) { c = Constant<value = bool {1}>() y = Loop(n, c, "
                "x) <body = b (int64 i, bool d) => (bool e, float[2] w) { e = Identity(d) w = Neg(x) }> }",
                {x, integers({}, {1})}),
        HasSubstr("takes 2 values where it is given 3"));
}

TEST(Reference, anInitializerThatIsAnInputIsADefault) {
    const std::string graph = "g (float[2] x, float[2] w = {3, 4}) => (float[2] y) { y = Mul(x, w) }";
    EXPECT_THAT(numbersOf(outputsOf(graph, {floats({2}, {1, 2})})[0]), ElementsAre(3, 8));
    EXPECT_THAT(numbersOf(outputsOf(graph, {floats({2}, {1, 2}), floats({2}, {10, 20})})[0]),
                ElementsAre(10, 40));
}

TEST(Reference, inputsAreCheckedAgainstTheDeclaration) {
    const std::string text = modelText("g (float[N, 3] x) => (float[N, 3] y) { y = Neg(x) }");
    EXPECT_FALSE(runText(text, {floats({2, 2}, {1, 2, 3, 4})}).ok());
    EXPECT_FALSE(runText(text, {integers({1, 3}, {1, 2, 3})}).ok());
    const auto missing = runText(text, {});
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().code, ErrorCode::usage);
    EXPECT_TRUE(runText(text, {floats({5, 3}, std::vector<double>(15))}).ok());
}

TEST(Reference, valuesAreFreedAfterTheirLastUse) {
    const auto loaded = parseModelText(modelText("g (float[256] x) => (float[256] y) { a = Neg(x) b = Neg(a) "
                                                 "c = Neg(b) d = Neg(c) e = Neg(d) y = Neg(e) }"));
    ASSERT_TRUE(loaded.ok());
    auto runner = ReferenceRunner::prepare(loaded->model);
    ASSERT_TRUE(runner.ok());
    auto out = runner->run({floats({256}, std::vector<double>(256, 1))});
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(runner->pool().highWaterBytes(), 2U * 256 * 4);
    EXPECT_EQ(runner->pool().liveBytes(), 256U * 4);
    out->clear();
    EXPECT_EQ(runner->pool().liveBytes(), 0U);
}

TEST(Reference, bothBranchesSeeOuterValues) {
    const std::string graph = R"(g (bool c, float[2] x) => (float[2] y) {
        h = Neg(x)
        y = If (c) <then_branch = t () => (float[2] a) { a = Add(h, x) }, else_branch = e () => (float[2] b) { b = Identity(h) }>
    })";
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1}),
                     no = tensorOf(ElementType::boolean, {}, {0});
    EXPECT_THAT(numbersOf(outputsOf(graph, {yes, floats({2}, {1, 2})})[0]), ElementsAre(0, 0));
    EXPECT_THAT(numbersOf(outputsOf(graph, {no, floats({2}, {1, 2})})[0]), ElementsAre(-1, -2));
}

const char* const kLoop = R"(g (int64 n, bool go, float[1] x) => (float[1] last, float[K, 1] all) {
    last, all = Loop (n, go, x) <body = b (int64 i, bool c, float[1] s) => (bool d, float[1] t, float[1] u) {
        d = Identity(c)  one = Constant<value = float[1] {1}>()  t = Add(s, one)  u = Mul(t, t)
    }>
})";

TEST(Reference, aLoopCarriesStateAndGathersResults) {
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1});
    const auto out = outputsOf(kLoop, {integers({}, {3}), yes, floats({1}, {0})});
    EXPECT_THAT(numbersOf(out[0]), ElementsAre(3));
    EXPECT_THAT(numbersOf(out[1]), ElementsAre(1, 4, 9));
    EXPECT_EQ(shapeOf(out[1]), (Shape{3, 1}));
}

TEST(Reference, aLoopWithoutIterationsGivesEmptyResults) {
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1}),
                     no = tensorOf(ElementType::boolean, {}, {0});
    for (const auto& [trips, condition] : {std::pair(0.0, yes), std::pair(5.0, no)}) {
        const auto out = outputsOf(kLoop, {integers({}, {trips}), condition, floats({1}, {7})});
        EXPECT_THAT(numbersOf(out[0]), ElementsAre(7));
        EXPECT_EQ(shapeOf(out[1]), (Shape{0, 1}));
    }
}

TEST(Reference, anEndlessLoopStopsAtTheLimit) {
    const std::string text = modelText(R"(g (bool go, float[1] x) => (float[1] y) {
        y = Loop ("", go, x) <body = b (int64 i, bool c, float[1] s) => (bool d, float[1] t) { d = Identity(c) t = Neg(s) }>
    })");
    ReferenceOptions options;
    options.limits.iterations = 100;
    const auto out = runText(text, {tensorOf(ElementType::boolean, {}, {1}), floats({1}, {0})}, options);
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().message, HasSubstr("100 iterations, which is the limit"));
    EXPECT_THAT(out.error().where, HasSubstr("Loop"));
}

TEST(Reference, loopsInsideEachOtherSpendOneTime) {
    const std::string text = modelText(R"(g (bool go, int64 n, float[1] x) => (float[1] y) {
        y = Loop (n, go, x) <body = b (int64 i, bool c, float[1] s) => (bool d, float[1] t) {
            d = Identity(c)
            t = Loop (n, c, s) <body = e (int64 k, bool f, float[1] u) => (bool h, float[1] v) {
                h = Identity(f) v = Neg(u) }> }>
    })");
    ReferenceOptions options;
    options.limits.loopSeconds = 30; // the inner loops that ended are counted once, not for each level
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1});
    EXPECT_TRUE(runText(text, {yes, integers({}, {30}), floats({1}, {0})}, options).ok());
    options.limits.loopSeconds = 0.01;
    const auto late = runText(text, {yes, integers({}, {100'000}), floats({1}, {0})}, options);
    ASSERT_FALSE(late.ok());
    EXPECT_THAT(late.error().message, HasSubstr("took longer than 10 ms"));
}

TEST(Reference, smallPartsThatALoopGathersTakeNoMoreThanWhatIsCounted) {
    const std::string text = modelText(R"(g (bool go, int64 n, float[2] x) => (float[2] s, float[K, 2] y) {
        s, y = Loop (n, go, x) <body = b (int64 i, bool c, float[2] u) => (bool d, float[2] v, float[2] w) {
            d = Identity(c)  v = Add(u, u)  w = Identity(u) }>
    })");
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1});
    const auto heldBy = [] { // bytes that malloc has handed out
        const auto info = ::mallinfo2();
        return info.uordblks + info.hblkhd;
    };
    ReferenceOptions options;
    options.limits.memoryBytes = 1U << 20U;
    // Tables that are made once in a process are not what the loop takes.
    EXPECT_TRUE(runText(text, {yes, integers({}, {1}), floats({2}, {1, 2})}, options).ok());
    const std::size_t before = heldBy();
    std::size_t most = 0;
    std::size_t ran = 0;
    options.onNode = [&](NodeId, std::span<const RuntimeValue>) {
        if (++ran % 4096 == 0) most = std::max(most, heldBy()); // which takes its time
    };
    const auto out = runText(text, {yes, integers({}, {1'000'000}), floats({2}, {1, 2})}, options);
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().message, HasSubstr("beyond the limit of 1.0 MiB"));
    EXPECT_THAT(out.error().where, HasSubstr("Loop"));
    EXPECT_LT(most - before, std::size_t{2} << 20U);
}

TEST(Reference, sequencesThatALoopGrowsCountTheirItems) {
    const std::string text = modelText(R"(g (bool go, int64 n, float[1] x) => (seq(float[A]) y) {
        e = SequenceEmpty()
        y = Loop (n, go, e) <body = b (int64 i, bool c, seq(float[A]) s) => (bool d, seq(float[A]) t) {
            d = Identity(c)  t = SequenceInsert(s, x) }>
    })");
    const TensorData yes = tensorOf(ElementType::boolean, {}, {1});
    ReferenceOptions options;
    options.limits.memoryBytes = 1U << 20U;
    const auto out = runText(text, {yes, integers({}, {10'000}), floats({1}, {1})}, options);
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().message, HasSubstr("beyond the limit of 1.0 MiB"));
    EXPECT_TRUE(runText(text, {yes, integers({}, {100}), floats({1}, {1})}, options).ok());
}

TEST(Reference, aTensorBeyondTheLimitIsAnErrorAndNotTheEnd) {
    const std::string text = modelText("g (int64[1] n, float[1] x) => (float[K] y) { y = Expand(x, n) }");
    const auto out = runText(text, {integers({1}, {0x1p40}), floats({1}, {1})});
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.error().code, ErrorCode::missing);
    EXPECT_THAT(out.error().message, HasSubstr("limit"));
    const std::string overflow =
        modelText("g (int64[4] n, float[1] x) => (float[A, B, C, D] y) { y = Expand(x, n) }");
    EXPECT_FALSE(runText(overflow, {integers({4}, {0x1p40, 0x1p40, 0x1p40, 2}), floats({1}, {1})}).ok());
}

TEST(Reference, whatOperatorsWorkInAndTextCountAsMemory) {
    struct Case {
        const char* graph;
        std::vector<RuntimeValue> inputs;
        std::uint64_t tooLittle, enough; ///< MiB
    };
    const TensorData square = floats({300, 300}, std::vector<double>(90'000, 1));
    std::vector<double> many(100'000);
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i] = static_cast<double>(i % 1000);
    const TensorData list = floats({100'000}, many);
    TensorData text = tensorOf(ElementType::string, {1}, {0});
    text.strings()[0] = std::string(1000, 'x');
    const TensorData wide = integers({1}, {10'000});
    for (const Case& each : std::initializer_list<Case>{
             {"g (float[300,300] x) => (float[A,B] y) { y = MatMul(x, x) }", {square}, 1, 4},
             {"g (float[300,300] x) => (float[A,B] y) { y = Gemm(x, x) }", {square}, 1, 4},
             {"g (float[100000] x) => (float[A] y) { y = Unique(x) }", {list}, 3, 12},
             {"g (float[100000] x) => (seq(float[A]) y) { y = SplitToSequence(x) }", {list}, 8, 48},
             {"g (string[1] x, int64[1] n) => (string[A] y) { y = Expand(x, n) }", {text, wide}, 4, 16},
             {"g (string[1] x, int64[1] n) => (string[A] z) { y = Expand(x, n)  z = StringConcat(y, y) }",
              {text, wide},
              20,
              48},
         }) {
        const auto runWithin = [&](std::uint64_t mebibytes) {
            ReferenceOptions options;
            options.limits.memoryBytes = mebibytes << 20U;
            return runText(modelText(each.graph, 20), each.inputs, options);
        };
        const auto refused = runWithin(each.tooLittle);
        ASSERT_FALSE(refused.ok()) << each.graph;
        EXPECT_EQ(refused.error().code, ErrorCode::missing) << each.graph;
        EXPECT_THAT(refused.error().message, HasSubstr("beyond the limit of")) << each.graph;
        const auto done = runWithin(each.enough);
        EXPECT_TRUE(done.ok()) << each.graph << (done.ok() ? "" : done.error().toString());
    }
}

/// What the reference kernels say to a graph that they must refuse.
std::string refusalOf(const std::string& graph, std::vector<RuntimeValue> inputs, int opset = 17,
                      ReferenceOptions options = {}) {
    const auto out = runText(modelText(graph, opset), std::move(inputs), std::move(options));
    EXPECT_FALSE(out.ok()) << graph;
    return out.ok() ? std::string() : out.error().toString();
}

TEST(Reference, attributesOfWindowsThatDoNotFitAreRefusedByName) {
    const TensorData x = floats({1, 1, 5}, {1, 2, 3, 4, 5}), w = floats({1, 1, 2}, {1, 1});
    const std::string huge = std::to_string(std::int64_t{1} << 62);
    for (const std::string op : {"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"}) {
        const bool isPool = op.ends_with("Pool");
        const auto refused = [&](const std::string& attribute) {
            const std::string kernel = isPool ? ", kernel_shape = [2]" : "";
            return refusalOf("g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = " + op + " <" +
                                 attribute + kernel + "> (x" + (isPool ? "" : ", w") + ") }",
                             {x, w}, 19);
        };
        EXPECT_THAT(refused("pads = [" + huge + ", 0]"), HasSubstr("`pads`")) << op;
        EXPECT_THAT(refused("pads = [" + huge + ", " + huge + "]"), HasSubstr("`pads`")) << op;
        EXPECT_THAT(refused("pads = [1]"), HasSubstr("`pads`")) << op;
        EXPECT_THAT(refused("strides = [0]"), HasSubstr("`strides`")) << op;
        EXPECT_THAT(refused("strides = [-1]"), HasSubstr("`strides`")) << op;
        EXPECT_THAT(refused("strides = [" + huge + "]"), HasSubstr("`strides`")) << op;
        EXPECT_THAT(refused("dilations = [0]"), HasSubstr("`dilations`")) << op;
        EXPECT_THAT(refused("dilations = [" + huge + "]"), HasSubstr("`dilations`")) << op;
        if (!isPool) {
            EXPECT_THAT(refused("kernel_shape = [3]"), HasSubstr("`kernel_shape`")) << op;
        }
    }
    EXPECT_THAT(refusalOf("g (float[1,1,5] x) => (float[A,B,C] y) { y = MaxPool <kernel_shape = [" + huge +
                              "]> (x) }",
                          {x}),
                HasSubstr("`kernel_shape`"));
    // A kernel whose places alone are more than there may be.
    ReferenceOptions small;
    small.limits.memoryBytes = 1 << 20;
    EXPECT_THAT(refusalOf("g (float[1,1,5] x) => (float[A,B,C] y) { y = MaxPool <kernel_shape = [1000000], "
                          "pads = [500000, 500000]> (x) }",
                          {x}, 17, small),
                HasSubstr("beyond the limit"));
    EXPECT_THAT(refusalOf("g (float[1,1,5] x, float[1,1,2] w) => (float[A,B,C] y) { y = ConvTranspose "
                          "<output_shape = [1, 2, 3, 4]> (x, w) }",
                          {x, w}),
                HasSubstr("`output_shape`"));
}

TEST(Reference, blocksAndPaddingWhoseSizesAreNoNumbersAnyMoreAreRefused) {
    const TensorData x = floats({1, 4, 2, 2}, std::vector<double>(16, 1));
    const std::string block = std::to_string(std::int64_t{1} << 32);
    for (const std::string op : {"DepthToSpace", "SpaceToDepth"})
        EXPECT_THAT(refusalOf("g (float[1,4,2,2] x) => (float[A,B,C,D] y) { y = " + op +
                                  " <blocksize = " + block + "> (x) }",
                              {x}),
                    HasSubstr("block size"));
    EXPECT_THAT(refusalOf("g (float[2] x, int64[2] p) => (float[N] y) { y = Pad(x, p) }",
                          {floats({2}, {1, 2}), integers({2}, {0x1.8p62, 0x1.8p62})}),
                HasSubstr("padding"));
    EXPECT_THAT(
        refusalOf("g (float[1,4,4] x, int64[1] i, int64[1] b) => (float[A,B,C] y) { y = Col2Im "
                  "<strides = [0]> (x, i, b) }",
                  {floats({1, 4, 4}, std::vector<double>(16, 1)), integers({1}, {5}), integers({1}, {2})},
                  18),
        HasSubstr("`strides`"));
}

TEST(Reference, operandsThatMustBeOfOneTypeAreRefusedWhereTheyAreNot) {
    const TensorData real = floats({2}, {1, 2}), whole = integers({2}, {1, 2}),
                     yes = tensorOf(ElementType::boolean, {2}, {1, 0});
    for (const std::string op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "Equal", "PRelu"}) {
        const std::string said =
            refusalOf("g (float[2] x, int64[2] i) => (float[2] y) { y = " + op + "(x, i) }", {real, whole});
        EXPECT_THAT(said, HasSubstr("float")) << op;
        EXPECT_THAT(said, HasSubstr("int64")) << op;
    }
    EXPECT_THAT(refusalOf("g (float[2] x, int64[2] i, bool[2] c) => (float[2] y) { y = Where(c, x, i) }",
                          {real, whole, yes}),
                HasSubstr("int64"));
    EXPECT_THAT(refusalOf("g (float[2] x, int64[2] i) => (float[2] y) { y = Sum(x, x, i) }", {real, whole}),
                HasSubstr("int64"));
    EXPECT_THAT(refusalOf("g (float[1,2] x, double[2,1] i) => (float[1,1] y) { y = MatMul(x, i) }",
                          {floats({1, 2}, {1, 2}), tensorOf(ElementType::float64, {2, 1}, {1, 2})}),
                HasSubstr("double"));
    // An exponent has a type of its own, and so has what a loop carries.
    EXPECT_THAT(numbersOf(outputsOf("g (float[2] x, int64[2] i) => (float[2] y) { y = Pow(x, i) }",
                                    {real, whole})[0]),
                ElementsAre(1, 4));
}

TEST(Reference, resizingBeyondTheLimitIsRefusedBeforeAnyTableIsMade) {
    ReferenceOptions small;
    small.limits.memoryBytes = 16 << 20;
    for (const std::string mode : {"nearest", "linear", "cubic"}) {
        const std::string said =
            refusalOf("g (float[1,1,2,2] x, int64[4] s) => (float[A,B,C,D] y) { y = "
                      "Resize <mode = \"" +
                          mode + "\"> (x, , , s) }",
                      {floats({1, 1, 2, 2}, {1, 2, 3, 4}), integers({4}, {1, 1, 1, 0x1p40})}, 17, small);
        EXPECT_THAT(said, HasSubstr("beyond the limit")) << mode;
    }
    EXPECT_FALSE(
        runText(modelText("g (float[1,1,2,2] x, float[4] s) => (float[A,B,C,D] y) { y = Resize(x, , s) }"),
                {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({4}, {1, 1, 1, 1e30})}, small)
            .ok());
}

TEST(Reference, weightsOfConstantNodesCountAsThoseOfInitializersDo) {
    std::uint64_t peaks[2] = {};
    const std::string graphs[] = {
        "g (float[1] x) => (float[4] y) <float[4] w = {1,2,3,4}> { v = Mul(w, x) a = Neg(v) b = Neg(a) y = "
        "Neg(b) }",
        "g (float[1] x) => (float[4] y) { w = Constant <value = float[4] {1,2,3,4}> () v = Mul(w, x) a = "
        "Neg(v) b = Neg(a) y = Neg(b) }"};
    for (int i = 0; i < 2; ++i) {
        const auto loaded = parseModelText(modelText(graphs[i]));
        ASSERT_TRUE(loaded.ok());
        auto runner = ReferenceRunner::prepare(loaded->model);
        ASSERT_TRUE(runner.ok());
        for (int run = 0; run < 2; ++run)
            ASSERT_TRUE(runner->run({floats({1}, {1})}).ok());
        peaks[i] = runner->pool().highWaterBytes();
        EXPECT_EQ(runner->pool().liveBytes(), 16U);
    }
    EXPECT_EQ(peaks[0], 3 * 16U);
    EXPECT_EQ(peaks[1], peaks[0]);
}

TEST(Reference, cancelIsAnswered) {
    const auto loaded = parseModelText(modelText("g (float[1] x) => (float[1] y) { y = Neg(x) }"));
    auto runner = ReferenceRunner::prepare(loaded->model);
    WorkContext work;
    work.cancel.cancel();
    const auto out = runner->run({floats({1}, {1})}, work);
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.error().code, ErrorCode::cancelled);
}

TEST(Reference, functionsTakeAttributesOfTheCall) {
    const std::string text =
        modelText("g (float[2] x) => (float[2] y, float[2] z) { y = local.leak<slope = 0.5>(x) z = "
                  "local.leak(x) }") +
        R"(<domain: "local", opset_import: ["" : 17]> leak <slope: float = 0.25> (a) => (b) {
                                 b = LeakyRelu<alpha: float = @slope>(a) })";
    const auto out = runText(text, {floats({2}, {-4, 4})});
    ASSERT_TRUE(out.ok()) << out.error().toString();
    EXPECT_THAT(numbersOf((*out)[0]), ElementsAre(-2, 4));
    EXPECT_THAT(numbersOf((*out)[1]), ElementsAre(-1, 4));
}

TEST(Reference, operatorsWithoutKernelRunThroughTheirBody) {
    // HannWindow has no kernel of its own, only a body in its schema.
    ASSERT_EQ(findKernel("", "HannWindow", 17), nullptr);
    const auto out = outputsOf("g (int64 n) => (float[N] y) { y = HannWindow(n) }", {integers({}, {4})});
    ASSERT_EQ(numbersOf(out[0]).size(), 4U);
    EXPECT_NEAR(numbersOf(out[0])[1], 0.5, 1e-6);
    EXPECT_NEAR(numbersOf(out[0])[2], 1, 1e-6);
}

TEST(Reference, theSameSeedGivesTheSameNumbers) {
    const std::string graph = "g () => (float[64] y) { y = RandomNormal<shape = [64]>() }";
    ReferenceOptions one, two;
    one.seed = 1;
    two.seed = 2;
    const auto first = numbersOf(outputsOf(graph, {}, 17, one)[0]);
    EXPECT_EQ(first, numbersOf(outputsOf(graph, {}, 17, one)[0]));
    EXPECT_NE(first, numbersOf(outputsOf(graph, {}, 17, two)[0]));
}

TEST(Reference, inferenceModeSwitchesDropoutAndBatchStatisticsOff) {
    const std::string graph =
        R"(g (float[4, 2] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float[4, 2] y) {
        r = Constant<value = float {0.5}>()  t = Constant<value = bool {1}>()
        d, mask = Dropout(x, r, t)
        y, rm, rv = BatchNormalization<training_mode = 1>(d, s, b, m, v)
    })";
    const std::vector<RuntimeValue> inputs{floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), floats({2}, {1, 1}),
                                           floats({2}, {0, 0}), floats({2}, {1, 1}), floats({2}, {1, 1})};
    ReferenceOptions inference;
    inference.mode = RunMode::inference;
    const auto calm = numbersOf(outputsOf(graph, inputs, 17, inference)[0]);
    EXPECT_NEAR(calm[2], 2, 1e-3); // (3 - 1) / sqrt(1 + epsilon)
    const auto trained = numbersOf(outputsOf(graph, inputs)[0]);
    EXPECT_GT(std::fabs(trained[2] - calm[2]), 0.01);
}

TEST(Reference, integersDividedByZeroAreAnError) {
    const auto out = runText(modelText("g (int64[2] a, int64[2] b) => (int64[2] y) { y = Div(a, b) }"),
                             {integers({2}, {1, 2}), integers({2}, {1, 0})});
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().message, HasSubstr("divided by zero"));
}

TEST(Reference, integerArithmeticIsExactAndWraps) {
    const auto out =
        outputsOf("g (int32[3] a, int32[3] b) => (int32[3] d, int32[3] m) { d = Div(a, b)  m = Mul(a, b) }",
                  {tensorOf(ElementType::int32, {3}, {-7, 7, 2147483647}),
                   tensorOf(ElementType::int32, {3}, {2, -2, 2})});
    EXPECT_THAT(numbersOf(out[0]), ElementsAre(-3, -3, 1073741823));
    EXPECT_THAT(numbersOf(out[1]), ElementsAre(-14, -14, -2));
}

TEST(Reference, halfPrecisionRoundsAfterEachOperator) {
    const auto out =
        outputsOf("g (float16[1] a, float16[1] b) => (float16[1] y) { y = Add(a, b) }",
                  {tensorOf(ElementType::float16, {1}, {2048}), tensorOf(ElementType::float16, {1}, {1})});
    EXPECT_THAT(numbersOf(out[0]), ElementsAre(2048)); // 2049 has no float16; halves go to even
}

TEST(Reference, emptyTensorsAndScalarsPassThrough) {
    const auto out =
        outputsOf("g (float[0, 3] x, float s) => (float[0, 3] y, float[3] z, float t) { y = Add(x, s) "
                  "k = Constant<value = int64[1] {0}>() z = ReduceSum<keepdims = 0>(x, k) t = Exp(s) }",
                  {floats({0, 3}, {}), floats({}, {0})});
    EXPECT_EQ(shapeOf(out[0]), (Shape{0, 3}));
    EXPECT_THAT(numbersOf(out[1]), ElementsAre(0, 0, 0));
    EXPECT_THAT(numbersOf(out[2]), ElementsAre(1));
}

TEST(Reference, nanAndInfinityGoTheirWay) {
    const auto out =
        outputsOf("g (float[3] x) => (float[3] r, float[3] c, float m) { r = Relu(x) l = Constant<value = "
                  "float {-1}>() "
                  "h = Constant<value = float {1}>() c = Clip(x, l, h) m = ReduceMax<keepdims = 0>(x) }",
                  {floats({3}, {NAN, -INFINITY, 2})}, 17);
    EXPECT_TRUE(std::isnan(numbersOf(out[0])[0]));
    EXPECT_TRUE(std::isnan(numbersOf(out[1])[0]));
    EXPECT_EQ(numbersOf(out[1])[1], -1);
    EXPECT_TRUE(std::isnan(numbersOf(out[2])[0]));
}

TEST(EvaluateNode, refusesWhatDoesNotDependOnItsInputsAlone) {
    const auto loaded =
        parseModelText(modelText("g () => (float[2] y) { y = RandomUniform<shape = [2]>() }"));
    MemoryPool pool;
    const auto out =
        evaluateNode(loaded->model, *loaded->model.nodes(loaded->model.mainGraph()).begin(), {}, pool);
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.error().code, ErrorCode::missing);
}

TEST(Reference, aReductionAlongNoAxisStillSquaresOrTakesLogarithms) {
    const auto reduced = [](const char* op) {
        const std::string graph =
            std::string("g (float[3] x) => (y) { y = ") + op + "<noop_with_empty_axes = 1>(x) }";
        return numbersOf(outputsOf(graph, {floats({3}, {1, -2, 3})}, 18).front());
    };
    EXPECT_THAT(reduced("ReduceSumSquare"), ElementsAre(1, 4, 9));
    EXPECT_THAT(reduced("ReduceL1"), ElementsAre(1, 2, 3));
    EXPECT_THAT(reduced("ReduceL2"), ElementsAre(1, 2, 3));
    EXPECT_THAT(reduced("ReduceSum"), ElementsAre(1, -2, 3));
    EXPECT_THAT(reduced("ReduceMax"), ElementsAre(1, -2, 3));
}

} // namespace
} // namespace secateur
