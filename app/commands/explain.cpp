// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/explainer.h"
#include "app/commands/words.h"

namespace secateur::cli {
namespace {

struct ExplainOptions {
    ConversionOptions conversion;
    std::string node, value;
};

int explain(const ExplainOptions& options, Console& console) {
    const Converted converted = convert(options.conversion, {.hasHashes = false, .hasSizes = false}, console);
    if (!converted.history) return converted.exit;
    const History& history = *converted.history;
    // What is not settled does not keep anyone from asking about the rest.
    if (const auto open = whatIsOpen(history)) console.note(errorLine(*open));
    tellNotes(history, console);
    Explainer explainer(history, console);
    if (!options.node.empty()) return explainer.explainNode(options.node);
    if (!options.value.empty()) return explainer.explainValue(options.value);
    return explainer.explainAll();
}

} // namespace

void addExplain(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("explain", "why a node or value stays, or went");
    auto options = std::make_shared<ExplainOptions>();
    addConversionOptions(*verb, options->conversion);
    CLI::Option* node =
        verb->add_option("--node", options->node,
                         "a node, by its name, or by a result that it makes (the way to one without a name)")
            ->check(notEmpty())
            ->type_name("NAME");
    verb->add_option("--value", options->value, "a value, by its name")
        ->check(notEmpty())
        ->type_name("NAME")
        ->excludes(node);
    addRecipeOption(*verb, options->conversion, "recipe to ask about, instead of the conversion");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return explain(*options, console); }; });
}

} // namespace secateur::cli
