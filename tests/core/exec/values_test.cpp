// SPDX-License-Identifier: Apache-2.0
//
// Inputs made for a run, files of values, and comparing results.
#include "core/exec/compare.h"
#include "core/exec/input_values.h"
#include "core/exec/value_file.h"
#include "tests/core/exec/run_text.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::HasSubstr;

struct Opened {
    LoadedModel loaded;
    std::vector<InputDomain> domains;
};

Opened open(const std::string& graph) {
    Opened opened{std::move(parseModelText(modelText(graph))).take(), {}};
    TypeTable types;
    types.inferAll(opened.loaded.model);
    opened.domains = inputDomains(opened.loaded.model, types);
    return opened;
}

Result<std::vector<RuntimeValue>> inputsFor(const Opened& opened, const InputRequest& request) {
    static MemoryPool pool;
    return makeInputs(opened.loaded.model, opened.domains, request, pool);
}

const char* const kEmbedding = R"(g (int64[N] ids, float[10, 4] table, int64[N] labels) => (float loss) {
    shape = Constant<value = int64[1] {-1}>()
    flat = Reshape(ids, shape)  rows = Gather(table, flat)
    loss = SoftmaxCrossEntropyLoss(rows, labels)
})";

TEST(InputDomain, indicesAndLabelsKeepToWhatTheModelAllows) {
    const Opened opened = open(kEmbedding);
    ASSERT_EQ(opened.domains.size(), 3U);
    EXPECT_EQ(opened.domains[0].kind, InputDomain::Kind::index);
    EXPECT_EQ(opened.domains[0].highest, 9);
    EXPECT_EQ(opened.domains[1].kind, InputDomain::Kind::any);
    EXPECT_EQ(opened.domains[2].kind, InputDomain::Kind::label);
    EXPECT_EQ(opened.domains[2].highest, 3);
}

TEST(InputDomain, aVarianceIsPositive) {
    const Opened opened =
        open(R"(g (float[2, 4, 3] x, float[4] scale, float[4] b, float[4] mean, float[4] var)
        => (float[2, 4, 3] y) { y = BatchNormalization(x, scale, b, mean, var) })");
    EXPECT_EQ(opened.domains[3].kind, InputDomain::Kind::any);
    EXPECT_EQ(opened.domains[4].kind, InputDomain::Kind::positive);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        InputRequest request;
        request.seed = seed;
        const auto values = inputsFor(opened, request);
        ASSERT_TRUE(values.ok()) << values.error().toString();
        for (const double number : readAll<double>(*(*values)[4].tensor()))
            EXPECT_GT(number, 0);
    }
}

TEST(InputDomain, theNarrowestOfTwoTablesCounts) {
    const Opened opened = open("g (int64[3] ids, float[10, 2] a, float[7, 2] b) => (float[3, 2] y) { p = "
                               "Gather(a, ids) q = Gather(b, ids) y = Add(p, q) }");
    EXPECT_EQ(opened.domains[0].highest, 6);
}

TEST(InputValues, randomInputsRunTheModel) {
    const Opened opened = open(kEmbedding);
    InputRequest request;
    request.bindings["N"] = 200;
    auto inputs = inputsFor(opened, request);
    ASSERT_TRUE(inputs.ok()) << inputs.error().toString();
    EXPECT_EQ(shapeOf((*inputs)[0]), (Shape{200}));
    const auto ids = numbersOf((*inputs)[0]);
    EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 9);
    EXPECT_EQ(*std::min_element(ids.begin(), ids.end()), 0);
    auto runner = ReferenceRunner::prepare(opened.loaded.model);
    ASSERT_TRUE(runner.ok());
    EXPECT_TRUE(runner->run(std::move(*inputs)).ok());
}

TEST(InputValues, theSameSeedGivesTheSameAndNamingOneChangesNoOther) {
    const Opened opened = open(kEmbedding);
    InputRequest request;
    request.seed = 3;
    const auto first = inputsFor(opened, request);
    request.named = {{"ids", "2:2"}};
    const auto second = inputsFor(opened, request);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(numbersOf((*first)[1]), numbersOf((*second)[1]));
    EXPECT_THAT(numbersOf((*second)[0]), Each(2));
    request.seed = 4;
    EXPECT_NE(numbersOf((*inputsFor(opened, request))[1]), numbersOf((*first)[1]));
}

TEST(InputValues, anUnknownNameIsAnsweredWithNearOnes) {
    const Opened opened = open(kEmbedding);
    InputRequest request;
    request.named = {{"label", "0:1"}};
    const auto inputs = inputsFor(opened, request);
    ASSERT_FALSE(inputs.ok());
    EXPECT_EQ(inputs.error().code, ErrorCode::usage);
    EXPECT_THAT(inputs.error().message, HasSubstr("labels"));
}

