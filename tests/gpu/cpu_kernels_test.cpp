// SPDX-License-Identifier: Apache-2.0
//
// Fast kernels beside the reference: quantized products and convolutions, operators of all types, recurrent
// layers, resizing.
#include "core/exec/cells.h"
#include "core/onnx/text.h"
#include "gpu/cpu/int8_product.h"
#include "tests/gpu/two_backends.h"

#include <algorithm>
#include <limits>
#include <random>

namespace secateur {
namespace {

using testing::CpuRun;
using testing::Values;

Model modelOf(const std::string& graph, int opset = 21) {
    auto loaded = parseModelText("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                                 ", \"com.microsoft\" : 1]>\n" + graph);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    return std::move(loaded->model);
}

/// Numbers that the type can hold, the same each time.
TensorData numbers(ElementType type, const Shape& shape, double low, double high, unsigned seed = 1) {
    static MemoryPool pool;
    TensorData made = TensorData::make(pool, type, shape).take();
    std::mt19937 random(seed);
    std::vector<double> all(static_cast<std::size_t>(made.count()));
    for (double& number : all)
        number = low + (high - low) * static_cast<double>(random()) / 4294967295.0;
    if (!isFloating(type))
        for (double& number : all)
            number = std::floor(number);
    writeAll(made, all);
    return made;
}

/// The laws, and nothing left to the reference kernels.
CpuRun expectFast(const std::string& graph, const Values& inputs, int opset = 21,
                  Tolerance tolerance = {1e-4, 1e-5}) {
    CpuRun run = testing::expectLaws(modelOf(graph, opset), inputs, graph, tolerance);
    EXPECT_TRUE(run.isDone) << graph << run.error;
    for (const auto& node : run.report.nodes)
        EXPECT_NE(node.kernel, "reference") << graph << ": " << node.node;
    return run;
}

TEST(Int8Product, isThatOfWholeNumbersForAnySizeAndSign) {
    std::mt19937 random(7);
    ThreadPool threads(2);
    for (const bool isSigned : {true, false}) {
        for (const auto& [rows, inner, columns] :
             {std::tuple(1, 1, 1), std::tuple(3, 7, 5), std::tuple(37, 33, 40), std::tuple(5, 64, 16)}) {
            std::vector<std::byte> cells(static_cast<std::size_t>(inner * columns));
            for (std::byte& cell : cells)
                cell = static_cast<std::byte>(random());
            std::vector<std::int32_t> zeros;
            for (int c = 0; c < columns; ++c)
                zeros.push_back(isSigned ? static_cast<std::int32_t>(random() % 256) - 128
                                         : static_cast<std::int32_t>(random() % 256));
            const Int8Weights weights({cells.data(), isSigned, inner, columns, columns, 1}, zeros);
            const std::int64_t length = weights.rowLength();
            std::vector<std::int16_t> a(static_cast<std::size_t>(rows * length), 0);
            for (int r = 0; r < rows; ++r)
                for (int k = 0; k < inner; ++k)
                    a[static_cast<std::size_t>(r * length + k)] =
                        static_cast<std::int16_t>(static_cast<int>(random() % 511) - 255);
            std::vector<std::int32_t> y(static_cast<std::size_t>(rows * columns));
            weights.multiply(a.data(), rows, y.data(), columns, &threads);
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) {
                    std::int64_t sum = 0;
                    for (int k = 0; k < inner; ++k) {
                        const std::byte cell = cells[static_cast<std::size_t>(k * columns + c)];
                        const int number =
                            isSigned ? static_cast<std::int8_t>(cell) : static_cast<std::uint8_t>(cell);
                        sum += a[static_cast<std::size_t>(r * length + k)] *
                               (number - zeros[static_cast<std::size_t>(c)]);
                    }
                    ASSERT_EQ(y[static_cast<std::size_t>(r * columns + c)], sum)
                        << rows << " " << r << " " << c;
                }
        }
    }
}

TEST(CpuKernels, productsOfWholeNumbers) {
    using enum ElementType;
    for (const auto& [left, right] : {std::pair("uint8", "int8"), std::pair("uint8", "uint8"),
                                      std::pair("int8", "int8"), std::pair("int8", "uint8")}) {
        const std::string l(left), r(right);
        const ElementType a = l == "uint8" ? uint8 : int8, b = r == "uint8" ? uint8 : int8;
        const double lowA = a == uint8 ? 0 : -128, lowB = b == uint8 ? 0 : -128;
        const TensorData x = numbers(a, {2, 5, 33}, lowA, lowA + 255, 3),
                         w = numbers(b, {33, 19}, lowB, lowB + 255, 4);
        const TensorData za = numbers(a, {}, 3, 3), zb = numbers(b, {}, 5, 5);
        const std::string head = "g (" + l + "[2,5,33] x, " + r + "[33,19] w, " + l + " za, " + r + " zb)";
        expectFast(head + " => (int32[2,5,19] y) { y = MatMulInteger(x, w, za, zb) }", {x, w, za, zb});
        // With constant weights, zero points for each column, and quantized again.
        std::string cells, zeros, scales;
        for (int i = 0; i < 33 * 19; ++i)
            cells += (i == 0 ? "" : ",") + std::to_string(static_cast<int>(lowB) + i * 37 % 256);
        for (int i = 0; i < 19; ++i) {
            zeros += (i == 0 ? "" : ",") + std::to_string(i);
            scales += (i == 0 ? "" : ",") + std::to_string(0.001 * (i + 1));
        }
        expectFast("g (" + l + "[2,5,33] x, " + l + " za) => (int32[2,5,19] y) <" + r + "[33,19] w = {" +
                       cells + "}, " + r + "[19] zb = {" + zeros + "}> { y = MatMulInteger(x, w, za, zb) }",
                   {x, za});
        expectFast("g (" + l + "[2,5,33] x, " + l + " za) => (" + r + "[2,5,19] y) <" + r + "[33,19] w = {" +
                       cells + "}, " + r + "[19] zb = {" + zeros + "}, float[19] sb = {" + scales +
                       "}, float sa = {0.02}, float sy = {0.9}, " + r +
                       " zy = {11}> { y = QLinearMatMul(x, sa, za, w, sb, zb, sy, zy) }",
                   {x, za}, 21, {0, 0});
    }
}

TEST(CpuKernels, convolutionsOfWholeNumbers) {
    using enum ElementType;
    struct Case {
        std::string attributes;
        Shape w;
        Shape y;
    };
    for (const Case& each : {Case{"pads = [1,1,1,1]", {6, 4, 3, 3}, {2, 6, 9, 7}},
                             Case{"strides = [2,2], dilations = [2,1]", {5, 4, 2, 3}, {2, 5, 4, 3}},
                             Case{"group = 2, pads = [0,1,2,0]", {6, 2, 3, 2}, {2, 6, 9, 7}},
                             Case{"group = 4, pads = [1,1,1,1]", {4, 1, 3, 3}, {2, 4, 9, 7}},
                             Case{"group = 4, strides = [2,2]", {8, 1, 3, 3}, {2, 8, 4, 3}}}) {
        const std::int64_t filters = each.w[0];
        std::string cells, zeros, scales, bias;
        for (std::uint64_t i = 0; i < elementCountOf(each.w); ++i)
            cells += (i == 0 ? "" : ",") + std::to_string(static_cast<int>(i * 53 % 256) - 128);
        for (std::int64_t i = 0; i < filters; ++i) {
            zeros += (i == 0 ? "" : ",") + std::to_string(i - 2);
            scales += (i == 0 ? "" : ",") + std::to_string(0.002 * static_cast<double>(i + 1));
            bias += (i == 0 ? "" : ",") + std::to_string(100 * i - 150);
        }
        const auto dims = [](const Shape& shape) {
            std::string text;
            for (const std::int64_t dim : shape)
                text += (text.empty() ? "" : ",") + std::to_string(dim);
            return "[" + text + "]";
        };
        const std::string f = "[" + std::to_string(filters) + "]";
        const std::string weights =
            "int8" + dims(each.w) + " w = {" + cells + "}, int8" + f + " zw = {" + zeros + "}";
        const TensorData x = numbers(uint8, {2, 4, 9, 7}, 0, 255, 5), zx = numbers(uint8, {}, 131, 131);
        expectFast("g (uint8[2,4,9,7] x, uint8 zx) => (int32" + dims(each.y) + " y) <" + weights +
                       "> { y = ConvInteger <" + each.attributes + "> (x, w, zx, zw) }",
                   {x, zx});
        expectFast("g (uint8[2,4,9,7] x, uint8 zx) => (uint8" + dims(each.y) + " y) <" + weights + ", float" +
                       f + " sw = {" + scales +
                       "}, float sx = {0.03}, float sy = {0.4}, uint8 zy = {120}, int32" + f + " b = {" +
                       bias + "}> { y = QLinearConv <" + each.attributes +
                       "> (x, sx, zx, w, sw, zw, sy, zy, b) }",
                   {x, zx}, 21, {0, 0});
    }
}

TEST(CpuKernels, numbersAreQuantizedOverTheirRangeAsTheReferenceDoes) {
    const std::string graph = "g (float[3,700] x) => (uint8[3,700] y, float s, uint8 z) { y, s, z = "
                              "DynamicQuantizeLinear(x) }";
    expectFast(graph, {numbers(ElementType::float32, {3, 700}, -3, 5)}, 21, {0, 0});
    expectFast(graph, {numbers(ElementType::float32, {3, 700}, 2, 5)}, 21, {0, 0});
    expectFast(graph, {numbers(ElementType::float32, {3, 700}, 0, 0)}, 21, {0, 0});
}

/// Names of ONNX's text form.
const std::vector<std::pair<std::string, ElementType>> kNumeric{
    {"float", ElementType::float32}, {"double", ElementType::float64}, {"float16", ElementType::float16},
    {"int8", ElementType::int8},     {"int16", ElementType::int16},    {"int32", ElementType::int32},
    {"int64", ElementType::int64},   {"uint8", ElementType::uint8},    {"uint16", ElementType::uint16},
    {"uint32", ElementType::uint32}, {"uint64", ElementType::uint64}};

TEST(CpuKernels, operatorsOfTwoOperandsOnEveryType) {
    for (const auto& [name, type] : kNumeric) {
        const double low = computeTypeOf(type) == ComputeType::u64 ? 1 : -100;
        const Values inputs{numbers(type, {3, 1, 700}, low, 120, 1), numbers(type, {3, 2, 700}, 1, 9, 2)};
        const std::string head = "g (" + name + "[3,1,700] a, " + name + "[3,2,700] b) => ";
        for (const std::string op : {"Add", "Sub", "Mul", "Div", "Max", "Min"})
            expectFast(head + "(" + name + "[3,2,700] y) { y = " + op + "(a, b) }", inputs);
        for (const std::string op : {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"})
            expectFast(head + "(bool[3,2,700] y) { y = " + op + "(a, b) }", inputs);
        expectFast(head + "(" + name + "[3,2,700] y) { c = Less(a, b) y = Where(c, a, b) }", inputs);
        if (isFloating(type)) continue;
        expectFast(head + "(" + name + "[3,2,700] y) { y = Mod(a, b) }", inputs);
        for (const std::string op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
            expectFast(head + "(" + name + "[3,2,700] y) { y = " + op + "(a, b) }", inputs);
    }
    const Values truths{numbers(ElementType::boolean, {5, 1}, 0, 2, 1),
                        numbers(ElementType::boolean, {7}, 0, 2, 2)};
    for (const std::string op : {"And", "Or", "Xor", "Equal"})
        expectFast("g (bool[5,1] a, bool[7] b) => (bool[5,7] y) { c = Not(a) y = " + op + "(c, b) }", truths);
}

TEST(CpuKernels, aZeroDivisorOfIntegersIsAnErrorAsItIsForTheReference) {
    const Model model = modelOf("g (int32[3] a, int32[3] b) => (int32[3] y) { y = Div(a, b) }");
    Values inputs{numbers(ElementType::int32, {3}, 5, 9), numbers(ElementType::int32, {3}, 2, 3)};
    inputs[1] = numbers(ElementType::int32, {3}, 0, 0);
    EXPECT_NE(testing::runOnCpu(model, inputs, false).error.find("divided by zero"), std::string::npos);
}

TEST(CpuKernels, castsBetweenAllTypes) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const auto& [from, type] : kNumeric) {
        const bool isUnsigned = computeTypeOf(type) == ComputeType::u64;
        TensorData x = numbers(type, {2, 600}, isUnsigned ? 0 : -120, 127);
        if (type == ElementType::float32) {
            const float odd[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                                 1e30F,     -1e30F,     -0.0F};
            std::copy(std::begin(odd), std::end(odd), x.as<float>().begin());
        }
        for (const auto& [to, other] : kNumeric)
            expectFast("g (" + from + "[2,600] x) => (" + to + "[2,600] y) { y = Cast <to = " +
                           std::to_string(static_cast<int>(other)) + "> (x) }",
                       {x}, 21, {0, 0});
        expectFast("g (" + from +
                       "[2,600] x) => (bool[2,600] y, int32[2,600] z) { y = Cast <to = 9> (x) z = Cast "
                       "<to = 6> (y) }",
                   {x});
    }
}

TEST(CpuKernels, operatorsOfOneOperandOnEveryType) {
    for (const auto& [name, type] : kNumeric) {
        const bool isUnsigned = computeTypeOf(type) == ComputeType::u64;
        const Values inputs{numbers(type, {900}, isUnsigned ? 0 : -90, 90)};
        for (const std::string op : {"Abs", "Neg", "Sign", "Relu"}) {
            if ((isUnsigned && op == "Neg") || (op == "Relu" && isUnsigned)) continue;
            expectFast("g (" + name + "[900] x) => (" + name + "[900] y) { y = " + op + "(x) }", inputs);
        }
        if (!isFloating(type)) continue;
        for (const std::string op :
             {"Exp", "Tanh", "Sigmoid", "Floor", "Ceil", "Round", "Atan", "Erf", "Softsign"})
            expectFast("g (" + name + "[900] x) => (" + name + "[900] y) { y = " + op + "(x) }",
                       {numbers(type, {900}, -5, 5)}, 21, {1e-4, 1e-5});
        expectFast("g (" + name + "[900] x) => (bool[900] y, bool[900] z) { y = IsNaN(x) z = IsInf(x) }",
                   inputs, 20);
    }
}

TEST(CpuKernels, recurrentLayersInEveryDirection) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
        const std::string d = direction == "bidirectional" ? "2" : "1";
        const auto graphOf = [&](const std::string& op, int gates, const std::string& attributes,
                                 bool hasBias) {
            const std::string rows = std::to_string(gates * 4), biases = std::to_string(gates * 8);
            return "g (float[5,2,3] x, float[" + d + "," + rows + ",3] w, float[" + d + "," + rows +
                   ",4] r, float[" + d + "," + biases + "] b, float[" + d + ",2,4] h) => (float[5," + d +
                   ",2,4] y, float[" + d + ",2,4] yh) { y, yh = " + op + " <hidden_size = 4, direction = \"" +
                   direction + "\"" + attributes + "> (x, w, r, " + (hasBias ? "b" : "") + ", , h) }";
        };
        for (const bool hasBias : {true, false}) {
            for (const auto& [op, gates, attributes] :
                 {std::tuple("RNN", 1, ""), std::tuple("GRU", 3, ""),
                  std::tuple("GRU", 3, ", linear_before_reset = 1"), std::tuple("LSTM", 4, "")}) {
                const std::int64_t n = d == "2" ? 2 : 1;
                const auto f = [&](const Shape& shape, unsigned seed) {
                    return numbers(ElementType::float32, shape, -1, 1, seed);
                };
                expectFast(graphOf(op, gates, attributes, hasBias),
                           {f({5, 2, 3}, 1), f({n, gates * 4, 3}, 2), f({n, gates * 4, 4}, 3),
                            f({n, gates * 8}, 4), f({n, 2, 4}, 5)});
            }
        }
    }
}

