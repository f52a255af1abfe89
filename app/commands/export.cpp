// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/output.h"
#include "core/messages/messages.h"
#include "core/onnx/onnx_text.h"
#include "core/report/pictures.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace secateur::cli {
namespace {

struct ExportOptions {
    ConversionOptions conversion;
    std::string out;
};

/// The original as a picture or as text; with a history, what it leaves of the model.
Result<std::string> draw(const std::string& kind, const Original& original, History* history) {
    const std::string title = original.file.path.filename().string();
    if (kind == ".txt") return onnxText(history != nullptr ? history->model() : original.file.model);
    const GraphPicture picture(original, history);
    const Pane pane = history != nullptr ? Pane::after : Pane::before;
    if (kind == ".dot") return picture.dot(pane, title);
    return picture.svg(pane, ThemeKind::light, title);
}

int write(const ExportOptions& options, const Original& original, History* history, Console& console) {
    const auto text = draw(std::filesystem::path(options.out).extension().string(), original, history);
    if (!text) return console.fail(text.error());
    if (const auto written = writeFile(options.out, *text); !written) return console.fail(written.error());
    console.line(formatMessage("cli.report-wrote", {options.out, formatBytes(text->size())}));
    console.json({{"schema", 1}, {"out", options.out}, {"bytes", text->size()}});
    return 0;
}

/// Can the file be written, and is it of a kind that is known?
Result<void> checkExport(const ExportOptions& options) {
    const std::string kind = std::filesystem::path(options.out).extension().string();
    if (kind == ".pdf" || kind == ".png") {
        const std::string name = kind == ".pdf" ? "PDF" : "PNG";
        return missingHere(formatMessage("cli.needs-window", {name}), options.out);
    }
    constexpr std::array kKinds{".svg", ".dot", ".txt"};
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end())
        return usageError(std::string(message("cli.export-kinds")), options.out);
    return checkOutput(options.out, {options.conversion.model, options.conversion.recipe});
}

int exportGraph(const ExportOptions& options, Console& console) {
    if (const auto ready = checkExport(options); !ready) return console.fail(ready.error());
    if (options.conversion.recipe.empty()) {
        const auto original = openOriginal(options.conversion.model, console.work());
        return original ? write(options, **original, nullptr, console) : console.fail(original.error());
    }
    Converted converted = convert(options.conversion, {.hasHashes = false, .hasSizes = false}, console);
    if (!converted.history) return converted.exit;
    History& history = console.keep(std::move(*converted.history));
    if (const auto open = whatIsOpen(history)) return console.fail(*open);
    return write(options, history.original(), &history, console);
}

} // namespace

void addExport(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("export", "a picture of the graph, or the model as text");
    auto options = std::make_shared<ExportOptions>();
    addModelOption(*verb, options->conversion.model);
    addRecipeOption(*verb, options->conversion, "show what this recipe leaves of the model");
    verb->add_option("-o,--out", options->out, "F.svg, F.dot or F.txt")
        ->required()
        ->check(notEmpty())
        ->type_name("F");
    verb->callback([options, &action] {
        action = [options](Console& console) { return exportGraph(*options, console); };
    });
}

} // namespace secateur::cli
