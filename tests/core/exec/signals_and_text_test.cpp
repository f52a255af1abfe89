// SPDX-License-Identifier: Apache-2.0
//
// What ONNX's node tests leave out of GridSample, DFT, STFT, the text operators and label encoders: inputs
// that do not fit, and numbers that are none.
#include "tests/core/exec/run_text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <limits>

namespace secateur {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TensorData texts(Shape shape, std::vector<std::string> words) {
    static MemoryPool pool;
    TensorData made = std::move(TensorData::make(pool, ElementType::string, std::move(shape))).take();
    made.strings() = std::move(words);
    return made;
}

/// The error of a graph that must not run.
std::string refusalOf(const std::string& graph, std::vector<RuntimeValue> inputs, int opset = 20) {
    const auto out = runText(modelText(graph, opset), std::move(inputs));
    EXPECT_FALSE(out.ok());
    return out.ok() ? std::string() : out.error().toString();
}

std::string gridGraph(const std::string& attributes) {
    return "g (float[1,1,2,2] x, float[1,1,N,2] grid) => (float[1,1,1,N] y) { y = GridSample <" + attributes +
           "> (x, grid) }";
}

TEST(GridSample, positionsThatAreNoNumbersAreOutside) {
    const std::vector<double> places{kNan, 0, 0, kInfinity, -kInfinity, 0, 1e30, -1e30};
    for (const char* mode : {"linear", "nearest", "cubic"}) {
        const auto out = outputsOf(gridGraph(std::string("mode = \"") + mode + "\""),
                                   {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 1, 4, 2}, places)}, 20);
        EXPECT_THAT(numbersOf(out[0]), Each(0.0)) << mode;
    }
}

TEST(GridSample, everyPaddingStaysInsideTheImage) {
    const std::vector<double> places{kNan, 0, 0, kInfinity, -1e30, 1e30, -7.3, 9.1};
    for (const char* padding : {"border", "reflection"}) {
        for (const char* corners : {"0", "1"}) {
            for (const char* mode : {"linear", "nearest"}) {
                const auto out =
                    outputsOf(gridGraph(std::string("mode = \"") + mode + "\", padding_mode = \"" + padding +
                                        "\", align_corners = " + corners),
                              {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 1, 4, 2}, places)}, 20);
                for (const double number : numbersOf(out[0])) {
                    EXPECT_GE(number, 1) << mode << padding << corners;
                    EXPECT_LE(number, 4) << mode << padding << corners;
                }
            }
        }
    }
}

TEST(GridSample, oneElementIsReflectedIntoItself) {
    const std::string graph =
        "g (float[1,1,1,1] x, float[1,1,2,2] grid) => (float[1,1,1,2] y) { y = GridSample "
        "<padding_mode = \"reflection\", align_corners = 1> (x, grid) }";
    const auto out = outputsOf(graph, {floats({1, 1, 1, 1}, {5}), floats({1, 1, 2, 2}, {-3, 2, 8, 1})}, 20);
    EXPECT_THAT(numbersOf(out[0]), ElementsAre(5, 5));
}

TEST(GridSample, aGridForAnotherNumberOfDimensionsIsRefused) {
    EXPECT_THAT(
        refusalOf("g (float[1,1,2,2] x, float[1,1,4,3] grid) => (float[a,b,c,d] y) { y = GridSample (x, "
                  "grid) }",
                  {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 1, 4, 3}, std::vector<double>(12))}),
        HasSubstr("1x1x4x3"));
}