TEST(CpuKernels, quantizedRecurrentLayers) {
    for (const std::string type : {"int8", "uint8"}) {
        const auto list = [&](int count, int step) {
            std::string text;
            for (int i = 0; i < count; ++i)
                text += (i == 0 ? "" : ",") + std::to_string((type == "int8" ? -100 : 20) + i * step % 200);
            return text;
        };
        const std::string graph =
            "g (float[6,2,3] x, float[2,32] b, float[2,2,4] h, float[2,2,4] c) => (float[6,2,2,4] y, "
            "float[2,2,4] yh, "
            "float[2,2,4] yc) <" +
            type + "[2,3,16] w = {" + list(96, 37) + "}, " + type + "[2,4,16] r = {" + list(128, 53) +
            "}, float[2] sw = {0.01, 0.02}, " + type + "[2] zw = {3, 100}, float[2] sr = {0.005, 0.004}, " +
            type +
            "[2] zr = {0, 7}> { y, yh, yc = com.microsoft.DynamicQuantizeLSTM <hidden_size = 4, direction = "
            "\"bidirectional\"> (x, w, r, b, , h, c, , sw, zw, sr, zr) }";
        const auto f = [&](const Shape& shape, unsigned seed) {
            return numbers(ElementType::float32, shape, -1, 1, seed);
        };
        // A state whose rounding falls to the other side is a step apart.
        expectFast(graph, {f({6, 2, 3}, 1), f({2, 32}, 2), f({2, 2, 4}, 3), f({2, 2, 4}, 4)}, 17,
                   {1e-2, 1e-2});
    }
}

