// SPDX-License-Identifier: Apache-2.0
//
// Gradient operators against the slope of the forward operator: (f(x + h) - f(x - h)) / 2h, summed with the
// incoming gradient as weights. In double, so that the slope is good to eight digits.
#include "tests/core/exec/run_text.h"

#include "core/exec/random.h"

#include <cmath>

namespace secateur {
namespace {

using namespace testing;

std::vector<double> randomNumbers(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed);
    std::vector<double> numbers(count);
    for (double& number : numbers)
        number = random.uniform() * 2 - 1;
    return numbers;
}

std::size_t countOf(const Shape& shape) {
    return static_cast<std::size_t>(elementCountOf(shape).value_or(0));
}

/// A forward graph over double inputs with output y, and the graph of its gradient, whose first input is dY.
struct Pair {
    std::string forward, backward;
    std::vector<Shape> shapes;           ///< of the inputs that have gradients, in order
    std::vector<RuntimeValue> more = {}; ///< inputs behind these, of both graphs
    int opset = 17;
};

double weightedSum(const RuntimeValue& y, const std::vector<double>& weights) {
    const auto numbers = numbersOf(y);
    double sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += numbers[i] * weights[i];
    return sum;
}

void expectGradients(const Pair& pair) {
    std::vector<std::vector<double>> points;
    std::vector<RuntimeValue> inputs;
    for (std::size_t k = 0; k < pair.shapes.size(); ++k) {
        points.push_back(randomNumbers(countOf(pair.shapes[k]), 7 + k));
        inputs.emplace_back(tensorOf(ElementType::float64, pair.shapes[k], points.back()));
    }
    inputs.insert(inputs.end(), pair.more.begin(), pair.more.end());
    const auto y = outputsOf(pair.forward, inputs, pair.opset)[0];
    const auto weights = randomNumbers(countOf(shapeOf(y)), 99);
    std::vector<RuntimeValue> back{tensorOf(ElementType::float64, shapeOf(y), weights)};
    back.insert(back.end(), inputs.begin(), inputs.end());
    const auto gradients = outputsOf(pair.backward, back, pair.opset);
    constexpr double kStep = 1e-5;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto found = numbersOf(gradients[k]);
        ASSERT_EQ(found.size(), points[k].size()) << k;
        for (std::size_t i = 0; i < found.size(); ++i) {
            double slope = 0;
            for (const double sign : {1.0, -1.0}) {
                auto moved = points[k];
                moved[i] += sign * kStep;
                auto there = inputs;
                there[k] = tensorOf(ElementType::float64, pair.shapes[k], moved);
                slope +=
                    sign * weightedSum(outputsOf(pair.forward, there, pair.opset)[0], weights) / (2 * kStep);
            }
            EXPECT_NEAR(found[i], slope, 1e-6 * std::max(1.0, std::fabs(slope)))
                << "input " << k << " element " << i;
        }
    }
}

struct Elementwise {
    const char* name;
    const char* forward;
    const char* backward; ///< of dy, x and y
};

void PrintTo(const Elementwise& c, std::ostream* out) {
    *out << c.name;
}

class ElementwiseGradient : public ::testing::TestWithParam<Elementwise> {};

TEST_P(ElementwiseGradient, isTheSlope) {
    const std::string forward = GetParam().forward;
    expectGradients({"g (double[2, 5] x) => (double[2, 5] y) { y = " + forward + " }",
                     "g (double[2, 5] dy, double[2, 5] x) => (double[2, 5] dx) { y = " + forward +
                         " dx = com.microsoft." + GetParam().backward + " }",
                     {{2, 5}}});
}