TEST(ValueFile, tensorsSequencesAndOptionalsComeBack) {
    const TemporaryFolder folder;
    MemoryPool pool;
    auto sequence = std::make_shared<SequenceData>();
    sequence->element = ElementType::float32;
    sequence->items = {floats({2}, {1, 2}), floats({1}, {3})};
    auto optional = std::make_shared<OptionalData>();
    optional->value = floats({1}, {4});
    Type sequenceType, optionalType;
    sequenceType.kind = Type::Kind::sequence;
    optionalType.kind = Type::Kind::optional;
    const std::pair<RuntimeValue, Type> values[] = {
        {floats({2, 2}, {1, 2, 3, NAN}), Type::tensor(ElementType::float32)},
        {tensorOf(ElementType::int4, {3}, {-8, 7, 1}), Type::tensor(ElementType::int4)},
        {std::shared_ptr<const SequenceData>(sequence), sequenceType},
        {std::shared_ptr<const OptionalData>(optional), optionalType}};
    for (const auto& [value, type] : values) {
        ASSERT_TRUE(writeValueFile(folder.path() / "v.pb", value, "v").ok());
        const auto again = readValueFile(folder.path() / "v.pb", type, pool);
        ASSERT_TRUE(again.ok()) << again.error().toString();
        EXPECT_TRUE(compareValues(*again, value, {}).isSameBits) << again->text();
    }
}

TEST(ValueFile, aMissingOrForeignFileIsAnError) {
    MemoryPool pool;
    EXPECT_FALSE(readValueFile("/nowhere/input_0.pb", {}, pool).ok());
    EXPECT_FALSE(readValueFile(SECATEUR_SOURCE_DIR "/README.md", {}, pool).ok());
}

TEST(Compare, saysHowFarResultsLieApart) {
    const auto found = compareValues(floats({3}, {1, 2, 3.5}), floats({3}, {1, 2, 3}), {1e-4, 1e-5});
    EXPECT_TRUE(found.fits);
    EXPECT_FALSE(found.isWithin);
    EXPECT_EQ(found.differing, 1U);
    EXPECT_EQ(found.worstAt, 2U);
    EXPECT_DOUBLE_EQ(found.maxAbsolute, 0.5);
    EXPECT_NEAR(found.maxRelative, 0.5 / 3, 1e-9);
    EXPECT_LT(found.cosine, 1);
}

TEST(Compare, oneStepIsOneUlp) {
    const float next = std::nextafter(1.0F, 2.0F);
    const auto found =
        compareValues(floats({1}, {static_cast<double>(next)}), floats({1}, {1}), {1e-4, 1e-5});
    EXPECT_TRUE(found.isWithin);
    EXPECT_FALSE(found.isSameBits);
    EXPECT_EQ(found.maxUlp, 1U);
}

TEST(Compare, nanMustMeetNan) {
    EXPECT_TRUE(compareValues(floats({1}, {NAN}), floats({1}, {NAN}), {}).isWithin);
    EXPECT_FALSE(compareValues(floats({1}, {NAN}), floats({1}, {0}), {}).isWithin);
    EXPECT_FALSE(compareValues(floats({1}, {INFINITY}), floats({1}, {-INFINITY}), {}).isWithin);
}

TEST(Compare, theWorstElementIsTheOneFurthestBeyondTheTolerance) {
    // 0.5 of 1000 is allowed, 0.1 of 0.1 is not.
    auto found = compareValues(floats({3}, {1, 1000.5, 0.2}), floats({3}, {1, 1000, 0.1}), {1e-3, 1e-5});
    EXPECT_EQ(found.worstAt, 2U);
    EXPECT_EQ(found.outside, 1U);
    EXPECT_EQ(found.worstText(), "element 2 is 0.2, expected is 0.1 (0.1 absolute, 1 relative)");
    found = compareValues(floats({3}, {5, NAN, 0.2}), floats({3}, {1, 2, 0.1}), {1e-3, 1e-5});
    EXPECT_EQ(found.worstAt, 1U) << "NaN is further off than any number";
    EXPECT_EQ(found.worstText(), "element 1 is nan, expected is 2");
    EXPECT_EQ(found.outside, 3U);
    found = compareValues(floats({2}, {1, 1e-7}), floats({2}, {1, 0}), {1e-3, 1e-5});
    EXPECT_TRUE(found.isWithin);
    EXPECT_EQ(found.apartText(), "1.0e-07 absolute where 0 is expected");
    found = compareValues(floats({2}, {1, -0.0}), floats({2}, {1, 0}), {1e-3, 1e-5});
    EXPECT_TRUE(found.isWithin);
    EXPECT_THAT(found.apartText(), ::testing::HasSubstr("sign of zero"));
    found = compareValues(integers({2}, {7, 3}), integers({2}, {7, 5}), {1, 10});
    EXPECT_FALSE(found.isWithin) << "whole numbers are equal or not";
    EXPECT_EQ(found.worstText(), "element 1 is 3, expected is 5 (2 absolute, 0.4 relative)");
}

