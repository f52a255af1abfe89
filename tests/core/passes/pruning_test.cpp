// SPDX-License-Identifier: Apache-2.0
// drop-optimizer, prune-backward and drop-loss: what each takes, in which order, and what it leaves.
#include "core/analysis/reachability.h"
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;

/// x, w -> MatMul -> logits; labels -> loss; its gradient dw, which an accumulator adds to a buffer.
struct TrainingGraph : PassGraph {
    ValueId x, w, labels, logits, loss, logProbabilities, dw, done;
    NodeId product, lossNode, gradient, weightGradient, accumulator;

    explicit TrainingGraph(std::int64_t opset = 17) : PassGraph(opset) {
        x = input("x", Type::tensor(ElementType::float32, {2, 4}));
        labels = input("labels", Type::tensor(ElementType::int64, {2}));
        w = input("w", Type::tensor(ElementType::float32, {4, 3}));
        const ValueId buffer = input("w.buffer", Type::tensor(ElementType::float32, {4, 3}));
        product = node("MatMul", {x, w}, {"logits"});
        logits = model.output(product, 0);
        lossNode = node("SoftmaxCrossEntropyLoss", {logits, labels}, {"loss", "log_prob"},
                        {Attribute::of("reduction", std::string("mean"))});
        loss = model.output(lossNode, 0);
        logProbabilities = model.output(lossNode, 1);
        const ValueId seed = scalar("seed", 1);
        gradient = node("SoftmaxCrossEntropyLossGrad", {seed, logProbabilities, labels}, {"dlogits"}, {},
                        "com.microsoft");
        weightGradient =
            node("Gemm", {x, model.output(gradient, 0)}, {"dw"}, {Attribute::of("transA", std::int64_t{1})});
        dw = model.output(weightGradient, 0);
        accumulator = node("InPlaceAccumulatorV2", {buffer, dw}, {"done"}, {}, "com.microsoft");
        done = model.output(accumulator, 0);
        environment.targets = {logits};
        auto roles = std::make_shared<RoleTable>();
        roles->byNode.assign(model.nodeIdCount(), Role::forward);
        roles->gradientOf.assign(model.nodeIdCount(), NodeId());
        roles->byNode[lossNode.index] = Role::loss;
        roles->byNode[gradient.index] = roles->byNode[weightGradient.index] = Role::backward;
        roles->gradientOf[gradient.index] = lossNode;
        roles->gradientOf[weightGradient.index] = product;
        roles->byNode[accumulator.index] = Role::accumulator;
        environment.roles = roles;
    }
    void chooseLogits() { output(logits); }
};

TEST(Pruning, threePassesTogetherAreReachability) {
    TrainingGraph g;
    g.chooseLogits();
    g.run("drop-optimizer");
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLossGrad", "Gemm"}));
    g.run("prune-backward");
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss"}));
    EXPECT_EQ(g.records.size(), 2U) << "one for each node whose gradient it is";
    g.run("drop-loss");
    EXPECT_EQ(g.ops(), Names{"MatMul"});
    g.run("drop-training-state");
    EXPECT_EQ(g.inputNames(), (Names{"x", "w"}));
}

TEST(Pruning, everyErasedNodeHasAReasonOfItsOwn) {
    TrainingGraph g;
    g.chooseLogits();
    for (const char* pass : {"drop-optimizer", "prune-backward", "drop-loss"}) {
        g.run(pass);
        for (const RewriteRecord& record : g.records) {
            ASSERT_EQ(record.nodeReasons.size(), record.erased.size());
            for (const auto& [node, reason] : record.nodeReasons)
                EXPECT_FALSE(reason.id.empty());
        }
    }
}

TEST(Pruning, whatSomethingStillReadsStaysWithAMiss) {
    TrainingGraph g;
    g.chooseLogits();
    g.run("drop-loss"); // with the gradients still there
    EXPECT_TRUE(g.records.empty());
    ASSERT_TRUE(g.hasMiss("prune.miss.still-read"));
    EXPECT_EQ(g.misses.front().reason.arguments, (std::vector<ReasonArgument>{g.lossNode, g.gradient}));
    g.run("prune-backward"); // with the accumulator still there
    EXPECT_TRUE(g.records.empty());
    EXPECT_EQ(g.misses.size(), 1U) << "one word for the node that is read, none for what hangs on it";
    g.run("drop-training-state");
    EXPECT_EQ(g.ops().size(), 4U) << "the accumulator goes at last";
}

TEST(Pruning, outputsAreNeverTaken) {
    TrainingGraph g;
    g.chooseLogits();
    g.output(g.done);
    for (const char* pass : {"drop-optimizer", "prune-backward", "drop-loss"})
        g.run(pass);
    EXPECT_EQ(g.ops().size(), 5U);
}

TEST(Pruning, aSkippedRegionKeepsWhatItReads) {
    TrainingGraph g;
    g.chooseLogits();
    g.run("drop-optimizer");
    g.run("prune-backward", {}, {"prune-backward@dw"});
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLossGrad", "Gemm"}));
    EXPECT_TRUE(g.records.front().isSkipped);
}