INSTANTIATE_TEST_SUITE_P(
    Operators, ElementwiseGradient,
    ::testing::Values(
        Elementwise{"Relu", "Relu(x)", "ReluGrad(dy, y)"},
        Elementwise{"Sigmoid", "Sigmoid(x)", "SigmoidGrad(dy, y)"},
        Elementwise{"Tanh", "Tanh(x)", "TanhGrad(dy, y)"},
        Elementwise{"LeakyRelu", "LeakyRelu<alpha = 0.3>(x)", "LeakyReluGrad<alpha = 0.3>(dy, y)"},
        Elementwise{"HardSigmoid", "HardSigmoid<alpha = 0.7>(x)", "HardSigmoidGrad<alpha = 0.7>(dy, x)"},
        Elementwise{"Gelu", "com.microsoft.Gelu(x)", "GeluGrad(dy, x)"},
        Elementwise{"FastGelu", "com.microsoft.FastGelu(x)", "FastGeluGrad(dy, x)"},
        Elementwise{"QuickGelu", "com.microsoft.QuickGelu(x)", "QuickGeluGrad(dy, x)"},
        Elementwise{"Softmax", "Softmax<axis = 1>(x)", "SoftmaxGrad_13<axis = 1>(dy, y)"},
        Elementwise{"LogSoftmax", "LogSoftmax<axis = 0>(x)", "LogSoftmaxGrad_13<axis = 0>(dy, y)"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(Gradient, ofLayerNormalization) {
    expectGradients({"g (double[3, 4] x, double[4] s, double[4] b) => (double[3, 4] y) { y = "
                     "LayerNormalization<stash_type = 11>(x, s, b) }",
                     "g (double[3, 4] dy, double[3, 4] x, double[4] s, double[4] b) => (double[3, 4] dx, "
                     "double[4] ds, double[4] db) {"
                     " y, m, v = LayerNormalization<stash_type = 11>(x, s, b)"
                     " dx, ds, db = com.microsoft.LayerNormalizationGrad(dy, x, s, m, v) }",
                     {{3, 4}, {4}, {4}}});
}

TEST(Gradient, ofBatchNormalization) {
    const std::vector<RuntimeValue> statistics{tensorOf(ElementType::float64, {2}, {0, 0}),
                                               tensorOf(ElementType::float64, {2}, {1, 1})};
    const std::string forward =
        "y, rm, rv, m, v = com.microsoft.BatchNormInternal<training_mode = 1>(x, s, b, mean, var)";
    expectGradients({"g (double[3, 2, 2] x, double[2] s, double[2] b, double[2] mean, double[2] var) => "
                     "(double[3, 2, 2] y) { " +
                         forward + " }",
                     "g (double[3, 2, 2] dy, double[3, 2, 2] x, double[2] s, double[2] b, double[2] mean, "
                     "double[2] var) => "
                     "(double[3, 2, 2] dx, double[2] ds, double[2] db) { " +
                         forward + " dx, ds, db = com.microsoft.BatchNormalizationGrad(dy, x, s, m, v) }",
                     {{3, 2, 2}, {2}, {2}},
                     statistics});
}

TEST(Gradient, ofConvolutionWithGroupsStridesAndPadding) {
    const std::string attributes =
        "<group = 2, strides = [2, 1], dilations = [1, 2], pads = [1, 0, 1, 1], kernel_shape = [3, 2]>";
    expectGradients(
        {"g (double[2, 4, 5, 4] x, double[4, 2, 3, 2] w, double[4] b) => (double[N, C, H, W] y) { y = Conv" +
             attributes + "(x, w, b) }",
         "g (double[N, C, H, W] dy, double[2, 4, 5, 4] x, double[4, 2, 3, 2] w, double[4] b) => (double[A, "
         "B, C2, D] dx, double[E, F, G, H2] dw, double[I] db) {"
         " dx, dw, db = com.microsoft.ConvGrad" +
             attributes + "(dy, x, w) }",
         {{2, 4, 5, 4}, {4, 2, 3, 2}, {4}}});
}

TEST(Gradient, ofTheLossForEachReduction) {
    const TensorData labels = integers({3}, {2, 0, 1});
    for (const char* reduction : {"none", "sum", "mean"}) {
        const std::string attributes = std::string("<reduction = \"") + reduction + "\">";
        const std::string shape = std::string(reduction) == "none" ? "[3]" : "";
        expectGradients(
            {"g (double[3, 4] x, int64[3] l) => (double" + shape + " y) { y, p = SoftmaxCrossEntropyLoss" +
                 attributes + "(x, l) }",
             "g (double" + shape +
                 " dy, double[3, 4] x, int64[3] l) => (double[3, 4] dx) { y, p = SoftmaxCrossEntropyLoss" +
                 attributes + "(x, l) dx = com.microsoft.SoftmaxCrossEntropyLossGrad" + attributes +
                 "(dy, p, l) }",
             {{3, 4}},
             {labels}});
    }
}

TEST(Gradient, ofLstmThroughTimeAndBothDirections) {
    const std::string header = "double[3, 2, 2] x, double[2, 8, 2] w, double[2, 8, 2] r";
    const std::string run = "<hidden_size = 2, direction = \"bidirectional\">(x, w, r)";
    expectGradients(
        {"g (" + header + ") => (double[3, 2, 2, 2] y) { y = com.microsoft.LSTMTraining" + run + " }",
         "g (double[3, 2, 2, 2] dy, " + header +
             ") => (double[3, 2, 2] dx, double[2, 8, 2] dw, double[2, 8, 2] dr) {"
             " y, h, c, cells, gates = com.microsoft.LSTMTraining" +
             run +
             " dx, dw, dr = com.microsoft.LSTMGrad<hidden_size = 2, direction = \"bidirectional\">(x, w, r, "
             "\"\", \"\", \"\", y, cells, gates, dy) }",
         {{3, 2, 2}, {2, 8, 2}, {2, 8, 2}}});
}

TEST(Gradient, ofGatherAddsUpWhatWasTakenTwice) {
    const TensorData indices = integers({3}, {1, 0, 1});
    expectGradients({"g (double[2, 2] x, int64[3] i) => (double[3, 2] y) { y = Gather(x, i) }",
                     "g (double[3, 2] dy, double[2, 2] x, int64[3] i) => (double[2, 2] dx) { s = Shape(x) dx "
                     "= com.microsoft.GatherGrad(s, i, dy) }",
                     {{2, 2}},
                     {indices}});
}

TEST(Gradient, ofMaxPoolGoesToTheLargest) {
    const std::string attributes = "<kernel_shape = [2], strides = [1]>";
    expectGradients({"g (double[1, 2, 5] x) => (double[1, 2, 4] y) { y = MaxPool" + attributes + "(x) }",
                     "g (double[1, 2, 4] dy, double[1, 2, 5] x) => (double[1, 2, 5] dx) { y, i = MaxPool" +
                         attributes + "(x) dx = MaxPoolGrad" + attributes + "(dy, i) }",
                     {{1, 2, 5}}});
}

TEST(Gradient, ofResizeIsItsTranspose) {
    for (const char* mode : {"nearest", "linear"}) {
        const std::string attributes =
            std::string("<mode = \"") + mode + "\", coordinate_transformation_mode = \"half_pixel\">";
        const TensorData scales = floats({2}, {1, 2.5});
        expectGradients({"g (double[2, 3] x, float[2] s) => (double[2, 7] y) { y = Resize" + attributes +
                             "(x, \"\", s) }",
                         "g (double[2, 7] dy, double[2, 3] x, float[2] s) => (double[2, 3] dx) { dx = "
                         "com.microsoft.ResizeGrad" +
                             attributes + "(dy, x, \"\", s) }",
                         {{2, 3}},
                         {scales}});
    }
}

TEST(Gradient, ofDropoutUsesTheSameMask) {
    const TensorData ratio = floats({}, {0.4}), on = tensorOf(ElementType::boolean, {}, {1});
    expectGradients(
        {"g (double[20] x, float r, bool t) => (double[20] y) { y, m = Dropout<seed = 5>(x, r, t) }",
         "g (double[20] dy, double[20] x, float r, bool t) => (double[20] dx) { y, m = Dropout<seed = 5>(x, "
         "r, t)"
         " dx = com.microsoft.DropoutGrad(dy, m, r, t) }",
         {{20}},
         {ratio, on}});
}

} // namespace
} // namespace secateur
