// SPDX-License-Identifier: Apache-2.0
//
// PNG and PDF from the command line: composed by it, painted by the window program beside it.
#include "tests/cli/command_line.h"
#include "tests/support/models.h"

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

TEST_F(PictureFilesTest, pagesHaveTheSizesOfTheirNames) {
    // In points, upright or on their side.
    const std::vector<std::pair<std::string, std::pair<int, int>>> papers{
        {"a4", {595, 842}}, {"a3", {842, 1191}}, {"a0", {2384, 3370}}};
    for (const auto& [name, size] : papers) {
        ASSERT_EQ(
            runCli({"export", dataModel("classifier.training"), "--page", name, "-o", in("P.PDF")}).exit, 0);
        const std::string bytes = readAll(folder / "P.PDF");
        const std::size_t at = bytes.find("/MediaBox [0 0 ");
        ASSERT_NE(at, std::string::npos);
        int width = 0, height = 0;
        ASSERT_EQ(std::sscanf(bytes.c_str() + at, "/MediaBox [0 0 %d.%*d %d", &width, &height), 2);
        EXPECT_EQ(std::minmax(width, height), std::minmax(size.first, size.second)) << name;
    }
}

TEST_F(PictureFilesTest, needNoDisplay) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    setenv("QT_QPA_PLATFORM", "xcb", 1); // what the child must not take over
    EXPECT_EQ(runCli({"export", dataModel("inference"), "-o", in("g.png")}).exit, 0);
    unsetenv("QT_QPA_PLATFORM");
}

/// Runs a line of shell with the program as $0 and the words as $1 ...
Ran runInShell(const std::string& line, std::vector<std::string> words) {
    words.insert(words.begin(), {"-c", line, cliProgram().string()});
    return runProgram("/bin/sh", words);
}

TEST_F(PictureFilesTest, interruptedWhilePaintingTheyLeaveNothing) {
    for (const char* name : {"g.png", "g.pdf"}) {
        std::vector<std::string> words{"export", dataModel("classifier.training"), "-o", in(name)};
        if (std::string_view(name) == "g.png") words.insert(words.end(), {"--scale", "16"});
        // Interrupted once there is a child: the painter.
        const Ran run =
            runInShell("\"$0\" \"$@\" & work=$!\n"
                       "while [ -d /proc/$work ] && [ -z \"$(cat /proc/$work/task/$work/children)\" ]; "
                       "do sleep 0.01; done\n"
                       "kill -TERM $work; wait $work", // a shell has its background jobs ignore INT
                       words);
        EXPECT_EQ(run.exit, 130) << run.err;
        EXPECT_THAT(run.err, HasSubstr("cancelled"));
        EXPECT_EQ(files(), 0U);
    }
}

TEST_F(PictureFilesTest, whereTheFileFindsNoRoomTheTargetIsAsItWas) {
    for (const char* name : {"g.png", "g.pdf", "g.svg"}) {
        folder.put(name, "old");
        const Ran run = runInShell("trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"",
                                   {"export", dataModel("classifier.training"), "-o", in(name)});
        EXPECT_EQ(run.exit, 4) << name << run.err;
        EXPECT_THAT(run.err, HasSubstr("the target is unchanged"));
        EXPECT_THAT(run.err, HasSubstr(name));
        EXPECT_EQ(readAll(folder / name), "old");
    }
    EXPECT_EQ(files(), 3U);
}

TEST_F(PictureFilesTest, whatCannotBeATargetIsRefusedInOneLine) {
    for (const char* ending : {".png", ".pdf"}) {
        const Ran absent = runCli({"export", dataModel("inference"), "-o", in("absent/g") + ending});
        EXPECT_EQ(absent.exit, 2);
        EXPECT_THAT(absent.err, HasSubstr("absent does not exist"));
        const std::string name = std::string("folder") + ending;
        std::filesystem::create_directory(folder / name);
        const Ran directory = runCli({"export", dataModel("inference"), "-o", in(name)});
        EXPECT_EQ(directory.exit, 2);
        EXPECT_THAT(directory.err, HasSubstr("this is a folder"));
    }
}

