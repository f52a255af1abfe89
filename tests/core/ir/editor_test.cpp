// SPDX-License-Identifier: Apache-2.0
#include "core/ir/constants.h"
#include "core/ir/editor.h"
#include "core/ir/journal.h"
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

namespace secateur {
namespace {

/// x -> Relu -> a -> Neg -> y, with y the only output.
struct Chain {
    Model model;
    ValueId x, a, y;
    NodeId relu, neg;

    Chain() {
        Editor editor(model);
        const GraphId main = editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.opsets = {{"", 17, {}}};
        editor.setModelHeader(header);
        x = editor.createValue(main, "x");
        editor.setGraphInputs(main, std::vector{x});
        relu = editor.createNode(main, {"Relu", "", "relu", {x}, {"a"}, {}});
        a = model.output(relu, 0);
        neg = editor.createNode(main, {"Neg", "", "neg", {a}, {"y"}, {}});
        y = model.output(neg, 0);
        editor.appendGraphOutput(main, y, "y");
    }
};

std::vector<Use> usesOf(const Model& model, ValueId value) {
    std::vector<Use> out;
    for (const Use use : model.uses(value))
        out.push_back(use);
    return out;
}

TEST(Editor, buildsAChainInProgramOrder) {
    const Chain chain;
    EXPECT_EQ(chain.model.graph(GraphId(0U)).head, chain.relu);
    EXPECT_TRUE(chain.model.isBefore(chain.relu, chain.neg));
    EXPECT_TRUE(chain.model.isGraphOutput(chain.y));
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_TRUE(findProblems(chain.model).empty());
}

TEST(Editor, replacingAnOutputKeepsItsName) {
    Chain chain;
    Editor(chain.model).replace(chain.y, chain.a);
    const ValueId output = chain.model.graphOutputs(chain.model.mainGraph())[0];
    EXPECT_EQ(output, chain.a);
    EXPECT_EQ(chain.model.name(output), "y");
}

TEST(Editor, replacingAnOutputByAnInputPutsAnIdentity) {
    Chain chain;
    Editor(chain.model).replace(chain.y, chain.x);
    const ValueId output = chain.model.graphOutputs(chain.model.mainGraph())[0];
    EXPECT_TRUE(chain.model.isOp(chain.model.producer(output), "Identity"));
    EXPECT_EQ(chain.model.name(output), "y");
    EXPECT_NE(chain.model.name(chain.y), "y");
    EXPECT_TRUE(findProblems(chain.model).empty());
}

TEST(Editor, aValueInTwoOutputSlotsTakesOneNameAndGetsAnIdentityForTheOther) {
    Chain chain;
    Editor editor(chain.model);
    const NodeId copy =
        editor.createNode(chain.model.mainGraph(), {"Identity", "", "", {chain.y}, {"z"}, {}});
    editor.appendGraphOutput(chain.model.mainGraph(), chain.model.output(copy, 0), "z");
    EXPECT_TRUE(editor.replace(chain.model.output(copy, 0), chain.y));
    const auto outputs = chain.model.graphOutputs(chain.model.mainGraph());
    EXPECT_EQ(outputs[0], chain.y);
    EXPECT_EQ(chain.model.name(outputs[1]), "z");
    EXPECT_TRUE(chain.model.isOp(chain.model.producer(outputs[1]), "Identity"));
}

TEST(Editor, anOutputThatIsListedTwiceStaysOneValue) {
    for (const bool isByInput : {true, false}) {
        Chain chain;
        Editor editor(chain.model);
        editor.appendGraphOutput(chain.model.mainGraph(), chain.y, "y");
        EXPECT_TRUE(editor.replace(chain.y, isByInput ? chain.x : chain.a));
        const auto outputs = chain.model.graphOutputs(chain.model.mainGraph());
        ASSERT_EQ(outputs.size(), 2U);
        EXPECT_EQ(outputs[0], outputs[1]);
        EXPECT_EQ(chain.model.name(outputs[0]), "y");
    }
}

TEST(Editor, anOutputThatIsItsGraphsInputStays) {
    Chain chain;
    Editor editor(chain.model);
    editor.appendGraphOutput(chain.model.mainGraph(), chain.x, "x");
    EXPECT_FALSE(editor.replace(chain.x, chain.a));
    EXPECT_EQ(chain.model.graphOutputs(chain.model.mainGraph())[1], chain.x);
}

TEST(Editor, aNodeThatTakesAResultLeavesReadersNameAndTypeAlone) {
    Chain chain;
    Editor editor(chain.model);
    const auto uses = usesOf(chain.model, chain.a);
    const JournalMark mark = chain.model.journal().mark();
    const std::uint64_t hash = exactHash(chain.model);
    const NodeId abs =
        editor.createNode(chain.model.mainGraph(), {"Abs", "", "", {chain.x}, {"b"}, {}}, chain.relu);
    const ValueId b = chain.model.output(abs, 0);
    const NodeId reader =
        editor.createNode(chain.model.mainGraph(), {"Exp", "", "", {b}, {"c"}, {}}, chain.neg);
    editor.takeResult(abs, 0, chain.a);
    editor.eraseNode(chain.relu);
    EXPECT_EQ(chain.model.producer(chain.a), abs);
    EXPECT_EQ(chain.model.name(chain.a), "a");
    EXPECT_EQ(chain.model.input(chain.neg, 0), chain.a);
    EXPECT_EQ(chain.model.input(reader, 0), chain.a) << "what read the result that went reads the value";
    EXPECT_FALSE(chain.model.isAlive(b));
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_TRUE(findProblems(chain.model).empty());
    const std::uint64_t after = exactHash(chain.model);
    EditLog log = Journal::unwind(chain.model, mark);
    EXPECT_EQ(exactHash(chain.model), hash);
    EXPECT_EQ(usesOf(chain.model, chain.a), uses);
    Journal::reapply(chain.model, std::move(log));
    EXPECT_EQ(exactHash(chain.model), after);
}

TEST(Editor, aResultCanBeTakenIntoASlotThatTheNodeDidNotHave) {
    Chain chain;
    Editor editor(chain.model);
    const NodeId split =
        editor.createNode(chain.model.mainGraph(), {"Split", "", "", {chain.x}, {"b"}, {}}, chain.relu);
    editor.takeResult(split, 2, chain.a);
    EXPECT_EQ(chain.model.outputs(split).size(), 3U);
    EXPECT_TRUE(chain.model.output(split, 1).isNone());
    EXPECT_EQ(chain.model.value(chain.a).resultIndex, 2U);
    EXPECT_FALSE(brokenInvariants(chain.model).empty()) << "two nodes cannot make one value";
    editor.eraseNode(chain.relu);
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_EQ(chain.model.output(chain.relu, 0), chain.a) << "an erased node says what it once made";
    EXPECT_TRUE(chain.model.isAlive(chain.a));
}

TEST(Editor, nodesThatReadEachOtherAreErasedTogether) {
    Chain chain;
    Editor editor(chain.model);
    const GraphId main = chain.model.mainGraph();
    const NodeId first = editor.createNode(main, {"Add", "", "", {chain.a, chain.a}, {"p"}, {}});
    const GraphId body = editor.createGraph(GraphKind::subgraph, main);
    Attribute then;
    then.name = "then_branch";
    then.type = AttributeType::graph;
    then.value = body;
    const NodeId second = editor.createNode(main, {"If", "", "", {chain.x}, {"q"}, {then}});
    editor.setGraphParent(body, main, second);
    const NodeId inner = editor.createNode(body, {"Neg", "", "", {chain.model.output(first, 0)}, {"r"}, {}});
    editor.appendGraphOutput(body, chain.model.output(inner, 0), "r");
    editor.setInput(first, 1, chain.model.output(second, 0));
    const std::uint64_t hash = exactHash(chain.model);
    const JournalMark mark = chain.model.journal().mark();
    editor.eraseNodes(std::vector{first, second});
    EXPECT_FALSE(chain.model.isAlive(first) || chain.model.isAlive(second) || chain.model.isAlive(inner));
    EXPECT_EQ(chain.model.useCount(chain.a), 1U);
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_TRUE(findProblems(chain.model).empty());
    Journal::unwind(chain.model, mark);
    EXPECT_EQ(exactHash(chain.model), hash);
}

TEST(Editor, anIdentityForAnOutputOfABodyShadowsNoOuterName) {
    Chain chain;
    Editor editor(chain.model);
    const GraphId main = chain.model.mainGraph();
    const NodeId branch = editor.createNode(main, {"If", "", "", {chain.x}, {"z"}, {}}, chain.neg);
    const GraphId body = editor.createGraph(GraphKind::subgraph, main);
    editor.setGraphParent(body, main, branch);
    Attribute then;
    then.name = "then_branch";
    then.type = AttributeType::graph;
    then.value = body;
    editor.setAttributes(branch, {then});
    // A body may hand an outer value on: its output slot then has the name of that value.
    editor.appendGraphOutput(body, chain.a, "a");
    ASSERT_TRUE(findProblems(chain.model).empty());
    EXPECT_TRUE(editor.replace(chain.a, chain.x));
    const ValueId output = chain.model.graphOutputs(body)[0];
    EXPECT_TRUE(chain.model.isOp(chain.model.producer(output), "Identity"));
    EXPECT_EQ(chain.model.value(output).graph, body);
    EXPECT_NE(chain.model.name(output), "a") << "`a` is still the name of a value of the main graph";
    EXPECT_EQ(chain.model.text((*chain.model.graph(body).outputs)[0].name), chain.model.name(output));
    EXPECT_EQ(chain.model.name(chain.a), "a");
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
    EXPECT_TRUE(findProblems(chain.model).empty());
}

TEST(Journal, unwindingRestoresUseOrderAndHash) {
    Chain chain;
    Editor editor(chain.model);
    const NodeId second = editor.createNode(chain.model.mainGraph(), {"Abs", "", "", {chain.a}, {"b"}, {}});
    const std::uint64_t hash = exactHash(chain.model);
    const auto uses = usesOf(chain.model, chain.a);
    const JournalMark mark = chain.model.journal().mark();
    editor.setInput(chain.neg, 0, chain.x);
    editor.eraseNode(second);
    EditLog log = Journal::unwind(chain.model, mark);
    EXPECT_EQ(usesOf(chain.model, chain.a), uses);
    EXPECT_EQ(exactHash(chain.model), hash);
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
}

TEST(Journal, editsOfACloneReplayOnTheOriginalWithTheSameIds) {
    Chain chain;
    Model clone = chain.model.clone();
    Editor editor(clone);
    const NodeId made =
        editor.createNode(clone.mainGraph(), {"Sigmoid", "", "new name", {chain.a}, {"s"}, {}});
    editor.replace(chain.y, clone.output(made, 0));
    editor.eraseNode(chain.neg);
    const std::uint64_t hash = exactHash(clone);
    Journal::reapply(chain.model, Journal::unwind(clone, JournalMark{}));
    EXPECT_EQ(exactHash(chain.model), hash);
    EXPECT_EQ(chain.model.name(made), "new name");
}

static_assert(!std::is_copy_constructible_v<EditLog> && std::is_nothrow_move_constructible_v<EditLog>);

/// What the loader notes besides nodes and values is part of the file, and so of the journal and the hash.
TEST(Journal, takesBackAndRepeatsWhatTheLoaderNotes) {
    Chain chain;
    Editor editor(chain.model);
    const GraphId main = chain.model.mainGraph();
    const ValueId value = editor.createValue(main, "v");
    editor.setTensor(value, makeFloatTensor({1}, {1}));
    ValueInfo info;
    editor.setInfo(value, std::make_shared<const ValueInfo>(info));
    info.isListed = true;
    const std::vector<std::function<void()>> edits{
        [&] { editor.setPresence(chain.relu, 1); },
        [&] { editor.listValueInfo(main, value); },
        [&] { editor.listSparseInitializer(main, value); },
        [&] { editor.setInfo(value, std::make_shared<const ValueInfo>(info)); },
    };
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const JournalMark mark = chain.model.journal().mark();
        const std::uint64_t before = exactHash(chain.model);
        edits[i]();
        const std::uint64_t after = exactHash(chain.model);
        EXPECT_NE(after, before) << "edit " << i << " does not show";
        EditLog log = Journal::unwind(chain.model, mark);
        EXPECT_EQ(exactHash(chain.model), before) << "edit " << i;
        Journal::reapply(chain.model, std::move(log));
        EXPECT_EQ(exactHash(chain.model), after) << "edit " << i;
    }
}

TEST(Editor, freshNamesDoNotDependOnWhatWasUndone) {
    Chain chain;
    const JournalMark mark = chain.model.journal().mark();
    const auto make = [&] {
        Editor editor(chain.model);
        const std::string name = editor.freshName("a");
        editor.createValue(chain.model.mainGraph(), name);
        return name;
    };
    const std::string first = make();
    Journal::unwind(chain.model, mark);
    EXPECT_EQ(make(), first);
    EXPECT_EQ(first, "a_1");
}

TEST(Editor, freshNamesCountOnWhereTheyStopped) {
    Chain chain;
    Editor editor(chain.model);
    const GraphId main = chain.model.mainGraph();
    EXPECT_EQ(editor.freshName("a"), "a_1");
    EXPECT_EQ(editor.freshName("a"), "a_1") << "nobody has taken it";
    editor.createValue(main, "a_1");
    editor.createValue(main, "a_3");
    EXPECT_EQ(editor.freshName("a"), "a_2");
    editor.createValue(main, "a_2");
    EXPECT_EQ(editor.freshName("a"), "a_4");
    EXPECT_EQ(editor.freshName("a_1"), "a_1_1") << "each stem has numbers of its own";
    // 100,000 names of one stem: from 1 each time, these would be five billion looks.
    for (int i = 4; i < 100'000; ++i)
        editor.createValue(main, editor.freshName("a"));
    EXPECT_EQ(editor.freshName("a"), "a_100000");
}

TEST(Editor, parametersBecomeInitializersWhenTheirInputGoes) {
    Chain chain;
    Editor editor(chain.model);
    editor.setTensor(chain.x, makeFloatTensor({1}, {2.0F}));
    editor.setGraphInputs(chain.model.mainGraph(), {});
    EXPECT_TRUE(chain.model.isAlive(chain.x));
    EXPECT_FALSE(chain.model.isGraphInput(chain.x));
    EXPECT_EQ(constantScalar(chain.model, chain.x), 2.0);
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
}

TEST(Editor, erasingAControlFlowNodeReleasesWhatItsBodiesCapture) {
    Chain chain;
    Editor editor(chain.model);
    const GraphId main = chain.model.mainGraph();
    const GraphId body = editor.createGraph(GraphKind::subgraph, main);
    const NodeId inner = editor.createNode(body, {"Neg", "", "", {chain.a}, {"r"}, {}});
    editor.appendGraphOutput(body, chain.model.output(inner, 0), "r");
    Attribute branch;
    branch.name = "then_branch";
    branch.type = AttributeType::graph;
    branch.value = body;
    const NodeId branching = editor.createNode(main, {"If", "", "", {chain.x}, {"i"}, {branch}});
    editor.setGraphParent(body, main, branching);
    EXPECT_EQ(capturesOf(chain.model, branching), std::vector{chain.a});
    EXPECT_EQ(countNodes(chain.model), 4U);
    editor.eraseNode(branching);
    EXPECT_EQ(chain.model.useCount(chain.a), 1U);
    EXPECT_TRUE(brokenInvariants(chain.model).empty());
}

TEST(Hash, structuralHashIgnoresNamesAndSeesOperators) {
    Chain chain;
    const std::uint64_t before = structuralHash(chain.model);
    Editor editor(chain.model);
    editor.setNodeName(chain.relu, "other");
    editor.rename(chain.a, "renamed");
    EXPECT_EQ(structuralHash(chain.model), before);
    editor.setOperator(chain.relu, "Abs");
    EXPECT_NE(structuralHash(chain.model), before);
}

} // namespace
} // namespace secateur
