// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/words.h"
#include "app/commands/write_result.h"

namespace secateur::cli {
namespace {

int prune(const ConversionOptions& options, const WriteOptions& writing, Console& console) {
    if (const auto ready = checkOutputs(options, writing); !ready) return console.fail(ready.error());
    Converted converted =
        convert(options, {.hasHashes = false, .hasSizes = false, .hasTypes = false}, console);
    if (!converted.history) return converted.exit;
    if (const auto exit = stopAtOpenEnds(*converted.history, writing, console)) return *exit;
    tellNotes(*converted.history, console);
    const auto weights = findWeightsUsed(*converted.history, false);
    if (!weights) return console.fail(weights.error());
    History& history = console.keep(std::move(*converted.history));
    return writeResult(history, options, writing, *weights, converted, console);
}

} // namespace

void addPrune(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("prune", "turn a training graph into an inference model");
    auto options = std::make_shared<ConversionOptions>();
    auto writing = std::make_shared<WriteOptions>();
    options->makesModel = options->mentionsCheckpoint = true;
    addConversionOptions(*verb, *options);
    addWriteOptions(*verb, *writing);
    verb->callback([options, writing, &action] {
        action = [options, writing](Console& console) { return prune(*options, *writing, console); };
    });
}

} // namespace secateur::cli
