// SPDX-License-Identifier: Apache-2.0
#include "tests/project/sentence_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace secateur::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SentenceRules, sentencesStandInTheMessages) {
    for (const SourceFile& file : sourceFilesOf(SECATEUR_SOURCE_DIR))
        EXPECT_THAT(sentenceViolations(file), IsEmpty());
}

TEST(SentenceRules, anErrorMadeOfALiteralIsSeen) {
    for (
        const char* code :
        {R"(return invalidInput("no graph");)", R"(return usageError(fmt::format("cannot {}", why), path);)",
         R"(return missingHere(
                 "needs " + tool + ", which is not here");)",
         R"(return Error{ErrorCode::verification, "broken result", {}};)",
         R"(problems.push_back({Problem::Severity::error, id, "tensor " + name + " lies elsewhere", {}, {}});)"}) {
        for (const char* path : {"core/onnx/x.cpp", "app/commands/x.cpp", "ui/report/x.h"})
            EXPECT_THAT(sentenceViolations({path, code}), SizeIs(1)) << code;
        EXPECT_THAT(sentenceViolations({"tests/core/x.cpp", code}), IsEmpty());
    }
}

TEST(SentenceRules, aSentenceIsSeenWhereverCoreAndTheWindowHoldIt) {
    const std::string code = "int a;\nconst char* kText = \"is not a model\"; // it is not shown\n";
    EXPECT_THAT(sentenceViolations({"core/x.cpp", code}), ElementsAre(HasSubstr("core/x.cpp:2:")));
    EXPECT_THAT(sentenceViolations({"ui/x.cpp", code}), SizeIs(1));
    EXPECT_THAT(sentenceViolations({"app/x.cpp", code}), IsEmpty());
}

TEST(SentenceRules, idsNamesMarkupAndAssertionsAreNoSentences) {
    for (const char* code : {R"(return invalidInput(formatMessage("load.no-graph", {name}), "a.onnx");)",
                             R"(return usageError(text + "\n" + message("cli.settle"));)",
                             R"(assert(isSorted && "the list is not sorted");)",
                             R"(constexpr auto kOps = "Add Sub Conv LSTM";)", R"(// "this is not shown")",
                             R"(add(R"(this is a page)"
                             ")\");",
                             R"(out += "<p class='of it'>";)",
                             R"(const int big = 1'000; const char c = '"'; invalidInput(message("a.b"));)"}) {
        EXPECT_THAT(sentenceViolations({"core/x.cpp", code}), IsEmpty()) << code;
    }
}

} // namespace
} // namespace secateur::testing
