// SPDX-License-Identifier: Apache-2.0
#include "tests/project/source_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace secateur::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<SourceFile>& sources() {
    static const std::vector<SourceFile> kFiles = sourceFilesOf(SECATEUR_SOURCE_DIR);
    return kFiles;
}

TEST(SourceRules, bordersHoldEverywhere) {
    ASSERT_GT(sources().size(), 20u) << "the sources were not found in " << SECATEUR_SOURCE_DIR;
    for (const SourceFile& file : sources())
        EXPECT_THAT(borderViolations(file), IsEmpty());
}

TEST(SourceRules, formHoldsEverywhere) {
    for (const SourceFile& file : sources())
        EXPECT_THAT(formViolations(file), IsEmpty());
}

TEST(SourceRules, coreMayNotReachUp) {
    for (const char* include :
         {"<QString>", "<QtCore/QString>", "<qglobal.h>", "<cuda.h>", "<cuda_runtime.h>",
          "\"gpu/cpu/pool.h\"", "\"ui/canvas/canvas.h\"", "\"app/commands/info.h\"", "<iostream>"})
        EXPECT_THAT(borderViolations({"core/ir/x.cpp", std::string("#include ") + include + "\n"}), SizeIs(1))
            << include;
}

TEST(SourceRules, lowerFoldersOfCoreStandAlone) {
    EXPECT_THAT(borderViolations({"core/support/x.h", "#include \"core/ir/ids.h\"\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"core/ir/x.h", "#include \"core/passes/registry.h\"\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"core/ir/x.h", "#include \"core/support/result.h\"\n"}), IsEmpty());
    EXPECT_THAT(borderViolations({"core/ir/x.cpp", "#include \"core/messages/messages.h\"\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"core/support/x.cpp", "#include \"core/messages/sentences.h\"\n"}),
                IsEmpty());
}

TEST(SourceRules, headersOfCoreStayLight) {
    EXPECT_THAT(borderViolations({"core/session/x.h", "#include <nlohmann/json.hpp>\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"core/session/x.cpp", "#include <nlohmann/json.hpp>\n"}), IsEmpty());
}

TEST(SourceRules, corePrintsNothing) {
    for (const char* line : {"std::cout << 1;", "std::printf(\"x\");", "printf(\"x\");", "fmt::print(\"x\");",
                             "std::fputs(\"x\", stderr);"})
        EXPECT_THAT(borderViolations({"core/ir/x.cpp", line}), SizeIs(1)) << line;
    for (const char* line :
         {"std::snprintf(buffer, 3, \"x\");", "// std::cout is not used", "auto s = \"stdout\";"})
        EXPECT_THAT(borderViolations({"core/ir/x.cpp", line}), IsEmpty()) << line;
    EXPECT_THAT(borderViolations({"app/main_cli.cpp", "std::cout << 1;"}), IsEmpty());
}

TEST(SourceRules, uiAndGpuDoNotMeet) {
    EXPECT_THAT(borderViolations({"ui/canvas/x.cpp", "#include \"gpu/cuda/driver.h\"\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"gpu/cpu/x.cpp", "#include <QObject>\n"}), SizeIs(1));
    EXPECT_THAT(borderViolations({"app/main_gui.cpp", "#include \"gpu/cpu/x.h\"\n#include \"ui/x.h\"\n"}),
                IsEmpty());
}

TEST(SourceRules, formIsSeenToBeBroken) {
    const std::string licence = "// SPDX-License-Identifier: Apache-2.0\n";
    EXPECT_THAT(formViolations({"core/x.cpp", licence}), IsEmpty());
    EXPECT_THAT(formViolations({"core/x.cpp", "int x;\n"}), SizeIs(1));
    EXPECT_THAT(formViolations({"core/x.h", licence}), SizeIs(1));
    EXPECT_THAT(formViolations({"core/x.cpp", licence + std::string(600, '\n')}), SizeIs(1));
    EXPECT_THAT(formViolations({"core/x.cpp", licence + "// TO"
                                                        "DO later\n"}),
                SizeIs(1));
    EXPECT_THAT(formViolations({"resources/scripts/x.sh",
                                "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n"}),
                IsEmpty());
}

} // namespace
} // namespace secateur::testing
