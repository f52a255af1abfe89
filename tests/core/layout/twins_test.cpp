// SPDX-License-Identifier: Apache-2.0
#include "core/layout/twins.h"

#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

constexpr std::uint32_t kWeight = 100;

LayoutRow weightRow() {
    return {LayoutRow::Kind::weight, "W", "w [64,64]", kWeight};
}

TEST(Twins, theOperatorDecidesAmongTheReadersOfAStash) {
    GraphBuilder b;
    for (const char* title : {"Add", "MatMul", "Gelu", "Add"})
        b.node(title);
    const std::uint32_t grad = b.node("GeluGrad", NodeRole::backward);
    for (const std::uint32_t reader : {1U, 2U, 3U})
        b.edge(0, reader);
    b.edge(0, grad, EdgeClass::stash);
    LayoutGraph graph = b.build();
    for (LayoutEdge& e : graph.edges)
        e.value = 7;
    chooseTwins(graph);
    EXPECT_EQ(graph.nodes[grad].twin, 2U);
}

TEST(Twins, aSharedWeightIsEvidence) {
    GraphBuilder b;
    const std::uint32_t layer = b.node("Gemm");
    const std::uint32_t grad = b.node("MatMul", NodeRole::backward);
    b.at(layer).rows.push_back(weightRow());
    b.at(grad).rows.push_back(weightRow());
    LayoutGraph graph = b.build();
    chooseTwins(graph);
    EXPECT_EQ(graph.nodes[grad].twin, layer);
}

TEST(Twins, aTwinWithoutEvidenceIsDropped) {
    GraphBuilder b;
    const std::uint32_t far = b.node("Gather");
    const std::uint32_t grad = b.node("ReduceSum", NodeRole::backward, far);
    LayoutGraph graph = b.build();
    chooseTwins(graph);
    EXPECT_EQ(graph.nodes[grad].twin, kNoIndex);
}

TEST(Twins, amongEqualCandidatesTheOneThatWasSetStays) {
    GraphBuilder b;
    for (const char* title : {"Split", "MatMul", "MatMul", "MatMul"})
        b.node(title);
    const std::uint32_t grad = b.node("MatMul", NodeRole::backward, 3);
    for (const std::uint32_t reader : {1U, 2U, 3U})
        b.edge(0, reader);
    b.edge(0, grad, EdgeClass::stash);
    LayoutGraph graph = b.build();
    for (LayoutEdge& e : graph.edges)
        e.value = 7;
    chooseTwins(graph);
    EXPECT_EQ(graph.nodes[grad].twin, 3U);
}

} // namespace
} // namespace secateur