TEST(Compare, theWorstOfSeveralIsKept) {
    ValueDifference all;
    joinWorse(all, compareValues(floats({1}, {1.5}), floats({1}, {1}), {1, 1}));
    joinWorse(all, compareValues(floats({2}, {1, 3}), floats({2}, {1, 2}), {1e-3, 0}));
    joinWorse(all, compareValues(floats({1}, {4}), floats({1}, {4}), {1e-3, 0}));
    EXPECT_EQ(all.worstText(), "element 1 is 3, expected is 2 (1 absolute, 0.5 relative)");
    EXPECT_EQ(all.outside, 1U);
    EXPECT_EQ(all.elements, 4U);
}

TEST(Compare, shapesAndTypesMustFit) {
    EXPECT_FALSE(compareValues(floats({2}, {1, 2}), floats({2, 1}, {1, 2}), {}).fits);
    EXPECT_FALSE(compareValues(floats({1}, {1}), integers({1}, {1}), {}).fits);
}

TEST(InputValues, rangesThatAModelCannotTakeAreRefused) {
    const Opened opened = open("g (int64[4] i, uint8[4] b, float[4] f) => (int64[4] y) { y = Identity(i) }");
    const auto refused = [&](const char* name, const char* range) {
        InputRequest request;
        request.named = {{name, range}};
        const auto values = inputsFor(opened, request);
        ASSERT_FALSE(values.ok()) << name << " " << range;
        EXPECT_EQ(values.error().code, ErrorCode::usage);
    };
    for (const char* range : {"0:1e300", "5:1", "nan:nan", "0.5:0.6"})
        refused("i", range);
    for (const char* range : {"-5:-1", "0:256"})
        refused("b", range);
    for (const char* range : {"0:inf", "nan:1", "-1e308:1.7e308"})
        refused("f", range);
}

TEST(InputValues, aBindingOfNothingIsRefusedWithNearNames) {
    const Opened opened = open("g (float[batch, 4] x) => (float[batch, 4] y) { y = Identity(x) }");
    InputRequest request;
    request.bindings = {{"batsh", 3}};
    const auto values = inputsFor(opened, request);
    ASSERT_FALSE(values.ok());
    EXPECT_THAT(values.error().message, HasSubstr("near names: `batch`"));
}

TEST(InputValues, wholeNumbersCoverTheirRange) {
    const Opened opened = open("g (int8[600] i) => (int8[600] y) { y = Identity(i) }");
    InputRequest request;
    request.named = {{"i", "-2:2"}};
    const auto values = inputsFor(opened, request);
    ASSERT_TRUE(values.ok()) << values.error().toString();
    const auto numbers = numbersOf(values->front());
    EXPECT_EQ(*std::min_element(numbers.begin(), numbers.end()), -2);
    EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 2);
}

TEST(CompareValues, doublesFarApartHaveTheirDistanceAndAngle) {
    const TensorData a = tensorOf(ElementType::float64, {2}, {1e308, 2}),
                     b = tensorOf(ElementType::float64, {2}, {-1e308, 2});
    const ValueDifference found = compareValues(a, b, {});
    EXPECT_NEAR(found.cosine, -1, 1e-12);
    EXPECT_GT(found.maxUlp, std::uint64_t{1} << 63U);
}

TEST(MemoryPool, siblingsShareOneLimitAndCountForThemselves) {
    MemoryPool one(1000);
    MemoryPool other = one.sibling();
    auto first = one.allocate(600);
    ASSERT_TRUE(first.ok());
    EXPECT_FALSE(other.allocate(500).ok());
    ASSERT_TRUE(other.allocate(400).ok());
    EXPECT_EQ(one.liveBytes(), 600U);
    EXPECT_EQ(other.highWaterBytes(), 400U);
    EXPECT_EQ(other.liveBytes(), 0U);
    first->reset();
    EXPECT_TRUE(other.allocate(1000).ok());
}

TEST(CompareValues, emptySequencesOfOtherTypesDiffer) {
    const auto sequence = [](ElementType type) {
        auto made = std::make_shared<SequenceData>();
        made->element = type;
        return RuntimeValue(std::shared_ptr<const SequenceData>(made));
    };
    EXPECT_FALSE(compareValues(sequence(ElementType::float32), sequence(ElementType::int64), {}).isWithin);
    EXPECT_TRUE(compareValues(sequence(ElementType::int64), sequence(ElementType::int64), {}).isWithin);
}

} // namespace
} // namespace secateur