TEST(Pruning, aLossThatReadsAGradientGoesWithIt) {
    TrainingGraph g;
    g.chooseLogits();
    const ValueId penalty = g.add("ReduceSum", {g.dw}, "penalty");
    auto roles = std::make_shared<RoleTable>(*g.environment.roles);
    roles->byNode.push_back(Role::loss);
    ASSERT_EQ(roles->byNode.size(), g.model.nodeIdCount());
    g.environment.roles = roles;
    ASSERT_FALSE(penalty.isNone());
    g.run("drop-optimizer");
    g.run("prune-backward");
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss"}));
}

TEST(Pruning, omittedOperandsConnectNothing) {
    PassGraph g;
    const ValueId x = g.input("x");
    const NodeId first = g.node("Foo", {x}, {"", "a"}, {}, "custom");
    const NodeId kept = g.node("Bar", {x, ValueId(), x}, {"y", ""}, {}, "custom");
    g.output(g.model.output(kept, 0));
    auto roles = std::make_shared<RoleTable>();
    roles->byNode.assign(g.model.nodeIdCount(), Role::backward);
    g.environment.roles = roles;
    g.run("prune-backward");
    EXPECT_FALSE(g.model.isAlive(first));
    EXPECT_TRUE(g.model.isAlive(kept));
}

TEST(Pruning, aLongChainIsNoProblem) {
    PassGraph g;
    const ValueId x = g.input("x");
    g.output(g.add("Relu", {x}, "y"));
    ValueId at = x;
    for (int i = 0; i < 100000; ++i)
        at = g.add("Neg", {at}, "n" + std::to_string(i));
    auto roles = std::make_shared<RoleTable>();
    roles->byNode.assign(g.model.nodeIdCount(), Role::backward);
    g.environment.roles = roles;
    g.run("prune-backward");
    EXPECT_EQ(g.ops(), Names{"Relu"});
    EXPECT_EQ(g.records.size(), 1U);
}

/// Moves the nodes of the main graph into the reverse order.
void turnAround(PassGraph& g) {
    std::vector<NodeId> nodes;
    for (const NodeId node : g.model.nodes(g.main))
        nodes.push_back(node);
    for (const NodeId node : nodes)
        g.editor().moveNode(node, g.main, g.model.graph(g.main).head);
}

TEST(Pruning, anUnsortedFileLosesTheSameNodesForTheSameReasons) {
    TrainingGraph sorted, turned;
    sorted.chooseLogits();
    turned.chooseLogits();
    turnAround(turned);
    for (const char* pass : {"drop-optimizer", "prune-backward", "drop-loss"}) {
        sorted.run(pass);
        turned.run(pass);
        ASSERT_EQ(turned.records.size(), sorted.records.size()) << pass;
        for (std::size_t i = 0; i < sorted.records.size(); ++i) {
            EXPECT_EQ(turned.records[i].erased, sorted.records[i].erased) << pass;
            EXPECT_EQ(turned.records[i].key, sorted.records[i].key) << pass;
            EXPECT_EQ(turned.records[i].nodeReasons, sorted.records[i].nodeReasons) << pass;
        }
    }
    EXPECT_EQ(turned.ops(), Names{"MatMul"});
}

TEST(Pruning, inAnUnsortedFileReadersGoBeforeWhatTheyRead) {
    TrainingGraph g;
    g.chooseLogits();
    turnAround(g);
    g.run("drop-optimizer");
    // The recipe keeps the weight's gradient, so what it reads must not go either.
    g.run("prune-backward", {}, {"prune-backward@dw"});
    EXPECT_EQ(g.ops(), (Names{"Gemm", "SoftmaxCrossEntropyLossGrad", "SoftmaxCrossEntropyLoss", "MatMul"}));
}

TEST(Pruning, aCircleOfDeadNodesGoesInOneRewrite) {
    TrainingGraph g;
    g.chooseLogits();
    const NodeId first = g.node("Add", {g.dw, g.dw}, {"circle.1"});
    const NodeId second = g.node("Neg", {g.model.output(first, 0)}, {"circle.2"});
    g.editor().setInput(first, 1, g.model.output(second, 0));
    const NodeId tail = g.node("Exp", {g.model.output(second, 0)}, {"tail"});
    auto roles = std::make_shared<RoleTable>(*g.environment.roles);
    roles->byNode.resize(g.model.nodeIdCount(), Role::backward);
    roles->gradientOf.resize(g.model.nodeIdCount(), NodeId());
    g.environment.roles = roles;
    g.run("drop-optimizer");
    g.run("prune-backward");
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss"}));
    ASSERT_EQ(g.records.size(), 2U);
    EXPECT_EQ(g.records[0].erased, std::vector{tail});
    EXPECT_EQ(std::set(g.records[1].erased.begin(), g.records[1].erased.end()),
              (std::set{first, second, g.weightGradient, g.gradient}))
        << "with what only the circle reads";
}

