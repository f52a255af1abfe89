// SPDX-License-Identifier: Apache-2.0
#include "core/picture/breadcrumbs.h"

#include "tests/core/picture/history_fixture.h"

namespace secateur {
namespace {

constexpr std::string_view kNested = R"(
<ir_version: 8, opset_import: ["": 17, "own": 1]>
g (float[2] x, bool c) => (float[2] y)
{
  [choice] a = If (c) <then_branch = yes () => (float[2] t) { [up] t = Relu (x) },
                       else_branch = no () => (float[2] e) {
                         [inner] e = If (c) <then_branch = deep () => (float[2] d) { d = Neg (x) },
                                             else_branch = other () => (float[2] o) { o = Abs (x) }>
                       }>
  [call] y = own.twice (a)
}
<domain: "own", opset_import: ["": 17]> twice (v) => (w) { w = Add (v, v) })";

class Breadcrumbs : public ::testing::Test {
  protected:
    void SetUp() override {
        original = testing::originalFromText(kNested);
        const Model& model = original->file.model;
        choice = *model.nodes(model.mainGraph()).begin();
        call = model.graph(model.mainGraph()).tail;
    }
    std::shared_ptr<const Original> original;
    NodeId choice, call;
};

TEST_F(Breadcrumbs, leadFromTheMainGraphIntoTheInnermostBody) {
    const Model& model = original->file.model;
    const GraphId outer = model.subgraphs(choice)[1];
    const NodeId inner = *model.nodes(outer).begin();
    const auto crumbs = breadcrumbsOf(model, model.subgraphs(inner)[0]);
    ASSERT_EQ(crumbs.size(), 3U);
    EXPECT_EQ(crumbs[0].text, "main graph");
    EXPECT_EQ(crumbs[0].graph, model.mainGraph());
    EXPECT_EQ(crumbs[1].text, "If `choice`: else_branch");
    EXPECT_EQ(crumbs[1].holder, choice);
    EXPECT_EQ(crumbs[2].text, "If `inner`: then_branch");
}

TEST_F(Breadcrumbs, ofTheMainGraphAreOne) {
    EXPECT_EQ(breadcrumbsOf(original->file.model, original->file.model.mainGraph()).size(), 1U);
}

TEST_F(Breadcrumbs, nodesOpenIntoTheirBodiesAndTheFunctionsThatTheyCall) {
    const Model& model = original->file.model;
    const auto bodies = bodiesOf(model, choice);
    ASSERT_EQ(bodies.size(), 2U);
    EXPECT_EQ(bodies[0].attribute, "then_branch");
    EXPECT_EQ(bodies[0].text, "then_branch, 1 node");
    const auto called = bodiesOf(model, call);
    ASSERT_EQ(called.size(), 1U);
    EXPECT_EQ(called[0].attribute, "");
    const auto crumbs = breadcrumbsOf(model, called[0].graph);
    ASSERT_EQ(crumbs.size(), 2U);
    EXPECT_EQ(crumbs[1].text, "function own.twice");
    EXPECT_TRUE(bodiesOf(model, *model.nodes(model.subgraphs(choice)[0]).begin()).empty());
}

} // namespace
} // namespace secateur
