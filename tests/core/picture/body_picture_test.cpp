// SPDX-License-Identifier: Apache-2.0
//
// Pictures of bodies: what they capture stands in them as inputs, what they give as outputs.
#include "core/picture/breadcrumbs.h"
#include "core/picture/compose.h"
#include "tests/core/picture/history_fixture.h"

namespace secateur {
namespace {

constexpr std::string_view kBranches = R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[2,3] x, bool c) => (float[2,3] y)
{
  [outer] h = Exp (x)
  [choice] y = If (c) <then_branch = yes () => (float[2,3] t) { [up] u = Relu (h) [add] t = Add (u, x) },
                       else_branch = no () => (float[2,3] e) { [down] e = Neg (h) }>
})";

class BodyPicture : public ::testing::Test {
  protected:
    void SetUp() override {
        original = testing::originalFromText(kBranches);
        const Model& model = original->file.model;
        const NodeId choice = model.graph(model.mainGraph()).tail;
        united = buildUnionGraph(*original, nullptr, bodiesOf(model, choice)[0].graph);
    }
    std::uint32_t indexOf(std::string_view name) const {
        for (std::uint32_t i = 0; i < united.graph.nodes.size(); ++i)
            if (united.graph.nodes[i].name == name) return i;
        return kNoIndex;
    }

    std::shared_ptr<const Original> original;
    UnionGraph united;
};

TEST_F(BodyPicture, holdsItsNodesItsCapturesAndItsResults) {
    for (const char* name : {"up", "add", "h", "x", "t"})
        EXPECT_NE(indexOf(name), kNoIndex) << name;
    for (const char* name : {"outer", "choice", "down", "c"})
        EXPECT_EQ(indexOf(name), kNoIndex) << name;
    EXPECT_EQ(united.graph.nodes[indexOf("h")].kind, OperatorKind::input);
    EXPECT_EQ(united.graph.nodes[indexOf("t")].kind, OperatorKind::output);
}

TEST_F(BodyPicture, capturedValuesComeInAlongDottedEdges) {
    const Layout layout = layoutGraph(united.graph);
    PictureState state = pictureStateOf(united, *original, nullptr, {});
    state.tally(united.graph, layout);
    const Hierarchy none;
    const Scene scene{&united.graph, &layout, &none, &state};
    DisplayList list;
    compose(scene, wholePicture(scene, Pane::before), list);
    std::size_t dotted = 0, paths = 0;
    for (const DrawItem& item : list.items) {
        if (item.op != DrawOp::path) continue;
        ++paths;
        dotted += item.dash == DashStyle::dotted ? 1U : 0U;
    }
    EXPECT_EQ(paths, 4U) << "h -> up, up -> add, x -> add, add -> t";
    EXPECT_EQ(dotted, 2U) << "h and x are captured";
}

} // namespace
} // namespace secateur
