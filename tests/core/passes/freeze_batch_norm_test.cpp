// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training_signs.h"
#include "core/onnx/save.h"
#include "tests/core/passes/pass_fixture.h"
#include "tests/temporary_folder.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "freeze-batch-norm";

enum class Source : std::uint8_t { trained, untrained, input, computed, missing };

/// What a test varies.
struct Form {
    std::int64_t opset = 17;
    Source source = Source::trained;
    std::size_t results = 3;
    std::string op = "BatchNormalization";
    std::string domain;
    AttributeList attributes = {Attribute::of("training_mode", std::int64_t{1})};
    std::vector<std::size_t> readResults = {}; ///< further results that are outputs
};

/// x [2,2,3,3] -> BatchNormalization -> Relu -> y.
struct BatchNormGraph : PassGraph {
    NodeId norm;

    explicit BatchNormGraph(const Form& form) : PassGraph(form.opset) {
        const ValueId x = input("x", Type::tensor(ElementType::float32, {2, 2, 3, 3}));
        std::vector<ValueId> inputs{x, floats("scale", {1, 1}), floats("bias", {0, 0})};
        const Type channel = Type::tensor(ElementType::float32, {2});
        if (form.source == Source::trained)
            inputs.insert(inputs.end(), {floats("mean", {0.5F, 0}), floats("var", {1, 2})});
        if (form.source == Source::untrained)
            inputs.insert(inputs.end(), {floats("mean", {0, 0}), floats("var", {1, 1})});
        if (form.source == Source::input)
            inputs.insert(inputs.end(), {input("mean", channel), input("var", channel)});
        if (form.source == Source::computed) {
            const ValueId seed = input("seed", channel);
            inputs.insert(inputs.end(), {add("Neg", {seed}, "mean"), add("Abs", {seed}, "var")});
        }
        static const Names kNames{"b", "running_mean", "running_var", "saved_mean", "saved_var"};
        norm = node(form.op, inputs,
                    Names(kNames.begin(), kNames.begin() + static_cast<std::ptrdiff_t>(form.results)),
                    form.attributes, form.domain);
        output(add("Relu", {model.output(norm, 0)}, "y"));
        for (const std::size_t slot : form.readResults)
            output(model.output(norm, slot));
    }
};

TEST(FreezeBatchNorm, trainingModeBecomesInferenceFromOpset14On) {
    for (const std::int64_t opset : {14, 15, 17}) {
        for (const std::size_t results : {1U, 3U}) {
            Form form;
            form.opset = opset;
            form.results = results;
            BatchNormGraph g(form);
            g.run(kPass);
            EXPECT_EQ(g.applied(), Names{"freeze-batch-norm.trained"});
            EXPECT_EQ(g.model.outputs(g.norm).size(), 1U);
            EXPECT_EQ(g.model.attribute(g.norm, "training_mode"), nullptr);
            EXPECT_EQ(g.records.front().exactness, Exactness::conversion);
        }
    }
}

TEST(FreezeBatchNorm, theNumberOfResultsSaysTheModeInOpsets7To13) {
    Form form;
    form.opset = 9;
    form.results = 5;
    form.attributes = {};
    BatchNormGraph trains(form);
    trains.run(kPass);
    EXPECT_EQ(trains.model.outputs(trains.norm).size(), 1U);
    form.results = 1;
    BatchNormGraph infers(form);
    infers.run(kPass);
    EXPECT_TRUE(infers.records.empty());
}

/// The analysis that tells a training graph judges the mode as the pass does.
TEST(FreezeBatchNorm, theSignsOfTrainingAreWhereThePassFreezes) {
    for (const std::int64_t opset : {6, 9, 14, 17}) {
        for (const std::size_t results : {1U, 3U, 5U}) {
            for (const std::int64_t mode : {-1, 0, 1}) {
                Form form;
                form.opset = opset;
                form.results = opset >= 14 ? std::min<std::size_t>(results, 3) : results;
                form.attributes.clear();
                if (mode >= 0)
                    form.attributes = {Attribute::of(opset >= 14 ? "training_mode" : "is_test", mode)};
                if (mode >= 0 && opset > 6 && opset < 14) continue;
                BatchNormGraph g(form);
                TypeTable types;
                types.inferAll(g.model);
                const GraphIndex index(g.model);
                const bool trains = findTrainingSigns(index, types).trainingMode[index.position(g.norm)];
                g.run(kPass);
                EXPECT_EQ(!g.records.empty(), trains) << opset << " " << results << " " << mode;
            }
        }
    }
}

TEST(FreezeBatchNorm, isTestSaysTheModeUpToOpset6) {
    Form form;
    form.opset = 6;
    form.results = 5;
    form.attributes = {};
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_EQ(g.model.intAttribute(g.norm, "is_test", 0), 1);
    EXPECT_EQ(g.model.outputs(g.norm).size(), 1U);
}

TEST(FreezeBatchNorm, inferenceModeIsLeftAlone) {
    Form form;
    form.attributes = {};
    form.results = 1;
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty() && g.misses.empty() && g.questions.empty());
}

