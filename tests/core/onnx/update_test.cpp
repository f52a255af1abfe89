// SPDX-License-Identifier: Apache-2.0
#include "core/ir/journal.h"
#include "core/ir/walk.h"
#include "core/onnx/load.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <random>

namespace secateur {
namespace {

using E = ElementType;

/// All differences between a table that was updated and one that is inferred anew from the same model.
std::vector<std::string> differences(const Model& model, const TypeTable& updated) {
    TypeTable fresh;
    fresh.inferAll(model);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (!model.isAlive(value)) continue;
        if (!(updated.type(value) == fresh.type(value)) ||
            updated.isDeclared(value) != fresh.isDeclared(value) ||
            updated.elements(value) != fresh.elements(value)) {
            out.push_back(std::string(model.name(value)) + ": updated " + updated.type(value).text() +
                          ", anew " + fresh.type(value).text());
        }
    }
    if (updated.problems().size() != fresh.problems().size()) {
        out.push_back(std::to_string(updated.problems().size()) + " problems, anew " +
                      std::to_string(fresh.problems().size()));
    }
    return out;
}

/// Random rewrites that leave a sorted graph, a few of which change types.
class RandomRewrites {
  public:
    explicit RandomRewrites(Model& model, unsigned seed) : m_model(model), m_editor(model), m_random(seed) {}

    void run(int count) {
        for (int i = 0; i < count; ++i)
            one();
    }

  private:
    NodeId anyNode() {
        const auto all = nodesWithin(m_model, m_model.mainGraph());
        return all.empty() ? NodeId() : all[m_random() % all.size()];
    }

    void one() {
        const NodeId node = anyNode();
        if (node.isNone()) return;
        const ValueId input = m_model.input(node, 0), output = m_model.output(node, 0);
        switch (m_random() % 5) {
        case 0: // a node in between
            if (!input.isNone()) {
                const GraphId graph = m_model.node(node).graph;
                const NodeId made = m_editor.createNode(
                    graph, {"Neg", "", "", {input}, {m_editor.freshName("between")}, {}}, node);
                m_editor.setInput(node, 0, m_model.output(made, 0));
            }
            return;
        case 1: // past a node
            if (!input.isNone() && !output.isNone() &&
                m_model.value(input).graph == m_model.value(output).graph) {
                (void)m_editor.replace(output, input);
            }
            return;
        case 2: // a dead node goes
            if (!output.isNone() && !m_model.hasUses(output) && m_model.outputs(node).size() == 1)
                m_editor.eraseNode(node);
            return;
        case 3: // another operator
            if (m_model.isOp(node, "Relu") || m_model.isOp(node, "Neg"))
                m_editor.setOperator(node, "Shape");
            else if (m_model.isOp(node, "Shape"))
                m_editor.setOperator(node, "Neg");
            return;
        default: // another constant
            for (const ValueId value : m_model.inputs(node)) {
                if (value.isNone() || !m_model.isInitializer(value)) continue;
                m_editor.setTensor(value, makeInt64Tensor({2}, {std::int64_t(m_random() % 4), 3}));
                return;
            }
            return;
        }
    }

