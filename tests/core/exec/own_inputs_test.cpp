// SPDX-License-Identifier: Apache-2.0
//
// Which input a file is for.
#include "core/exec/own_inputs.h"

#include "tests/core/exec/run_text.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct OwnInputsTest : ::testing::Test {
    TemporaryFolder folder;
    Model model;

    void SetUp() override {
        auto parsed = parseModelText(modelText("g (float[2] x, float[2] w, float[2] m) => (float[2] y) "
                                               "<float[2] w = {1, 2}> { y = Add(x, w) }"));
        ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
        model = std::move(parsed->model);
    }
    std::filesystem::path file(const std::string& name) {
        std::filesystem::create_directories((folder / name).parent_path());
        return folder.put(name, "");
    }
};

TEST_F(OwnInputsTest, filesAreForTheInputsThatTheyAreNamedAfter) {
    const auto own = ownInputsOf({file("x.npy"), file("input_1.pb")}, model);
    ASSERT_TRUE(own.ok()) << own.error().toString();
    ASSERT_EQ(own->size(), 1U);
    EXPECT_EQ((*own)[0].files[0].first, "x");
    EXPECT_EQ((*own)[0].files[1].first, "m") << "numbers go over what the model does not hold itself";
}

TEST_F(OwnInputsTest, aFileForNoInputNamesTheInputs) {
    const auto own = ownInputsOf({file("cat.npy")}, model);
    ASSERT_FALSE(own.ok());
    EXPECT_THAT(own.error().toString(), AllOf(HasSubstr("cat.npy"), HasSubstr("`x`"), HasSubstr("`m`")));
    EXPECT_FALSE(ownInputsOf({file("cat.png")}, model).ok());
    EXPECT_THAT(ownInputsOf({file("a/x.npy"), file("b/x.npy")}, model).error().message, HasSubstr("`x`"));
}

TEST_F(OwnInputsTest, foldersAreSetsAndMayHoldSets) {
    file("one/input_0.pb");
    file("sets/test_data_set_0/input_0.pb");
    file("sets/test_data_set_1/input_0.npy");
    file("named/x.npy");
    std::filesystem::create_directory(folder / "empty");
    const auto own = ownInputsOf({folder / "one", folder / "sets", folder / "named"}, model);
    ASSERT_TRUE(own.ok()) << own.error().toString();
    ASSERT_EQ(own->size(), 4U);
    EXPECT_EQ((*own)[0].folder, folder / "one");
    EXPECT_EQ((*own)[2].folder, folder / "sets/test_data_set_1");
    EXPECT_EQ((*own)[3].files[0].first, "x");
    EXPECT_THAT(ownInputsOf({folder / "empty"}, model).error().message, HasSubstr("input_0.pb"));
}

TEST_F(OwnInputsTest, aFolderWithAModelIsNoInputs) {
    file("data/test_data_set_0/input_0.pb");
    EXPECT_TRUE(looksLikeInputs(folder / "data"));
    file("data/model.onnx");
    EXPECT_FALSE(looksLikeInputs(folder / "data"));
    EXPECT_TRUE(looksLikeInputs(folder / "x.npy"));
    EXPECT_FALSE(looksLikeInputs(folder / "x.onnx"));
}

} // namespace
} // namespace secateur
