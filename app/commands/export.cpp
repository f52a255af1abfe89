// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/output.h"
#include "app/commands/picture_child.h"
#include "core/messages/messages.h"
#include "core/onnx/onnx_text.h"
#include "core/picture/breadcrumbs.h"
#include "core/report/pictures.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace secateur::cli {
namespace {

struct ExportRequest {
    ConversionOptions conversion;
    std::string out;
    std::string pane; ///< "": after with a recipe, before without
    std::string theme = "light";
    std::string color = "kind";
    bool isLocked = false;
    double scale = 1;
    std::string page;
    std::vector<std::string> into; ///< "NODE" or "NODE:ATTRIBUTE", from the outside in
};

std::string kindOf(const ExportRequest& request) {
    return std::filesystem::path(request.out).extension().string();
}

Pane paneOf(const ExportRequest& request) {
    if (request.pane.empty()) return request.conversion.recipe.empty() ? Pane::before : Pane::after;
    return request.pane == "before" ? Pane::before : request.pane == "after" ? Pane::after : Pane::overlay;
}

ExportOptions pictureOptions(const ExportRequest& request) {
    ExportOptions options;
    options.pane = paneOf(request);
    options.isCompact = !request.isLocked;
    options.theme = request.theme == "dark" ? ThemeKind::dark : ThemeKind::light;
    options.colorMode = request.color == "kind"   ? ColorMode::kind
                        : request.color == "role" ? ColorMode::role
                                                  : ColorMode::heat;
    options.title = pictureTitle(request.conversion.model);
    return options;
}

/// The body that one word of --into names in a graph.
Result<GraphId> bodyNamed(const Model& model, GraphId graph, const std::string& word) {
    std::vector<std::string> holders;
    for (const NodeId node : model.nodes(graph)) {
        const std::string name(model.name(node));
        for (const Body& body : bodiesOf(model, node)) {
            holders.push_back(body.attribute.empty() ? name : name + ':' + body.attribute);
            if (word == holders.back() || word == name) return body.graph;
        }
    }
    std::string near;
    for (const std::string& holder : nearestNames(word, holders))
        near += (near.empty() ? "`" : ", `") + holder + '`';
    return usageError(near.empty() ? formatMessage("cli.no-bodies", {word})
                                   : formatMessage("cli.no-body", {word, near}));
}

/// The graph that the words of --into lead to.
Result<GraphId> graphOf(const ExportRequest& request, const Model& model) {
    GraphId graph = model.mainGraph();
    for (const std::string& word : request.into)
        graph = TRY(bodyNamed(model, graph, word));
    return graph;
}

/// The picture of the request, with the numbers that its colours need.
Result<std::unique_ptr<GraphPicture>> makePicture(const ExportRequest& request, const Original& original,
                                                  History* history) {
    const GraphId graph = TRY(graphOf(request, original.file.model));
    auto picture = std::make_unique<GraphPicture>(original, history, graph);
    if (request.color == "bytes") picture->setHeat(HeatKind::bytes);
    if (request.color == "flops") picture->setHeat(HeatKind::flops);
    if (request.color == "time") picture->setHeat(HeatKind::time);
    return picture;
}

/// The original as a picture or as text; with a recipe, what it leaves of the model.
Result<std::string> draw(const ExportRequest& request, const Original& original, History* history) {
    const bool isOriginal = history == nullptr || paneOf(request) == Pane::before;
    if (kindOf(request) == ".txt") return onnxText(isOriginal ? original.file.model : history->model());
    const auto picture = TRY(makePicture(request, original, history));
    const ExportOptions options = pictureOptions(request);
    return kindOf(request) == ".dot" ? picture->dot(options) : picture->svg(options);
}

/// PNG and PDF: composed here, painted by the window program.
int paint(const ExportRequest& request, const Original& original, History* history, Console& console) {
    const auto made = makePicture(request, original, history);
    if (!made) return console.fail(made.error());
    const GraphPicture& picture = **made;
    const ExportOptions options = pictureOptions(request);
    PictureJob job{request.out, options.theme, request.scale, request.page, options.title};
    ExportOptions composed = options;
    if (job.out.extension() == ".png" && request.scale < 1) {
        // Small pictures are composed small, so that no text in them is too small to read.
        composed.zoom = request.scale;
        job.scale = 1;
    }
    const auto said = paintInChild(picture.list(composed), job);
    if (!said) return console.fail(said.error());
    std::error_code ignored;
    const std::uint64_t bytes = std::filesystem::file_size(request.out, ignored);
    console.line(formatMessage("cli.wrote-picture", {request.out, formatBytes(bytes), *said}));
    console.json({{"schema", 1}, {"out", request.out}, {"bytes", bytes}});
    return 0;
}

int write(const ExportRequest& request, const Original& original, History* history, Console& console) {
    if (kindOf(request) == ".pdf" || kindOf(request) == ".png")
        return paint(request, original, history, console);
    const auto text = draw(request, original, history);
    if (!text) return console.fail(text.error());
    if (const auto written = writeFile(request.out, *text); !written) return console.fail(written.error());
    console.line(formatMessage("cli.report-wrote", {request.out, formatBytes(text->size())}));
    console.json({{"schema", 1}, {"out", request.out}, {"bytes", text->size()}});
    return 0;
}

/// Can the file be written, and is it of a kind that is known?
Result<void> checkExport(const ExportRequest& options) {
    constexpr std::array kKinds{".svg", ".dot", ".txt", ".pdf", ".png"};
    if (std::find(kKinds.begin(), kKinds.end(), kindOf(options)) == kKinds.end())
        return usageError(std::string(message("cli.export-kinds")), options.out);
    return checkOutput(options.out, {options.conversion.model, options.conversion.recipe});
}

int exportGraph(const ExportRequest& options, Console& console) {
    if (const auto ready = checkExport(options); !ready) return console.fail(ready.error());
    // After and overlay without a recipe show the conversion that prune would run.
    if (options.conversion.recipe.empty() && paneOf(options) == Pane::before) {
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
    auto options = std::make_shared<ExportRequest>();
    addModelOption(*verb, options->conversion.model);
    addRecipeOption(*verb, options->conversion, "show what this recipe leaves of the model");
    verb->add_option("--pane", options->pane,
                     "before, after or overlay (what goes and what stays in one picture); without it after "
                     "with a recipe, else before")
        ->check(CLI::IsMember({"before", "after", "overlay"}));
    verb->add_flag("--locked", options->isLocked,
                   "leave every node of After where it stands in Before, with holes for what went");
    verb->add_option("--theme", options->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    verb->add_option("--colour,--color", options->color,
                     "what fills the titles: kind of operator, role, or a scale of bytes, flops or time")
        ->check(CLI::IsMember({"kind", "role", "bytes", "flops", "time"}));
    verb->add_option(
            "--into", options->into,
            "draw the body of this node instead (NODE, or NODE:then_branch); again for a body inside it")
        ->type_name("NODE");
    verb->add_option("--scale", options->scale, "PNG: pixels for one unit; 2 for a sharp print")
        ->check(CLI::Range(0.01, 16.0));
    verb->add_option("--page", options->page,
                     "PDF: cut into pages of this size; without it one page if a PDF can hold it, else a3")
        ->check(CLI::IsMember({"a4", "a3", "a2", "a1", "a0"}));
    verb->add_option("-o,--out", options->out, "F.svg, F.pdf, F.png, F.dot or F.txt")
        ->required()
        ->check(notEmpty())
        ->type_name("F");
    verb->callback([options, &action] {
        action = [options](Console& console) { return exportGraph(*options, console); };
    });
}

} // namespace secateur::cli
