// SPDX-License-Identifier: Apache-2.0
#include "core/ir/editor.h"
#include "core/ir/journal.h"
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"

#include <gtest/gtest.h>

#include <random>

namespace secateur {
namespace {

/// Random but legal edits on a random graph; the laws of the journal must hold after any sequence of them.
class RandomEdits {
  public:
    explicit RandomEdits(unsigned seed) : m_random(seed) {
        Editor editor(model);
        const GraphId main = editor.createGraph(GraphKind::main);
        for (const char* name : {"x", "w", "label"})
            m_values.push_back(editor.createValue(main, name));
        editor.setGraphInputs(main, m_values);
        for (int i = 0; i < 30; ++i)
            addNode(editor);
        editor.appendGraphOutput(main, m_values.back(), std::string(model.name(m_values.back())));
    }

    void step() {
        Editor editor(model);
        switch (pick(9)) {
        case 0: addNode(editor); break;
        case 1: rewire(editor); break;
        case 2: eraseSomething(editor); break;
        case 3: editor.rename(anyLiving(), editor.freshName("renamed")); break;
        case 4: editor.replace(anyLiving(), anyLiving()); break;
        case 5:
            editor.createInitializer(model.mainGraph(), editor.freshName("c"), makeFloatTensor({1}, {1.0F}));
            break;
        case 6: moveSomething(editor); break;
        case 7: takeOver(editor); break;
        default: changeNode(editor); break;
        }
    }

    Model model;

  private:
    std::size_t pick(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random);
    }
    NodeId anyNode() {
        const auto nodes = nodesWithin(model, model.mainGraph());
        return nodes.empty() ? NodeId() : nodes[pick(nodes.size())];
    }
    ValueId anyLiving() {
        ValueId id;
        do
            id = ValueId(pick(model.valueIdCount()));
        while (!model.isAlive(id));
        return id;
    }
    void addNode(Editor& editor) {
        const NodeId node = editor.createNode(
            model.mainGraph(), {"Add", "", "", {m_values[0], m_values[1]}, {editor.freshName("v"), ""}, {}});
        for (std::size_t slot = 0; slot < 2; ++slot)
            editor.setInput(node, slot, anyLiving());
        m_values.push_back(model.output(node, 0));
    }
    void rewire(Editor& editor) {
        const NodeId node = anyNode();
        if (!node.isNone()) editor.setInput(node, pick(4), pick(5) == 0 ? ValueId() : anyLiving());
    }
    void eraseSomething(Editor& editor) {
        const NodeId node = anyNode();
        if (node.isNone()) return;
        for (const ValueId result : model.outputs(node)) {
            if (!result.isNone() && model.hasUses(result)) return;
        }
        editor.eraseNode(node);
    }
    void moveSomething(Editor& editor) {
        const NodeId node = anyNode();
        if (!node.isNone()) editor.moveNode(node, model.mainGraph(), anyNode());
    }
    /// A new node makes what another one made.
    void takeOver(Editor& editor) {
        const NodeId node = anyNode();
        if (node.isNone() || model.output(node, 0).isNone()) return;
        const ValueId value = model.output(node, 0);
        const NodeId made = editor.createNode(
            model.mainGraph(), {"Max", "", "", {anyLiving()}, {editor.freshName("t")}, {}}, node);
        editor.takeResult(made, pick(3), value);
        const auto listed = model.outputs(node);
        const std::vector<ValueId> results(listed.begin(), listed.end());
        for (std::size_t slot = 0; slot < results.size(); ++slot) {
            const ValueId other = results[slot];
            if (!other.isNone() && model.producer(other) == node && model.hasUses(other))
                editor.takeResult(made, 3 + slot, other);
        }
        editor.eraseNode(node);
    }
    void changeNode(Editor& editor) {
        const NodeId node = anyNode();
        if (node.isNone()) return;
        editor.setAttribute(node, Attribute::of("axis", static_cast<std::int64_t>(pick(9))));
        editor.setOperator(node, "Op" + std::to_string(pick(9)), "custom");
    }

    std::mt19937 m_random;
    std::vector<ValueId> m_values;
};

class JournalLaws : public testing::TestWithParam<unsigned> {};

TEST_P(JournalLaws, undoRestoresAndRedoRepeatsExactly) {
    RandomEdits random(GetParam());
    std::vector<JournalMark> marks;
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 60; ++i) {
        marks.push_back(random.model.journal().mark());
        hashes.push_back(exactHash(random.model));
        random.step();
        ASSERT_TRUE(brokenInvariants(random.model).empty()) << brokenInvariants(random.model).front();
    }
    const std::uint64_t last = exactHash(random.model);
    for (const std::size_t at : {59U, 31U, 0U}) {
        EditLog log = Journal::unwind(random.model, marks[at]);
        EXPECT_EQ(exactHash(random.model), hashes[at]);
        EXPECT_TRUE(brokenInvariants(random.model).empty());
        Journal::reapply(random.model, std::move(log));
        EXPECT_EQ(exactHash(random.model), last);
        EXPECT_TRUE(brokenInvariants(random.model).empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JournalLaws, testing::Range(1U, 41U));

TEST(Journal, undoOfALargeStepIsLinear) {
    Model model;
    Editor editor(model);
    const GraphId main = editor.createGraph(GraphKind::main);
    ValueId last = editor.createValue(main, "x");
    editor.setGraphInputs(main, std::vector{last});
    for (int i = 0; i < 100000; ++i) {
        last =
            model.output(editor.createNode(main, {"Relu", "", "", {last}, {"v" + std::to_string(i)}, {}}), 0);
    }
    const JournalMark mark = model.journal().mark();
    for (NodeId at = model.graph(main).tail; !at.isNone(); at = model.graph(main).tail)
        editor.eraseNode(at);
    const std::size_t edits = model.journal().editsSince(mark).size();
    EXPECT_EQ(edits, 300000U); // per node: the operand, the result, the link
    Journal::unwind(model, mark);
    EXPECT_EQ(model.graph(main).nodeCount, 100000U);
}

} // namespace
} // namespace secateur