TEST(FreezeBatchNorm, theInternalFormBecomesTheStandardOne) {
    Form form;
    form.op = "BatchNormInternal";
    form.domain = "com.microsoft";
    form.results = 5;
    form.source = Source::input;
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_EQ(g.applied(), Names{"freeze-batch-norm.given"});
    const NodeId frozen = g.model.producer(g.model.input(g.lastNode(), 0));
    EXPECT_TRUE(g.model.isOp(frozen, "BatchNormalization"));
    EXPECT_EQ(g.model.outputs(frozen).size(), 1U);
    EXPECT_EQ(g.model.name(g.model.output(frozen, 0)), "b");
    EXPECT_EQ(g.records.front().erased, std::vector{g.norm});
    EXPECT_EQ(g.records.front().created, std::vector{frozen});
}

TEST(FreezeBatchNorm, untrainedStatisticsAreAQuestion) {
    for (const Source source : {Source::untrained, Source::computed}) {
        Form form;
        form.source = source;
        BatchNormGraph asks(form);
        asks.run(kPass);
        EXPECT_TRUE(asks.records.empty());
        ASSERT_EQ(asks.questions.size(), 1U);
        EXPECT_EQ(asks.questions.front().optionName, "batch-norm");
        EXPECT_EQ(asks.questions.front().nodes, std::vector{asks.norm});
        EXPECT_EQ(asks.model.outputs(asks.norm).size(), 3U) << "trimming would change Y";

        BatchNormGraph running(form);
        running.run(kPass, {{"batch-norm", "running"}});
        EXPECT_EQ(running.applied(), Names{"freeze-batch-norm.as-asked"});
        EXPECT_TRUE(running.questions.empty());
    }
}

TEST(FreezeBatchNorm, batchKeepsTheBatchStatistics) {
    Form form;
    BatchNormGraph plain(form);
    plain.run(kPass, {{"batch-norm", "batch"}});
    EXPECT_TRUE(plain.records.empty());
    EXPECT_TRUE(plain.hasMiss("freeze-batch-norm.miss.as-asked"));

    form.op = "BatchNormInternal";
    form.domain = "com.microsoft";
    form.results = 5;
    BatchNormGraph internal(form);
    internal.run(kPass, {{"batch-norm", "batch"}});
    const NodeId made = internal.model.producer(internal.model.input(internal.lastNode(), 0));
    EXPECT_TRUE(internal.model.isOp(made, "BatchNormalization"));
    EXPECT_EQ(internal.model.intAttribute(made, "training_mode", 0), 1);
    EXPECT_EQ(internal.model.outputs(made).size(), 3U);
}

TEST(FreezeBatchNorm, missingStatisticsAndSpatial0AreRefused) {
    Form form;
    form.source = Source::missing;
    BatchNormGraph missing(form);
    missing.run(kPass, {{"batch-norm", "running"}});
    EXPECT_TRUE(missing.hasMiss("freeze-batch-norm.miss.no-statistics"));
    EXPECT_TRUE(missing.questions.empty());
    BatchNormGraph asks(form);
    asks.run(kPass);
    EXPECT_EQ(asks.questions.size(), 1U);

    Form old;
    old.opset = 7;
    old.results = 5;
    old.attributes = {Attribute::of("spatial", std::int64_t{0})};
    BatchNormGraph spatial(old);
    spatial.run(kPass);
    EXPECT_TRUE(spatial.records.empty());
    EXPECT_TRUE(spatial.hasMiss("freeze-batch-norm.miss.spatial"));
}

TEST(FreezeBatchNorm, readBatchStatisticsKeepTheNode) {
    Form form;
    form.opset = 9;
    form.results = 5;
    form.attributes = {};
    form.readResults = {3};
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    EXPECT_TRUE(g.hasMiss("freeze-batch-norm.miss.statistics-read"));
}

TEST(FreezeBatchNorm, readRunningStatisticsStayWhatTheyAre) {
    Form form;
    form.readResults = {1};
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_EQ(g.applied(), Names{"freeze-batch-norm.trained"});
    EXPECT_EQ(g.outputNames(), (Names{"y", "running_mean"}));
}

TEST(FreezeBatchNorm, updatedStatisticsOfAFileOfWeightsWin) {
    const testing::TemporaryFolder folder;
    PassGraph source;
    source.output(source.add("Neg", {source.floats("running_mean", {3, 4})}, "n"));
    source.output(source.add("Neg", {source.floats("running_var", {5, 6})}, "p"));
    ASSERT_TRUE(saveModel(source.model, folder / "weights.onnx").ok());
    for (const Source kind : {Source::untrained, Source::input}) {
        Form form;
        form.source = kind;
        BatchNormGraph g(form);
        g.environment.weightsPath = (folder / "weights.onnx").string();
        g.run(kPass);
        EXPECT_EQ(g.applied(), Names{"freeze-batch-norm.trained"});
        const TensorPtr mean = g.model.value(g.model.input(g.norm, 3)).tensor;
        ASSERT_NE(mean, nullptr);
        EXPECT_EQ(asDoubles(*mean), (std::vector<double>{3, 4}));
    }
}

TEST(FreezeBatchNorm, inAFunctionTheModeOfTheCallsIsNotGuessed) {
    Form form;
    Attribute mode;
    mode.name = "training_mode";
    mode.type = AttributeType::int_;
    mode.reference = "mode";
    form.attributes = {mode};
    BatchNormGraph g(form);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    EXPECT_TRUE(g.hasMiss("freeze-batch-norm.miss.attribute-of-call"));
}

} // namespace
} // namespace secateur