TEST_F(PictureFilesTest, aScaleThatIsNoneIsRefused) {
    for (const char* scale : {"0", "-1", "nan", "inf", "1e300", "17", "wide", ""}) {
        const Ran run = runCli({"export", dataModel("inference"), "--scale", scale, "-o", in("g.png")});
        EXPECT_EQ(run.exit, 2) << scale << run.err;
        EXPECT_THAT(run.err, HasSubstr("--scale"));
    }
    // The painter itself looks again: it is a program that anybody may start.
    const auto painter = cliProgram().parent_path() / "secateur";
    const Ran run = runProgram(painter, {"--export-picture", in("g.png"), "--picture-scale", "nan"});
    EXPECT_NE(run.exit, 0);
    EXPECT_EQ(files(), 0U);
}

TEST_F(PictureFilesTest, anOptionThatTheKindOfFileDoesNotHaveIsRefused) {
    const std::vector<std::vector<std::string>> cases{
        {"--scale", "2", "g.svg"},     {"--scale", "2", "g.pdf"},    {"--page", "a4", "g.png"},
        {"--page", "a4", "g.dot"},     {"--theme", "dark", "g.txt"}, {"--color", "role", "g.dot"},
        {"--rows", "locked", "g.dot"}, {"--into", "n", "g.txt"},     {"--open", "all", "g.dot"},
        {"--open", "all", "g.txt"},
    };
    for (const std::vector<std::string>& words : cases) {
        const Ran run = runCli({"export", dataModel("inference"), words[0], words[1], "-o", in(words[2])});
        EXPECT_EQ(run.exit, 2) << words[0] << ' ' << words[2];
        EXPECT_THAT(run.err, HasSubstr(words[0]));
        EXPECT_THAT(run.err, HasSubstr(words[2].substr(1)));
    }
    EXPECT_EQ(files(), 0U);
}

TEST_F(PictureFilesTest, afterIsCompactUnlessItsRowsAreLocked) {
    const auto heightOf = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"export",   dataModel("classifier.training"), "--pane", "after", "-o",
                                       in("g.png")};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(runCli(words).exit, 0);
        return bigEndian(readAll(folder / "g.png"), 20);
    };
    const std::uint32_t compact = heightOf({});
    EXPECT_EQ(heightOf({"--rows", "compact"}), compact);
    EXPECT_GE(heightOf({"--rows", "locked"}), compact);
    ASSERT_EQ(runCli({"export", dataModel("classifier.training"), "--pane", "after", "-o", in("c.svg")}).exit,
              0);
    ASSERT_EQ(runCli({"export", dataModel("classifier.training"), "--pane", "after", "--rows", "locked", "-o",
                      in("l.svg")})
                  .exit,
              0);
    EXPECT_NE(readAll(folder / "c.svg"), readAll(folder / "l.svg"));
}

TEST_F(PictureFilesTest, groupsAreOpenedAsAsked) {
    const std::filesystem::path model = trainingModel("transformer48.exported");
    if (model.empty()) GTEST_SKIP() << "no models beside the sources";
    const auto drawn = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"export", "--open"};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {model.string(), "-o", in("g.svg")});
        const Ran run = runCli(words);
        EXPECT_EQ(run.exit, 0) << run.err;
        return readAll(folder / "g.svg");
    };
    const std::string closed = drawn({"0"}), all = drawn({"all"});
    EXPECT_EQ(closed.find(">Softmax<"), std::string::npos);
    EXPECT_NE(all.find(">Softmax<"), std::string::npos);
    const Ran wrong = runCli({"export", model.string(), "--open", "nothing", "-o", in("w.svg")});
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.err, HasSubstr("`nothing`"));
    EXPECT_FALSE(exists("w.svg"));
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
