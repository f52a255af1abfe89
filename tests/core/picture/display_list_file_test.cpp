// SPDX-License-Identifier: Apache-2.0
#include "core/picture/display_list_file.h"

#include "core/picture/svg_writer.h"
#include "tests/core/picture/scene_fixture.h"

#include <random>

namespace secateur {
namespace {

class DisplayListFile : public SceneFixture {
  protected:
    void SetUp() override {
        open(trainingGraph(3));
        state.nodes[3].diff = DiffState::removedBySelectedStep;
        state.nodes[4].diff = DiffState::willGo;
    }
};

TEST_F(DisplayListFile, givesBackWhatWasWritten) {
    for (const double zoom : {1.0, 0.2}) {
        request.zoom = zoom;
        const auto read = readDisplayList(writeDisplayList(draw()), "list");
        ASSERT_TRUE(read.ok());
        EXPECT_EQ(writeSvg(*read), writeSvg(list)) << "the same picture at zoom " << zoom;
        EXPECT_EQ(read->width, list.width);
    }
}

TEST_F(DisplayListFile, refusesWhatIsCutOffOrFromElsewhere) {
    const std::string bytes = writeDisplayList(draw());
    for (std::size_t length = 0; length < bytes.size(); length += 97)
        EXPECT_FALSE(readDisplayList(std::string_view(bytes).substr(0, length), "list").ok()) << length;
    EXPECT_FALSE(readDisplayList(bytes + "x", "list").ok());
    EXPECT_FALSE(readDisplayList("<svg/>", "list").ok());
}

TEST_F(DisplayListFile, noIndexOfDamagedBytesLeadsOutside) {
    const std::string whole = writeDisplayList(draw());
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = whole;
        for (int k = 0; k < 3; ++k)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto read = readDisplayList(bytes, "list");
        if (read.ok()) {
            EXPECT_FALSE(writeSvg(*read).empty());
        }
    }
}

} // namespace
} // namespace secateur
