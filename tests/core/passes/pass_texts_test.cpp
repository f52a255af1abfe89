// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/passes/registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace secateur {
namespace {

TEST(PassTexts, everyPassHasItsSentences) {
    for (const Pass* pass : allPasses()) {
        const PassInfo& info = pass->info();
        for (const std::string& id :
             {info.titleId, info.summaryId, info.beforeAfterId, info.gainId, info.costId, info.whenId}) {
            EXPECT_TRUE(hasMessage(id)) << id;
        }
        for (const PassOption& option : info.options)
            EXPECT_TRUE(hasMessage(option.helpId)) << option.helpId;
    }
}

/// Every reason that the sources name has a sentence, and every sentence of this area is named.
TEST(PassTexts, everyReasonHasASentence) {
    const std::filesystem::path folder = std::filesystem::path(SECATEUR_SOURCE_DIR) / "core/passes";
    const std::regex literal(
        "\"((?:choose-targets|drop-optimizer|prune|drop-loss|attach-weights|bypass-dropout|bypass-drop-path|"
        "freeze-batch-norm|standard-operators|drop-training-state|strip-exporter-traces)\\.[a-z.0-9-]*[a-z0-"
        "9])\"");
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
            found.insert((*at)[1]);
    }
    EXPECT_GT(found.size(), 50U);
    for (const std::string& id : found)
        EXPECT_TRUE(hasMessage(id)) << id;
    for (const char* role :
         {"forward", "loss", "backward", "accumulator", "optimizer", "recompute", "metric"}) {
        EXPECT_TRUE(hasMessage(std::string("drop-training-state.input.") + role)) << role;
        EXPECT_TRUE(hasMessage(std::string("choose-targets.drop.") + role + ".all")) << role;
    }
}

} // namespace
} // namespace secateur
