// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "core/messages/messages.h"
#include "core/passes/registry.h"

#include <fmt/format.h>

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

int passes(Console& console) {
    Json json{{"schema", 1}, {"passes", Json::array()}};
    for (const Pass* pass : allPasses()) {
        json["passes"].push_back(passJson(pass->info()));
        printPass(pass->info(), console);
    }
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
