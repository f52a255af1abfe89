// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "core/passes/simplify/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const std::string& id) {
    return id.empty() ? std::string() : std::string(message(id));
}

Json passJson(const PassInfo& info) {
    Json json{{"id", info.id},
              {"class", std::string(1, exactnessLetter(info.exactness))},
              {"exactness", std::string(exactnessName(info.exactness))},
              {"title", textOf(info.titleId)},
              {"summary", textOf(info.summaryId)},
              {"before_after", textOf(info.beforeAfterId)},
              {"gain", textOf(info.gainId)},
              {"cost", textOf(info.costId)},
              {"when", textOf(info.whenId)},
              {"on_by_default", info.isOnByDefault}};
    json["options"] = Json::array();
    for (const PassOption& option : info.options) {
        json["options"].push_back({{"name", option.name},
                                   {"choices", option.choices},
                                   {"default", option.otherwise},
                                   {"help", textOf(option.helpId)}});
    }
    return json;
}

void printPass(const PassInfo& info, Console& console) {
    console.line(
        fmt::format("{}  {}  {}{}", exactnessLetter(info.exactness), info.id, textOf(info.titleId),
                    info.isOnByDefault ? "" : std::string(" ") + std::string(message("cli.pass-off"))));
    console.line("   " + textOf(info.summaryId));
    const auto row = [&](const char* label, const std::string& id) {
        if (!id.empty()) console.line(fmt::format("   {:<6} {}", message(label), message(id)));
    };
    row("cli.pass-change", info.beforeAfterId);
    row("cli.pass-gain", info.gainId);
    row("cli.pass-cost", info.costId);
    row("cli.pass-when", info.whenId);
    for (const PassOption& option : info.options) {
        std::string choices;
        for (const std::string& choice : option.choices)
            choices += (choices.empty() ? "" : "|") + choice;
        console.line(fmt::format("   option {} {} ({})", option.name, choices, option.otherwise));
    }
}

/// The sentence of a rule, by the last part of its id; empty where there is none.
std::string ruleText(const Rule& rule, std::string_view part) {
    const std::string id = "rule." + std::string(rule.id) + "." + std::string(part);
    return hasMessage(id) ? std::string(message(id)) : std::string();
}

/// Is there a word on why the rule applies to no model that exporters are known to write?
bool isRare(const Rule& rule) {
    return !ruleText(rule, "rare").empty();
}

Json ruleJson(const Rule& rule) {
    return {{"id", rule.id},
            {"class", std::string(1, exactnessLetter(rule.exactness))},
            {"exactness", std::string(exactnessName(rule.exactness))},
            {"group", std::string(groupName(rule.group))},
            {"title", ruleText(rule, "title")},
            {"before_after", ruleText(rule, "before-after")},
            {"gain", ruleText(rule, "gain")},
            {"cost", ruleText(rule, "cost")},
            {"when", ruleText(rule, "when")},
            {"rare", isRare(rule) ? Json(ruleText(rule, "rare")) : Json()}};
}

void printRule(const Rule& rule, Console& console) {
    console.line(
        fmt::format("   {}  {}  {}", exactnessLetter(rule.exactness), rule.id, ruleText(rule, "title")));
    for (const auto& [label, part] : {std::pair("cli.pass-change", "before-after"),
                                      {"cli.pass-gain", "gain"},
                                      {"cli.pass-cost", "cost"},
                                      {"cli.pass-when", "when"}})
        console.line(fmt::format("      {:<6} {}", message(label), ruleText(rule, part)));
    if (isRare(rule))
        console.line(fmt::format("      {:<6} {}", message("cli.pass-rare"), ruleText(rule, "rare")));
}

int passes(Console& console) {
    Json json{{"schema", 1}, {"passes", Json::array()}, {"rules", Json::array()}};
    for (const Pass* pass : allPasses()) {
        json["passes"].push_back(passJson(pass->info()));
        printPass(pass->info(), console);
    }
    console.line(formatMessage("cli.rules", {std::to_string(allRules().size())}));
    for (const Rule* rule : allRules()) {
        json["rules"].push_back(ruleJson(*rule));
        printRule(*rule, console);
    }
    const auto rare = static_cast<std::size_t>(
        std::count_if(allRules().begin(), allRules().end(), [](const Rule* rule) { return isRare(*rule); }));
    console.line(formatMessage("cli.rules-rare", {std::to_string(allRules().size() - rare),
                                                  std::to_string(allRules().size()), std::to_string(rare)}));
    json["rules_seen"] = allRules().size() - rare;
    json["rules_rare"] = rare;
    console.line(std::string(message("cli.pass-classes")));
    console.json(json);
    return 0;
}

} // namespace

void addPasses(CLI::App& program, Action& action) {
    CLI::App* verb =
        program.add_subcommand("passes", "every pass: what it does, what it gains and costs, when to use it");
    verb->callback([&action] { action = passes; });
}

} // namespace secateur::cli
