// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "core/messages/messages.h"
#include "core/onnx/onnx_text.h"
#include "core/report/pictures.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>

namespace secateur::cli {
namespace {

struct ExportOptions {
    ConversionOptions conversion;
    std::string out;
};

/// The original as a picture or as text; with a recipe, what it leaves of the model.
Result<std::string> draw(const std::string& kind, const std::shared_ptr<const Original>& original,
                         History* history) {
    const std::string title = original->file.path.filename().string();
    if (kind == ".txt") return onnxText(history != nullptr ? history->model() : original->file.model);
    const GraphPicture picture(*original, history);
    const Pane pane = history != nullptr ? Pane::after : Pane::before;
    if (kind == ".dot") return picture.dot(pane, title);
    return picture.svg(pane, ThemeKind::light, title);
}

int exportGraph(const ExportOptions& options, Console& console) {
    const std::string kind = std::filesystem::path(options.out).extension().string();
    if (kind == ".pdf" || kind == ".png") {
        const std::string name = kind == ".pdf" ? "PDF" : "PNG";
        return console.fail(missingHere(formatMessage("cli.needs-window", {name}), options.out));
    }
    constexpr std::array kKinds{".svg", ".dot", ".txt"};
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) {
        return console.fail(usageError(std::string(message("cli.export-kinds")), options.out));
    }
    const auto ready = checkOutput(options.out, {options.conversion.model, options.conversion.recipe});
    if (!ready) return console.fail(ready.error());
    const auto original = openOriginal(options.conversion.model, console.work());
    if (!original) return console.fail(original.error());
    std::optional<History> history;
    if (!options.conversion.recipe.empty()) {
        const auto recipe = recipeOf(options.conversion);
        if (!recipe) return console.fail(recipe.error());
        auto ran = History::run(*original, *recipe, console.work());
        if (!ran) return console.fail(ran.error(), {{"candidates", candidatesJson(**original)}});
        if (const auto open = whatIsOpen(*ran)) return console.fail(*open);
        history.emplace(std::move(*ran));
    }
    const auto text = draw(kind, *original, history ? &*history : nullptr);
    if (!text) return console.fail(text.error());
    if (const auto written = writeFile(options.out, *text); !written) return console.fail(written.error());
    console.line(formatMessage("cli.report-wrote", {options.out, formatBytes(text->size())}));
    console.json({{"schema", 1}, {"out", options.out}, {"bytes", text->size()}});
    return 0;
}

} // namespace

void addExport(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("export", "a picture of the graph, or the model as text");
    auto options = std::make_shared<ExportOptions>();
    verb->add_option("MODEL", options->conversion.model, "ONNX file")->required();
    verb->add_option("--recipe", options->conversion.recipe, "show what this recipe leaves of the model")
        ->type_name("FILE");
    verb->add_option("-o,--out", options->out, "F.svg, F.dot or F.txt")->required()->type_name("F");
    verb->callback([options, &action] {
        action = [options](Console& console) { return exportGraph(*options, console); };
    });
}

} // namespace secateur::cli
