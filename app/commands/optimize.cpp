// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/reproducer.h"
#include "app/commands/words.h"
#include "app/commands/write_result.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur::cli {
namespace {

/// Rewrites that a looser level would make.
std::size_t countLooser(const History& history) {
    std::size_t count = 0;
    for (const Step& step : history.steps())
        count += static_cast<std::size_t>(
            std::count_if(step.misses.begin(), step.misses.end(),
                          [](const RewriteMiss& miss) { return miss.reason.id == "rewrite.needs-level"; }));
    return count;
}

/// Nodes of the training half that are still there.
std::size_t countTraining(const History& history) {
    const Model& model = history.model();
    std::size_t count = 0;
    for (const NodeId node : nodesWithin(model, model.mainGraph()))
        count += history.roles() && history.roles()->of(node) != Role::forward ? 1U : 0U;
    return count;
}

Result<void> checkReproducer(const ConversionOptions& options, const WriteOptions& writing) {
    const std::string& file = options.optimization->reproducer;
    if (file.empty()) return {};
    return Reproducer(file).check({options.model, options.recipe, options.weights, writing.out,
                                   writing.out + ".data", writing.recipeOut});
}

int optimize(const ConversionOptions& options, const WriteOptions& writing, Console& console) {
    if (const auto ready = checkOutputs(options, writing); !ready) return console.fail(ready.error());
    if (const auto ready = checkReproducer(options, writing); !ready) return console.fail(ready.error());
    RunOptions sparing;
    sparing.hasHashes = sparing.hasSizes = sparing.hasTypes = false;
    Converted converted = convert(options, sparing, console);
    if (!converted.history) return converted.exit;
    if (const auto exit = stopAtOpenEnds(*converted.history, writing, console)) return *exit;
    tellNotes(*converted.history, console);
    const std::size_t training = options.isConverted() ? 0 : countTraining(*converted.history);
    if (training > 0) console.note(formatMessage("cli.training-kept", {std::to_string(training)}));
    const auto weights = findWeightsUsed(*converted.history, false);
    if (!weights) return console.fail(weights.error());
    History& history = console.keep(std::move(*converted.history));
    const int exit = writeResult(history, options, writing, *weights, converted, console);
    const std::size_t looser = countLooser(history);
    const std::string& level = options.optimization->level;
    if (exit == 0 && looser > 0 && level != "approximate") {
        const char* next = level == "exact" ? "value` or `approximate" : "approximate";
        console.line(formatMessage("cli.more-rewrites", {std::to_string(looser), next}));
    }
    return exit;
}

} // namespace

void addOptimize(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand(
        "optimize", "simplify a model: fewer nodes that compute the same, training or inference");
    auto options = std::make_shared<ConversionOptions>();
    auto writing = std::make_shared<WriteOptions>();
    options->makesModel = options->mentionsCheckpoint = true;
    addConversionOptions(*verb, *options);
    addOptimizationOptions(*verb, *options);
    addWriteOptions(*verb, *writing);
    // A recipe cannot say it, so applying it would do something else.
    verb->get_option("--rewrite-limit")->excludes(verb->get_option("--recipe-out"));
    verb->callback([options, writing, &action] {
        action = [options, writing](Console& console) { return optimize(*options, *writing, console); };
    });
}

} // namespace secateur::cli
