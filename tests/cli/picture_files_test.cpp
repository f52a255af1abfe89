// SPDX-License-Identifier: Apache-2.0
//
// PNG and PDF from the command line: composed by it, painted by the window program beside it.
#include "tests/cli/command_line.h"

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct PictureFilesTest : CliTest {
    void SetUp() override {
        if (!std::filesystem::exists(cliProgram().parent_path() / "secateur"))
            GTEST_SKIP() << "the window program is not built";
    }
};

std::uint32_t bigEndian(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return number;
}

TEST_F(PictureFilesTest, aPngHasTheSizeOfThePictureTimesTheScale) {
    ASSERT_EQ(runCli({"export", dataModel("classifier.training"), "-o", in("one.png")}).exit, 0);
    const Ran run =
        runCli({"export", dataModel("classifier.training"), "--scale", "3", "-o", in("three.png")});
    ASSERT_EQ(run.exit, 0) << run.err;
    const std::string one = readAll(folder / "one.png"), three = readAll(folder / "three.png");
    EXPECT_THAT(one, StartsWith("\x89PNG\r\n\x1a\n"));
    EXPECT_EQ(bigEndian(three, 16), 3 * bigEndian(one, 16));
    EXPECT_EQ(bigEndian(three, 20), 3 * bigEndian(one, 20));
    EXPECT_EQ(one.substr(one.size() - 8, 4), "IEND");
    EXPECT_THAT(run.out, HasSubstr("of at most")) << "the memory that it took is said";
}

TEST_F(PictureFilesTest, aPdfIsOnePageUnlessPagesAreAskedFor) {
    const Ran one = runCli({"export", dataModel("classifier.training"), "-o", in("one.pdf")});
    ASSERT_EQ(one.exit, 0) << one.err;
    EXPECT_THAT(readAll(folder / "one.pdf"), StartsWith("%PDF-"));
    EXPECT_THAT(one.out, HasSubstr("one page of"));
    const Ran tiled =
        runCli({"export", dataModel("classifier.training"), "--page", "a4", "-o", in("tiled.pdf")});
    ASSERT_EQ(tiled.exit, 0) << tiled.err;
    EXPECT_THAT(tiled.out, HasSubstr("pages, "));
}

TEST_F(PictureFilesTest, needNoDisplay) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    setenv("QT_QPA_PLATFORM", "xcb", 1); // what the child must not take over
    EXPECT_EQ(runCli({"export", dataModel("inference"), "-o", in("g.png")}).exit, 0);
    unsetenv("QT_QPA_PLATFORM");
}

TEST_F(PictureFilesTest, withoutTheWindowProgramTheySaySo) {
    const std::filesystem::path alone = folder / "bin/secateur-cli";
    std::filesystem::create_directory(alone.parent_path());
    std::filesystem::copy_file(cliProgram(), alone);
    for (const char* name : {"g.png", "g.pdf"}) {
        const Ran run = runProgram(alone, {"export", dataModel("inference"), "-o", in(name)});
        EXPECT_EQ(run.exit, 4);
        EXPECT_THAT(run.err, HasSubstr("painted by the window program `secateur`"));
        EXPECT_FALSE(exists(name));
    }
}

} // namespace
} // namespace secateur::testing