TEST(GridSample, integersKeepAllTheirBitsWhereTheNearestIsTaken) {
    const std::string graph =
        "g (int64[1,1,1,2] x, float[1,1,1,2] grid) => (int64[1,1,1,1] y) { y = GridSample "
        "<mode = \"nearest\"> (x, grid) }";
    MemoryPool pool;
    TensorData x = std::move(TensorData::make(pool, ElementType::int64, {1, 1, 1, 2})).take();
    x.as<std::int64_t>()[1] = 9'007'199'254'740'993; // 2^53 + 1 is no double
    const auto out = outputsOf(graph, {x, floats({1, 1, 1, 2}, {0.6, 0})}, 20);
    ASSERT_NE(out[0].tensor(), nullptr);
    EXPECT_EQ(out[0].tensor()->as<std::int64_t>()[0], 9'007'199'254'740'993);
}

/// |DFT| of a cosine of 3 periods has one peak, for lengths that are powers of two and others.
TEST(Spectra, aCosineHasOnePeakWhateverTheLength) {
    for (const int length : {8, 12, 15, 32}) {
        std::vector<double> signal;
        for (int n = 0; n < length; ++n)
            signal.push_back(std::cos(2 * M_PI * 3 * n / length));
        const std::string dims = "[1," + std::to_string(length) + ",1]";
        const auto out =
            outputsOf("g (float" + dims + " x) => (float[1,K,2] y) { y = DFT <onesided = 1> (x) }",
                      {floats({1, length, 1}, signal)}, 17);
        const auto numbers = numbersOf(out[0]);
        ASSERT_EQ(numbers.size(), static_cast<std::size_t>(length / 2 + 1) * 2);
        for (std::size_t k = 0; k < numbers.size() / 2; ++k)
            EXPECT_NEAR(numbers[2 * k], k == 3 ? length / 2.0 : 0, 1e-5) << length << " " << k;
    }
}

/// 99991 is a prime: by the definition of the sum its transform takes 10^10 products.
TEST(Spectra, aLongLengthThatIsNoPowerOfTwoIsTransformedFast) {
    constexpr int kLength = 99'991;
    std::vector<double> signal;
    for (int n = 0; n < kLength; ++n)
        signal.push_back(std::cos(2 * M_PI * 3 * n / kLength));
    const auto numbers =
        numbersOf(outputsOf("g (float[1,99991,1] x) => (float[1,K,2] y) { y = DFT <onesided = 1> (x) }",
                            {floats({1, kLength, 1}, signal)}, 17)[0]);
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kLength / 2 + 1) * 2);
    for (std::size_t k = 0; k < numbers.size() / 2; ++k)
        ASSERT_NEAR(numbers[2 * k], k == 3 ? kLength / 2.0 : 0, 0.02) << k;
}

TEST(Spectra, lengthsOfEveryKindGiveTheSumOfTheDefinition) {
    for (const int length : {31, 33, 64, 97, 1000}) {
        std::vector<double> signal;
        for (int n = 0; n < 2 * length; ++n)
            signal.push_back(std::sin(n * 12.9898) * 3);
        const std::string dims = "[1," + std::to_string(length) + ",2]";
        const auto numbers =
            numbersOf(outputsOf("g (float" + dims + " x) => (float" + dims + " y) { y = DFT(x) }",
                                {floats({1, length, 2}, signal)}, 17)[0]);
        ASSERT_EQ(numbers.size(), signal.size());
        for (int k = 0; k < length; ++k) {
            std::complex<double> sum = 0;
            for (int n = 0; n < length; ++n)
                sum += std::complex<double>(static_cast<float>(signal[static_cast<std::size_t>(2 * n)]),
                                            static_cast<float>(signal[static_cast<std::size_t>(2 * n + 1)])) *
                       std::polar(1.0, -2 * M_PI * k * n / length);
            EXPECT_NEAR(numbers[static_cast<std::size_t>(2 * k)], sum.real(), 1e-6 * length)
                << length << " " << k;
            EXPECT_NEAR(numbers[static_cast<std::size_t>(2 * k + 1)], sum.imag(), 1e-6 * length);
        }
    }
}

TEST(Spectra, backAndForthGivesTheSignal) {
    const std::string graph =
        "g (float[1,6,2] x) => (float[1,6,2] y) { h = DFT (x)  y = DFT <inverse = 1> (h) }";
    const std::vector<double> signal{1, 0, -2, 5, 3, 1, 0, 0, 7, -1, 2, 2};
    const auto out = outputsOf(graph, {floats({1, 6, 2}, signal)}, 20);
    const auto numbers = numbersOf(out[0]);
    ASSERT_EQ(numbers.size(), signal.size());
    for (std::size_t i = 0; i < signal.size(); ++i)
        EXPECT_NEAR(numbers[i], signal[i], 1e-5);
}

