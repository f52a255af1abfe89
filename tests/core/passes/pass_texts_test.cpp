// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/roles.h"
#include "core/messages/messages.h"
#include "core/passes/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace secateur {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string textOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string sentence(const std::string& id) {
    EXPECT_TRUE(hasMessage(id)) << id;
    return std::string(message(id));
}

TEST(PassTexts, everyPassSaysWhatItDoesBeforeAndAfterAndForWhat) {
    std::set<std::string> titles;
    ASSERT_FALSE(allPasses().empty());
    for (const Pass* pass : allPasses()) {
        const PassInfo& info = pass->info();
        SCOPED_TRACE(info.id);
        EXPECT_TRUE(titles.insert(sentence(info.titleId)).second) << "a title of its own";
        EXPECT_THAT(sentence(info.beforeAfterId), HasSubstr(" => "));
        for (const std::string& id : {info.summaryId, info.gainId, info.costId, info.whenId}) {
            EXPECT_THAT(sentence(id), ContainsRegex("^[A-Z]")) << id;
            EXPECT_THAT(sentence(id), ContainsRegex("[.]$")) << id;
        }
        for (const std::string& id :
             {info.titleId, info.summaryId, info.beforeAfterId, info.gainId, info.costId, info.whenId})
            EXPECT_THAT(sentence(id), Not(HasSubstr("{"))) << id << " is read without arguments";
        for (const PassOption& option : info.options) {
            for (const std::string& choice : option.choices)
                EXPECT_THAT(sentence(option.helpId), HasSubstr(choice)) << option.name;
        }
    }
}

/// Ids of sentences that the sources of passes write out, and those that they put together.
std::set<std::string> idsInSources() {
    std::set<std::string> ids;
    const std::regex literal("\"([a-z][a-z-]*(?:\\.[a-z0-9-]+)+)\"");
    for (const char* folder : {"core/passes", "core/rewrite"}) {
        const auto root = std::filesystem::path(SECATEUR_SOURCE_DIR) / folder;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
            if (entry.path().extension() != ".cpp") continue;
            const std::string text = textOf(entry.path());
            for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
                ids.insert((*at)[1]);
        }
    }
    for (const Role role : {Role::forward, Role::loss, Role::backward, Role::accumulator, Role::optimizer,
                            Role::recompute, Role::metric}) {
        const std::string name(roleName(role));
        ids.insert("drop-training-state.value." + name);
        ids.insert("drop-training-state.readers." + name);
        ids.insert("choose-targets.drop." + name + ".all");
    }
    for (const Pass* pass : allPasses()) {
        const PassInfo& info = pass->info();
        ids.insert({info.titleId, info.summaryId, info.beforeAfterId, info.gainId, info.costId, info.whenId});
        for (const PassOption& option : info.options)
            ids.insert(option.helpId);
    }
    return ids;
}

TEST(PassTexts, theSentencesOfTheAreaAreThoseThatTheSourcesUse) {
    const auto file = std::filesystem::path(SECATEUR_SOURCE_DIR) / "resources/messages/en/passes.json";
    const auto json = nlohmann::json::parse(textOf(file));
    const std::set<std::string> used = idsInSources();
    std::set<std::string> prefixes;
    for (const auto& [id, text] : json.items()) {
        EXPECT_TRUE(used.contains(id)) << id << " is in passes.json and nothing says it";
        prefixes.insert(id.substr(0, id.find('.')));
    }
    std::size_t seen = 0;
    for (const std::string& id : used) {
        if (!prefixes.contains(id.substr(0, id.find('.')))) continue; // a file name, an operator
        ++seen;
        EXPECT_TRUE(json.contains(id)) << id << " is said and has no sentence in passes.json";
    }
    EXPECT_EQ(seen, json.size());
    EXPECT_GT(seen, 100U);
}

} // namespace
} // namespace secateur
