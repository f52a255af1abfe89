// SPDX-License-Identifier: Apache-2.0
#include "core/picture/svg_writer.h"

#include "tests/core/picture/scene_fixture.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace secateur {
namespace {

class Svg : public SceneFixture {};

std::string readAll(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Set SECATEUR_UPDATE_GOLDEN to write the expected file anew; look at the picture before committing it.
TEST_F(Svg, aTinyTrainingGraphIsDrawnAsExpected) {
    open(trainingGraph(1));
    state.nodes[3].diff = DiffState::removedBySelectedStep;
    state.nodes[4].diff = DiffState::removedEarlier;
    const std::string svg = writeSvg(scene, request, {ThemeKind::light, "tiny <training> graph"});
    const std::string path = std::string(SECATEUR_TEST_DATA) + "/picture/tiny_training.svg";
    if (std::getenv("SECATEUR_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << svg;
    EXPECT_TRUE(svg == readAll(path)) << "differs from " << path;
}

TEST_F(Svg, sameSceneGivesTheSameBytesAndThemesDiffer) {
    open(trainingGraph(3));
    const std::string light = writeSvg(scene, request);
    EXPECT_EQ(writeSvg(scene, request), light);
    EXPECT_NE(writeSvg(scene, request, {ThemeKind::dark, ""}), light);
}

TEST_F(Svg, textIsEscaped) {
    GraphBuilder b;
    b.node("a<b>&\"c\x01");
    open(b.build());
    const std::string svg = writeSvg(scene, request);
    EXPECT_NE(svg.find(">a&lt;b&gt;&amp;&quot;c\\x01</text>"), std::string::npos);
}

TEST_F(Svg, anEmptyGraphIsAValidDocument) {
    open(LayoutGraph());
    const std::string svg = writeSvg(scene, request);
    EXPECT_EQ(svg.substr(0, 4), "<svg");
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST_F(Svg, stayCompact) {
    open(trainingGraph(500));
    EXPECT_LT(writeSvg(scene, request).size() / graph.nodes.size(), 1000U)
        << "bytes a node, texts and edges included";
}

} // namespace
} // namespace secateur
