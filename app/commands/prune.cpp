// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/write_result.h"
#include "core/onnx/check.h"

namespace secateur::cli {
namespace {

int prune(const ConversionOptions& options, const WriteOptions& writing, Console& console) {
    const auto ready = checkOutput(writing.out, {options.model, options.weights, writing.recipeOut});
    if (!ready) return console.fail(ready.error());
    const Stopwatch loading;
    auto original = open(options, console);
    if (!original) return console.fail(original.error());
    if (const auto refused = whyNotConverted((*original)->file)) return console.fail(*refused);
    Seconds seconds;
    seconds.load = loading.seconds();
    const auto recipe = recipeOf(options);
    if (!recipe) return console.fail(recipe.error());
    const Stopwatch running;
    auto history = History::run(*original, *recipe, console.work(), {.hasHashes = false, .hasSizes = false});
    if (!history) return console.fail(history.error(), {{"candidates", candidatesJson(**original)}});
    seconds.passes = running.seconds();
    if (auto open = whatIsOpen(*history); open && !writing.isForced)
        return console.fail(*open);
    else if (open)
        console.note(errorLine(*open));
    return writeResult(console.keep(std::move(*history)), options, writing, seconds, console);
}

} // namespace

void addPrune(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("prune", "turn a training graph into an inference model");
    auto options = std::make_shared<ConversionOptions>();
    auto writing = std::make_shared<WriteOptions>();
    addConversionOptions(*verb, *options);
    addWriteOptions(*verb, *writing);
    verb->callback([options, writing, &action] {
        action = [options, writing](Console& console) { return prune(*options, *writing, console); };
    });
}

} // namespace secateur::cli