    Model& m_model;
    Editor m_editor;
    std::mt19937 m_random;
};

void expectUpdatesEqualFullRuns(Model model, unsigned seed, int rounds, int edits) {
    TypeTable types;
    types.inferAll(model);
    const JournalMark start = model.journal().mark();
    RandomRewrites rewrites(model, seed);
    for (int round = 0; round < rounds; ++round) {
        const JournalMark mark = model.journal().mark();
        rewrites.run(edits);
        types.update(model, model.journal().editsSince(mark));
        const auto found = differences(model, types);
        ASSERT_TRUE(found.empty()) << "round " << round << ", seed " << seed << ": " << found.size() << ", "
                                   << found.front();
    }
    // And back again, as undo does it.
    const auto all = model.journal().editsSince(start);
    const std::vector<Edit> taken(all.begin(), all.end());
    (void)Journal::unwind(model, start);
    types.update(model, taken);
    const auto found = differences(model, types);
    EXPECT_TRUE(found.empty()) << "taken back, seed " << seed << ": " << found.front();
}

/// Shapes that are computed, a Loop and an If with bodies that read from outside.
Model mixedModel() {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {"N", 6});
    ValueId a = m.node("Relu", {x});
    const ValueId shape = m.node("Shape", {a});
    const ValueId n = m.node("Gather", {shape, m.integers("zero", {0})});
    const ValueId target =
        m.node("Concat", {n, m.integers("rest", {2, 3})}, {Attribute::of("axis", std::int64_t(0))});
    const ValueId cube = m.node("Reshape", {a, target});
    const ValueId condition = m.input("condition", E::boolean, {});
    std::vector<GraphId> bodies;
    for (int i = 0; i < 2; ++i) {
        bodies.push_back(m.open());
        m.output(m.node("Reshape", {cube, m.node("Neg", {m.node("Neg", {m.integers("flat", {-1, 3})})})}));
        m.close();
    }
    const ValueId chosen =
        m.node("If", {condition},
               {bodyAttribute("then_branch", bodies[0]), bodyAttribute("else_branch", bodies[1])});
    const GraphId body = m.open();
    m.input("i", E::int64, {});
    const ValueId goOn = m.input("go_on", E::boolean, {});
    const ValueId state = m.input("state", E::float32, {"?", 3});
    m.output(m.node("Identity", {goOn}));
    m.output(m.node("Add", {state, chosen}));
    m.output(m.node("Relu", {m.node("Neg", {cube})}));
    m.close();
    const NodeId loop = m.nodes("Loop", {m.input("count", E::int64, {}), ValueId(), chosen},
                                {"final", "scan"}, {bodyAttribute("body", body)});
    m.output(m.node("Neg", {m.model.output(loop, 0)}));
    m.output(m.model.output(loop, 1));
    return std::move(m.model);
}

TEST(TypeUpdate, equalsAFullRunAfterRandomEdits) {
    for (unsigned seed = 1; seed <= 40; ++seed)
        expectUpdatesEqualFullRuns(mixedModel(), seed, 8, 3);
}

TEST(TypeUpdate, equalsAFullRunOnARealModel) {
    for (const char* name : {"transformer", "cnn", "lstm"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
        auto loaded = loadModel(path);
        ASSERT_TRUE(loaded);
        expectUpdatesEqualFullRuns(std::move(loaded->model), 7, 10, 5);
    }
}

TEST(TypeUpdate, visitsTheConeOnly) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {4});
    ValueId left = x, right = x;
    std::vector<ValueId> chain;
    for (int i = 0; i < 100; ++i) {
        left = m.node("Relu", {left});
        right = m.node("Neg", {right});
        chain.push_back(right);
    }
    m.output(left);
    m.output(right);
    TypeTable types;
    types.inferAll(m.model);
    const std::uint64_t before = types.visits();
    const JournalMark mark = m.model.journal().mark();
    m.editor.setOperator(m.model.producer(chain[90]), "Shape");
    types.update(m.model, m.model.journal().editsSince(mark));
    EXPECT_EQ(types.type(right).text(), "int64[1]");
    EXPECT_EQ(types.visits() - before, 10U);
    // A rename, or a constant of the same meaning elsewhere, visits nothing behind it.
    const JournalMark second = m.model.journal().mark();
    m.editor.rename(chain[0], "renamed");
    types.update(m.model, m.model.journal().editsSince(second));
    EXPECT_EQ(types.visits() - before, 10U);
}

TEST(TypeUpdate, aCopyOfATableIsIndependent) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {4});
    const ValueId y = m.node("Relu", {x});
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    const TypeTable copy = types;
    const JournalMark mark = m.model.journal().mark();
    m.editor.setOperator(m.model.producer(y), "Shape");
    types.update(m.model, m.model.journal().editsSince(mark));
    EXPECT_EQ(types.type(y).text(), "int64[1]");
    EXPECT_EQ(copy.type(y).text(), "float[4]");
}

} // namespace
} // namespace secateur
