// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"

#include "core/ir/editor.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

struct TwoNodes {
    TwoNodes() {
        Editor editor(model);
        editor.createGraph(GraphKind::main);
        const ValueId x = editor.createValue(model.mainGraph(), "x");
        editor.setGraphInputs(model.mainGraph(), std::span(&x, 1));
        named = editor.createNode(model.mainGraph(), {"MatMul", "", "mm", {x, x}, {"y"}, {}});
        unnamed =
            editor.createNode(model.mainGraph(), {"Split", "", "", {model.output(named, 0)}, {"a", ""}, {}});
        nameless =
            editor.createNode(model.mainGraph(), {"Relu", "", "", {model.output(unnamed, 0)}, {"r"}, {}});
        editor.rename(model.output(nameless, 0), "");
    }
    Model model;
    NodeId named, unnamed, nameless;
};

TEST(Messages, nodesAreCalledByNameElseByFirstResult) {
    const TwoNodes g;
    EXPECT_EQ(nodeText(g.model, g.named), "MatMul `mm`");
    EXPECT_EQ(nodeText(g.model, g.unnamed), "Split making `a`");
    EXPECT_EQ(nodeText(g.model, g.nameless), "Relu #" + std::to_string(g.nameless.index));
    EXPECT_EQ(nodeText(g.model, g.model.graph(g.model.mainGraph()).entry), "the inputs");
}

TEST(Messages, valuesAreCalledByNameElseByTheirProducer) {
    const TwoNodes g;
    EXPECT_EQ(valueText(g.model, g.model.output(g.named, 0)), "`y`");
    EXPECT_EQ(valueText(g.model, g.model.output(g.nameless, 0)),
              "result 1 of " + nodeText(g.model, g.nameless));
    EXPECT_EQ(valueText(g.model, ValueId()), "nothing (omitted)");
}

TEST(Messages, argumentsAreWrittenByTheirType) {
    const TwoNodes g;
    EXPECT_EQ(argumentText(std::int64_t{1234567}, g.model), "1,234,567");
    EXPECT_EQ(argumentText(std::int64_t{-1234}, g.model), "-1,234");
    EXPECT_EQ(argumentText(0.5, g.model), "0.5");
    EXPECT_EQ(argumentText(std::string("as it is"), g.model), "as it is");
    EXPECT_EQ(argumentText(g.named, g.model), "MatMul `mm`");
}

TEST(Messages, placesAreFilledInAnyOrderAndCountsChooseTheWord) {
    EXPECT_EQ(formatMessage("text.result-of", {"1", "Split `s`"}), "result 1 of Split `s`");
    EXPECT_EQ(formatMessage("text.nodes", {"1"}), "1 node");
    EXPECT_EQ(formatMessage("text.nodes", {"-1"}), "-1 node") << "a change of minus one";
    EXPECT_EQ(formatMessage("text.nodes", {"-2"}), "-2 nodes");
    EXPECT_EQ(formatMessage("text.nodes", {"1,523"}), "1,523 nodes");
}

TEST(Messages, aPlaceWithoutAnArgumentStaysVisible) {
    EXPECT_EQ(formatMessage("text.result-of", {"1"}), "result 1 of {1}");
}

TEST(Messages, anUnknownIdIsShownInBrackets) {
    EXPECT_FALSE(hasMessage("no.such-sentence"));
    EXPECT_EQ(message("no.such-sentence"), "[no.such-sentence]");
}

} // namespace
} // namespace secateur