TEST(Spectra, whatDoesNotFitIsRefused) {
    EXPECT_THAT(refusalOf("g (float[1,4,3] x) => (float[a,b,c] y) { y = DFT (x) }",
                          {floats({1, 4, 3}, std::vector<double>(12))}),
                HasSubstr("1x4x3"));
    EXPECT_THAT(refusalOf("g (float[1,4,2] x) => (float[a,b,c] y) { y = DFT <onesided = 1> (x) }",
                          {floats({1, 4, 2}, std::vector<double>(8))}),
                HasSubstr("onesided"));
    EXPECT_THAT(refusalOf("g (float[1,4,1] x, int64 length) => (float[a,b,c] y) { y = DFT (x, length) }",
                          {floats({1, 4, 1}, std::vector<double>(4)), integers({}, {0})}),
                HasSubstr("0"));
    const std::string frames =
        "g (float[1,4,1] x, int64 step, float[2] w, int64 length) => (float[a,b,c,d] y) { y "
        "= STFT (x, step, w, length) }";
    EXPECT_THAT(refusalOf(frames, {floats({1, 4, 1}, std::vector<double>(4)), integers({}, {0}),
                                   floats({2}, {1, 1}), integers({}, {2})}),
                HasSubstr("signal of 4"));
    EXPECT_THAT(refusalOf(frames, {floats({1, 4, 1}, std::vector<double>(4)), integers({}, {1}),
                                   floats({2}, {1, 1}), integers({}, {3})}),
                HasSubstr("signal of 4"));
}

TEST(Spectra, aLengthBeyondTheLimitStopsBeforeItsTablesAreBuilt) {
    ReferenceOptions options;
    options.limits.memoryBytes = 1 << 20;
    const auto out =
        runText(modelText("g (float[1,4,1] x, int64 length) => (float[a,b,c] y) { y = DFT (x, length) }", 20),
                {floats({1, 4, 1}, std::vector<double>(4)), integers({}, {1e9})}, options);
    ASSERT_FALSE(out.ok());
    EXPECT_THAT(out.error().toString(), HasSubstr("beyond the limit"));
}

TEST(Spectra, frequenciesBeyondHalfTheRateAreRefused) {
    const std::string graph =
        "g (int64 n, int64 length, int64 rate, float low, float high) => (float[a,b] y) { y = "
        "MelWeightMatrix (n, length, rate, low, high) }";
    EXPECT_THAT(refusalOf(graph, {integers({}, {8}), integers({}, {16}), integers({}, {8192}),
                                  floats({}, {0}), floats({}, {5000})}),
                HasSubstr("half of the rate"));
}

TEST(Text, splitsKeepWhatIsLeftAfterTheLastSplit) {
    const std::string graph =
        "g (string[2] x) => (string[2,k] y, int64[2] n) { y, n = StringSplit <maxsplit = 1> "
        "(x) }";
    const auto out = outputsOf(graph, {texts({2}, {"  a  b c ", ""})}, 20);
    ASSERT_NE(out[0].tensor(), nullptr);
    EXPECT_THAT(out[0].tensor()->strings(), ElementsAre("a", "b c", "", ""));
    EXPECT_THAT(numbersOf(out[1]), ElementsAre(2, 0));
}

TEST(Text, caseBeyondAsciiIsRefusedNotChangedByHalf) {
    const std::string graph =
        "g (string[1] x) => (string[n] y) { y = StringNormalizer <case_change_action = \"UPPER\"> (x) }";
    EXPECT_THAT(refusalOf(graph, {texts({1}, {"grün"})}), HasSubstr("grün"));
    const auto out = outputsOf(graph, {texts({1}, {"tree"})}, 20);
    ASSERT_NE(out[0].tensor(), nullptr);
    EXPECT_THAT(out[0].tensor()->strings(), ElementsAre("TREE"));
}

TEST(Text, poolsThatDoNotFitTheirListsAreRefused) {
    const std::string graph =
        "g (int64[4] x) => (float[n] y) { y = TfIdfVectorizer <mode = \"TF\", min_gram_length "
        "= 1, max_gram_length = 1, max_skip_count = 0, ngram_counts = [0], ngram_indexes = "
        "[0, 1, 2], pool_int64s = [2, 3]> (x) }";
    EXPECT_THAT(refusalOf(graph, {integers({4}, {1, 2, 3, 4})}), HasSubstr("n-grams"));
}

TEST(LabelEncoder, aNanThatIsNoKeyTakesTheDefaultAndMinusZeroIsZero) {
    const std::string graph =
        "<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 2]>\n"
        "g (float[4] x) => (int64[4] y) { y = ai.onnx.ml.LabelEncoder <keys_floats = [0.0, "
        "1.5], values_int64s = [7, 8], default_int64 = -5> (x) }";
    const auto out = runText(graph, {floats({4}, {-0.0, 1.5, kNan, 2})});
    ASSERT_TRUE(out.ok()) << out.error().toString();
    EXPECT_THAT(numbersOf((*out)[0]), ElementsAre(7, 8, -5, -5));
}

} // namespace
} // namespace secateur