TEST(Pruning, aCircleThatSomethingReadsStays) {
    TrainingGraph g;
    g.chooseLogits();
    const NodeId first = g.node("Add", {g.x, g.x}, {"circle.1"});
    const NodeId second = g.node("Neg", {g.model.output(first, 0)}, {"circle.2"});
    g.editor().setInput(first, 1, g.model.output(second, 0));
    const NodeId reader = g.node("Exp", {g.model.output(second, 0)}, {"log"});
    auto roles = std::make_shared<RoleTable>(*g.environment.roles);
    roles->byNode.resize(g.model.nodeIdCount(), Role::recompute);
    roles->byNode[reader.index] = Role::optimizer; // which prune-backward does not take
    roles->gradientOf.resize(g.model.nodeIdCount(), NodeId());
    g.environment.roles = roles;
    const PassOptions options;
    const std::set<std::string> skipped;
    const WorkContext work;
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    ASSERT_TRUE(findPass("prune-backward")->run(context).ok());
    EXPECT_TRUE(g.model.isAlive(first) && g.model.isAlive(second));
    EXPECT_TRUE(brokenInvariants(g.model).empty());
    const auto misses = context.takeMisses();
    EXPECT_TRUE(std::any_of(misses.begin(), misses.end(), [&](const RewriteMiss& miss) {
        return miss.node == second && miss.reason == Reason("prune.miss.still-read", {second, reader});
    }));
}

TEST(DropOptimizer, trainingInfoGoesWithItsGraphs) {
    PassGraph g;
    const ValueId x = g.input("x");
    const ValueId w = g.floats("w", {1, 2, 3, 4});
    g.output(g.add("Mul", {x, w}, "y"));
    const GraphId algorithm = g.editor().createGraph(GraphKind::trainingAlgorithm, g.main);
    const NodeId step = g.node("Neg", {w}, {"w.new"}, {}, "", algorithm);
    g.editor().appendGraphOutput(algorithm, g.model.output(step, 0), "w.new");
    ModelHeader header = g.model.header();
    header.trainingInfos.push_back({GraphId(), algorithm, ""});
    g.editor().setModelHeader(std::move(header));
    g.run("drop-optimizer");
    EXPECT_TRUE(g.model.header().trainingInfos.empty());
    EXPECT_FALSE(g.model.isAlive(step));
    EXPECT_EQ(g.model.useCount(w), 1U);
}

TEST(DropLoss, keptLogProbabilitiesBecomeLogSoftmax) {
    for (const std::int64_t opset : {12, 13, 17}) {
        TrainingGraph g(opset);
        g.output(g.logProbabilities);
        g.environment.targets = {g.logProbabilities};
        for (const char* pass : {"drop-optimizer", "prune-backward", "drop-loss"})
            g.run(pass);
        EXPECT_EQ(g.ops(), (Names{"MatMul", "LogSoftmax"}));
        EXPECT_EQ(g.outputNames(), Names{"log_prob"});
        EXPECT_EQ(g.model.intAttribute(g.model.producer(g.onlyOutput()), "axis", 99), 1);
        EXPECT_EQ(g.environment.targets, std::vector{g.onlyOutput()});
    }
}

TEST(DropLoss, classAxisInTheMiddleBeforeOpset13) {
    PassGraph g(12);
    const ValueId scores = g.input("scores", Type::tensor(ElementType::float32, {2, 3, 5}));
    const ValueId labels = g.input("labels", Type::tensor(ElementType::int64, {2, 5}));
    const NodeId loss = g.node("SoftmaxCrossEntropyLoss", {scores, labels}, {"loss", "log_prob"});
    g.output(g.model.output(loss, 1));
    g.run("drop-loss");
    EXPECT_EQ(g.ops(), (Names{"ReduceLogSumExp", "Sub"}));
}

TEST(DropLoss, theOldVendorLossNormalizesOverTheLastAxis) {
    PassGraph g(17);
    const ValueId scores = g.input("scores", Type::tensor(ElementType::float32, {2, 3, 5}));
    const ValueId labels = g.input("labels", Type::tensor(ElementType::float32, {2, 3, 5}));
    const NodeId loss =
        g.node("SoftmaxCrossEntropy", {scores, labels}, {"loss", "log_prob"}, {}, "com.microsoft");
    g.output(g.model.output(loss, 1));
    g.run("drop-loss");
    EXPECT_EQ(g.ops(), Names{"LogSoftmax"});
    EXPECT_EQ(g.model.intAttribute(g.model.producer(g.onlyOutput()), "axis", 99), 2);
}

TEST(DropLoss, aLossThatIsAnOutputStays) {
    TrainingGraph g;
    g.output(g.loss);
    g.output(g.logProbabilities);
    for (const char* pass : {"drop-optimizer", "prune-backward", "drop-loss"})
        g.run(pass);
    EXPECT_EQ(g.ops(), (Names{"MatMul", "SoftmaxCrossEntropyLoss"}));
}

} // namespace
} // namespace secateur