TEST(CpuKernels, resizingBetweenElements) {
    const TensorData x = numbers(ElementType::float32, {1, 5, 6, 7}, -1, 1);
    for (const std::string mode : {"linear", "cubic"}) {
        for (const std::string coordinates :
             {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"}) {
            for (const auto& [sizes, shape] :
                 {std::pair("1,5,13,4", "1,5,13,4"), std::pair("1,3,6,14", "1,3,6,14")})
                expectFast("g (float[1,5,6,7] x) => (float[" + std::string(shape) +
                               "] y) { s = Constant <value_ints = [" + sizes + "]> () y = Resize <mode = \"" +
                               mode + "\", coordinate_transformation_mode = \"" + coordinates +
                               "\"> (x, , , s) }",
                           {x});
        }
    }
    // In the layout of a convolution, whose channels do not fill their blocks.
    const CpuRun run =
        expectFast("g (float[1,5,6,7] x, float[11,5,3,3] w, float[8,11,1,1] v) => (float[1,8,9,11] y) { a = "
                   "Conv(x, w) s = Constant "
                   "<value_ints = [1,11,9,11]> () b = Resize <mode = \"linear\"> (a, , , s) y = Conv(b, v) }",
                   {x, numbers(ElementType::float32, {11, 5, 3, 3}, -1, 1, 2),
                    numbers(ElementType::float32, {8, 11, 1, 1}, -1, 1, 3)});
    EXPECT_LE(std::count_if(run.report.nodes.begin(), run.report.nodes.end(),
                            [](const auto& node) { return node.kernel == "conversion"; }),
              4);
    // What lies beside infinity and has no part of it stays finite.
    Values inputs{numbers(ElementType::float32, {1, 1, 1, 4}, 0, 1)};
    TensorData odd = numbers(ElementType::float32, {1, 1, 1, 4}, 0, 1);
    odd.as<float>()[1] = std::numeric_limits<float>::infinity();
    expectFast("g (float[1,1,1,4] x) => (float[1,1,1,8] y) { s = Constant <value_ints = [1,1,1,8]> () y = "
               "Resize <mode = "
               "\"linear\", coordinate_transformation_mode = \"asymmetric\"> (x, , , s) }",
               {odd});
}

} // namespace
} // namespace secateur
