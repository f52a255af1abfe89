// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;

/// A context over a small graph: x -> Neg -> a -> Relu -> y.
struct ContextTest : ::testing::Test {
    PassGraph g;
    ValueId x = g.input("x");
    NodeId neg = g.node("Neg", {x}, {"a"});
    NodeId relu = g.node("Relu", {g.model.output(neg, 0)}, {"y"});
    PassOptions options;
    std::set<std::string> skipped;
    WorkContext work;

    ContextTest() {
        g.output(g.model.output(relu, 0));
        g.inferTypes();
    }

    static RewriteRecord request(NodeId root, std::string rule = "test") {
        RewriteRecord record;
        record.rule = std::move(rule);
        record.root = root;
        return record;
    }
};

TEST_F(ContextTest, aRefusedRewriteLeavesNoTrace) {
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    const std::uint64_t before = exactHash(g.model);
    const bool isDone = context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
        editor.replace(g.model.output(neg, 0), x);
        editor.eraseNode(neg);
        return Reason("rewrite.miss.output-is-input", {x});
    });
    EXPECT_FALSE(isDone);
    EXPECT_EQ(exactHash(g.model), before);
    EXPECT_TRUE(context.takeRecords().empty());
    const auto misses = context.takeMisses();
    ASSERT_EQ(misses.size(), 1U) << "but it is told, with its reason";
    EXPECT_EQ(misses[0].rule, "test");
    EXPECT_EQ(misses[0].node, neg);
    EXPECT_EQ(misses[0].reason, Reason("rewrite.miss.output-is-input", {x}));
}

/// x -> Abs -> b, in front of Relu.
ValueId addAbs(PassGraph& g, Editor& editor, ValueId x, NodeId relu) {
    return g.model.output(editor.createNode(g.main, {"Abs", "", "", {x}, {editor.freshName("b")}, {}}, relu),
                          0);
}

TEST_F(ContextTest, typesThatSawARefusedRewriteForgetIt) {
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    ValueId refused, kept;
    context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
        refused = addAbs(g, editor, x, relu);
        EXPECT_EQ(context.types().type(refused).element, ElementType::float32) << "asked in the midst of it";
        return Reason("rewrite.miss.output-is-input", {x});
    });
    context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
        const NodeId cast = editor.createNode(
            g.main, {"Cast", "", "", {x}, {"b"}, {Attribute::of("to", std::int64_t{7})}}, relu);
        kept = g.model.output(cast, 0);
        return kDone;
    });
    ASSERT_EQ(refused, kept) << "the id was free again";
    EXPECT_EQ(g.types.upToDate(g.model).type(kept).element, ElementType::int64);
    TypeTable fresh;
    fresh.inferAll(g.model);
    for (std::size_t i = 0; i < g.model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (!g.model.isAlive(value)) continue;
        EXPECT_EQ(g.types.asLeft().type(value), fresh.type(value)) << g.model.name(value);
    }
}

TEST_F(ContextTest, typesThatNobodyAsksForAreNotInferred) {
    const std::uint64_t visits = g.types.asLeft().visits();
    {
        PassContext context(g.model, g.types, g.environment, options, skipped, work);
        context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
            addAbs(g, editor, x, relu);
            return kDone;
        });
    }
    EXPECT_EQ(g.types.asLeft().visits(), visits);
    PassContext asks(g.model, g.types, g.environment, options, skipped, work);
    EXPECT_GT(asks.types().visits(), visits);
    const std::uint64_t once = asks.types().visits();
    EXPECT_EQ(asks.types().visits(), once) << "a pass asks for them once";
}

TEST_F(ContextTest, aRewriteWithoutEditsIsNone) {
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    EXPECT_FALSE(context.rewrite(request(neg), [](Editor&, RewriteRecord&) { return kDone; }));
    EXPECT_TRUE(context.takeRecords().empty());
}

TEST_F(ContextTest, createdAndErasedAreReadOffTheJournal) {
    const ValueId spare = g.floats("spare", {1});
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    NodeId made;
    EXPECT_TRUE(context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
        made = editor.createNode(g.main, {"Abs", "", "", {x}, {"b"}, {}}, relu);
        const NodeId passing = editor.createNode(g.main, {"Abs", "", "", {x}, {"c"}, {}}, relu);
        editor.eraseNode(passing);
        editor.moveNode(relu, g.main); // moved is neither made nor gone
        editor.replace(g.model.output(neg, 0), g.model.output(made, 0));
        editor.eraseNode(neg);
        editor.eraseValue(spare);
        return kDone;
    }));
    const auto records = context.takeRecords();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].created, std::vector{made});
    EXPECT_EQ(records[0].erased, std::vector{neg});
    EXPECT_EQ(records[0].erasedValues, std::vector{spare}) << "results go with their nodes";
    EXPECT_LT(records[0].begin, records[0].end);
}

TEST_F(ContextTest, keysCountTheOccurrencesOfARoot) {
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    for (int i = 0; i < 2; ++i) {
        context.rewrite(request(neg), [&](Editor& editor, RewriteRecord&) {
            editor.setNodeName(neg, "n" + std::to_string(i));
            return kDone;
        });
    }
    const auto records = context.takeRecords();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].key, "test@a");
    EXPECT_EQ(records[1].key, "test@a#1");
}

TEST_F(ContextTest, keysInABodyNameItsPath) {
    const GraphId body = g.editor().createGraph(GraphKind::subgraph, g.main);
    const NodeId inner = g.node("Neg", {x}, {"inner"}, {}, "", body);
    g.editor().appendGraphOutput(body, g.model.output(inner, 0), "inner");
    Attribute attribute;
    attribute.name = "then_branch";
    attribute.type = AttributeType::graph;
    attribute.value = body;
    const NodeId holder = g.node("If", {x}, {"h"}, {attribute});
    g.editor().setGraphParent(body, g.main, holder);
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    context.rewrite(request(inner), [&](Editor& editor, RewriteRecord&) {
        editor.setNodeName(inner, "n");
        return kDone;
    });
    EXPECT_EQ(context.takeRecords().front().key, "test@h/then_branch/inner");
}

TEST_F(ContextTest, anOptionHasItsDefault) {
    const PassInfo& info = findPass("freeze-batch-norm")->info();
    PassContext plain(g.model, g.types, g.environment, options, skipped, work);
    EXPECT_EQ(plain.option(info, "batch-norm"), "ask");
    options["batch-norm"] = "running";
    PassContext given(g.model, g.types, g.environment, options, skipped, work);
    EXPECT_EQ(given.option(info, "batch-norm"), "running");
}

TEST(Registry, thePipelineIsAllConversionPassesInOrder) {
    const std::vector<std::string> expected{
        "choose-targets",     "drop-optimizer",      "prune-backward",       "drop-loss",
        "attach-weights",     "bypass-dropout",      "bypass-drop-path",     "freeze-batch-norm",
        "standard-operators", "drop-training-state", "strip-exporter-traces"};
    EXPECT_EQ(conversionPipeline(), expected);
    EXPECT_EQ(findPass("no-such-pass"), nullptr);
    for (const std::string& id : expected)
        EXPECT_EQ(findPass(id)->info().id, id);
}

} // namespace
} // namespace secateur
