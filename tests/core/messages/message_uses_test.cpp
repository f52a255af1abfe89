// SPDX-License-Identifier: Apache-2.0
#include "tests/core/messages/message_uses.h"

#include "core/messages/messages.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace secateur::testing {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> filesUnder(std::initializer_list<const char*> folders, std::string_view extension) {
    std::vector<fs::path> files;
    for (const char* folder : folders) {
        const fs::path root = fs::path(SECATEUR_SOURCE_DIR) / folder;
        if (!fs::is_directory(root)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root))
            if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::set<std::string> knownPrefixes() {
    std::set<std::string> prefixes;
    for (const std::string& id : messageIds())
        prefixes.insert(id.substr(0, id.find('.')));
    return prefixes;
}

TEST(MessageUses, everyIdInTheSourcesHasASentenceWhosePlacesAreFilled) {
    const std::set<std::string> prefixes = knownPrefixes();
    std::size_t seen = 0;
    for (const fs::path& file : filesUnder({"core", "ui", "app"}, ".cpp")) {
        for (const MessageUse& use : messageUsesIn(textOf(file), prefixes)) {
            ++seen;
            const std::string where = file.string() + ":" + std::to_string(use.line);
            EXPECT_TRUE(hasMessage(use.id)) << where << ": no sentence for " << use.id;
            if (!use.arguments || !hasMessage(use.id)) continue;
            EXPECT_LE(placesIn(message(use.id)), *use.arguments)
                << where << ": " << use.id << " has a place that nothing fills: " << message(use.id);
        }
    }
    EXPECT_GT(seen, 0U);
}

TEST(MessageUses, everySentenceFileIsOneFlatObjectOfTexts) {
    std::set<std::string> ids;
    static const std::regex kId(R"(^[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$)");
    for (const fs::path& file : filesUnder({"resources/messages/en"}, ".json")) {
        const auto json = nlohmann::json::parse(textOf(file), nullptr, false);
        ASSERT_TRUE(json.is_object()) << file << " is not one JSON object";
        for (const auto& [id, sentence] : json.items()) {
            EXPECT_TRUE(ids.insert(id).second) << file << ": " << id << " stands in two files";
            EXPECT_TRUE(std::regex_match(id, kId))
                << file << ": " << id << " is no id: lower case, dots, hyphens";
            ASSERT_TRUE(sentence.is_string()) << file << ": " << id;
            EXPECT_FALSE(sentence.get<std::string>().empty()) << file << ": " << id;
            EXPECT_EQ(message(id), sentence.get<std::string>()) << file << ": is its area embedded?";
        }
    }
    EXPECT_EQ(ids.size(), messageIds().size());
}

TEST(MessageUses, scannerFindsCallsLiteralsAndCounts) {
    const auto uses = messageUsesIn(R"cpp(
        // Reason("comment.is-no-use")
        return Reason("new.prefix", {node, std::string("a,b"), f(1, 2)});
        info.titleId = "pass.title";
        auto r = Reason{"pass.bare"};
        open("pass/file.txt"); open("other.file");
    )cpp",
                                    {"pass"});
    ASSERT_EQ(uses.size(), 3U);
    EXPECT_EQ(uses[0].id, "new.prefix");
    EXPECT_EQ(uses[0].arguments, 3U);
    EXPECT_EQ(uses[1].id, "pass.title");
    EXPECT_FALSE(uses[1].arguments);
    EXPECT_EQ(uses[2].id, "pass.bare");
    EXPECT_EQ(uses[2].arguments, 0U);
    EXPECT_EQ(uses[2].line, 5U);
}

TEST(MessageUses, placesAreCountedByTheHighest) {
    EXPECT_EQ(placesIn("no place {here}"), 0U);
    EXPECT_EQ(placesIn("{0} and {2|one|many}"), 3U);
}

} // namespace
} // namespace secateur::testing
