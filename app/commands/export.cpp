// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/output.h"
#include "app/commands/picture_child.h"
#include "core/layout/open_groups.h"
#include "core/messages/messages.h"
#include "core/onnx/onnx_text.h"
#include "core/onnx/save.h"
#include "core/picture/breadcrumbs.h"
#include "core/report/pictures.h"
#include "core/support/atomic_file.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace secateur::cli {
namespace {

constexpr double kSmallestScale = 0.01, kLargestScale = 16;

struct ExportRequest {
    ConversionOptions conversion;
    std::string out;
    std::string pane;  ///< "": after with a recipe, before without
    std::string theme; ///< "": light
    std::string color; ///< "": kind
    std::string rows;  ///< "": compact
    std::optional<double> scale;
    std::string page;
    std::vector<std::string> open; ///< words of core/layout/open_groups.h
    std::vector<std::string> into; ///< "NODE" or "NODE:ATTRIBUTE", from the outside in
};

std::string kindOf(const ExportRequest& request) {
    return endingOf(request.out);
}

/// Does anything on the command line say how to convert? Then it is the result that is asked for.
bool isConversionAsked(const ConversionOptions& options) {
    const ConversionOptions untouched;
    return !options.recipe.empty() || !options.targets.empty() || !options.weights.empty() ||
           options.batchNorm != untouched.batchNorm || options.runtime != untouched.runtime ||
           options.stripsTraces;
}

Pane paneOf(const ExportRequest& request) {
    if (request.pane.empty()) return isConversionAsked(request.conversion) ? Pane::after : Pane::before;
    return request.pane == "before" ? Pane::before : request.pane == "after" ? Pane::after : Pane::overlay;
}

ExportOptions pictureOptions(const ExportRequest& request) {
    ExportOptions options;
    options.pane = paneOf(request);
    options.isCompact = request.rows != "locked";
    options.theme = request.theme == "dark" ? ThemeKind::dark : ThemeKind::light;
    const bool isKind = request.color.empty() || request.color == "kind";
    options.colorMode = isKind                    ? ColorMode::kind
                        : request.color == "role" ? ColorMode::role
                                                  : ColorMode::heat;
    options.title = modelTitle(request.conversion.model);
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
    if (!request.open.empty()) TRY(picture->open(request.open));
    return picture;
}

/// The original as a picture or as text; with a recipe, what it leaves of the model.
Result<std::string> draw(const ExportRequest& request, const Original& original, History* history,
                         Console& console) {
    const bool isOriginal = history == nullptr || paneOf(request) == Pane::before;
    if (kindOf(request) == ".txt") {
        auto written = TRY(onnxText(isOriginal ? original.file.model : history->model()));
        if (written.leftOut > 0)
            console.note(formatMessage("cli.text-left-out", {formatCount(written.leftOut)}));
        return std::move(written.text);
    }
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
    const double scale = request.scale.value_or(1);
    // Small pictures are composed small, so that no text in them is too small to read.
    ExportOptions composed = options;
    composed.zoom = std::min(scale, 1.0);
    const PictureJob job{request.out, options.theme, std::max(scale, 1.0), request.page, options.title};
    const auto said = paintInChild(picture.list(composed), job, console.work());
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
    const auto text = draw(request, original, history, console);
    if (!text) return console.fail(text.error());
    if (const auto written = writeFile(request.out, *text); !written) return console.fail(written.error());
    console.line(formatMessage("cli.report-wrote", {request.out, formatBytes(text->size())}));
    console.json({{"schema", 1}, {"out", request.out}, {"bytes", text->size()}});
    return 0;
}

/// Options that a kind of file has no use for: what would do nothing is refused.
Result<void> checkOptions(const ExportRequest& request) {
    struct Use {
        const char* option;
        bool isGiven;
        std::string_view kinds;
    };
    constexpr std::string_view kPictures = ".svg, .pdf, .png", kGraphs = ".svg, .pdf, .png, .dot";
    const std::array uses{
        Use{"--scale", request.scale.has_value(), ".png"}, Use{"--page", !request.page.empty(), ".pdf"},
        Use{"--rows", !request.rows.empty(), kPictures},   Use{"--color", !request.color.empty(), kPictures},
        Use{"--open", !request.open.empty(), kPictures},   Use{"--theme", !request.theme.empty(), kGraphs},
        Use{"--into", !request.into.empty(), kGraphs},
    };
    const std::string kind = kindOf(request);
    for (const Use& use : uses)
        if (use.isGiven && use.kinds.find(kind) == std::string_view::npos)
            return usageError(formatMessage("cli.export-option", {use.option, std::string(use.kinds), kind}));
    if (request.color == "time") return usageError(std::string(message("cli.export-time")));
    if (!request.rows.empty() && paneOf(request) != Pane::after)
        return usageError(std::string(message("cli.export-rows")));
    return {};
}

/// Can the file be written, and is it of a kind that is known?
Result<void> checkExport(const ExportRequest& options) {
    constexpr std::array kKinds{".svg", ".dot", ".txt", ".pdf", ".png"};
    if (std::find(kKinds.begin(), kKinds.end(), kindOf(options)) == kKinds.end())
        return usageError(std::string(message("cli.export-kinds")), options.out);
    TRY(checkOptions(options));
    return checkOutput(options.out,
                       {options.conversion.model, options.conversion.recipe, options.conversion.weights});
}

/// CLI::Range takes what is no number for one of its range.
CLI::Validator isScale() {
    return CLI::Validator(
        [](const std::string& text) {
            double scale = 0;
            const bool isNumber = CLI::detail::lexical_cast(text, scale);
            return isNumber && scale >= kSmallestScale && scale <= kLargestScale
                       ? std::string()
                       : formatMessage("cli.export-scale", {text});
        },
        "FLOAT in [0.01 - 16]");
}

int exportGraph(const ExportRequest& options, Console& console) {
    if (const auto ready = checkExport(options); !ready) return console.fail(ready.error());
    // After and overlay without a recipe show the conversion that prune would run.
    if (!isConversionAsked(options.conversion) && paneOf(options) == Pane::before) {
        const auto original = openOriginal(options.conversion.model, console.work());
        if (!original) return console.fail(original.error());
        if (const auto safe = checkHoldsNoWeights((*original)->file.model, options.out); !safe)
            return console.fail(safe.error());
        return write(options, **original, nullptr, console);
    }
    Converted converted = convert(options.conversion, {.hasHashes = false, .hasSizes = false}, console);
    if (!converted.history) return converted.exit;
    History& history = console.keep(std::move(*converted.history));
    if (const auto open = whatIsOpen(history)) return console.fail(*open);
    if (const auto safe = checkHoldsNoWeights(history.original().file.model, options.out); !safe)
        return console.fail(safe.error());
    return write(options, history.original(), &history, console);
}

} // namespace

void addExport(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("export", "a picture of the graph, or the model as text");
    auto options = std::make_shared<ExportRequest>();
    addConversionOptions(*verb, options->conversion);
    addRecipeOption(*verb, options->conversion, "show what this recipe leaves of the model");
    verb->add_option("--pane", options->pane,
                     "before, after or overlay (what goes and what stays in one picture); without it after "
                     "where a recipe or an option says how to convert, else before")
        ->check(CLI::IsMember({"before", "after", "overlay"}));
    verb->add_option("--rows", options->rows,
                     "of After: compact closes the gaps of what went (the default), locked leaves every node "
                     "where it stands in Before, with holes")
        ->check(CLI::IsMember({"compact", "locked"}));
    verb->add_option("--theme", options->theme, "light (the default) or dark")
        ->check(CLI::IsMember({"light", "dark"}));
    verb->add_option(
            "--colour,--color", options->color,
            "what fills the titles: kind of operator (the default), role, or a scale of bytes or flops")
        ->check(CLI::IsMember({"kind", "role", "bytes", "flops", "time"}).description("")) // time: in words
        ->type_name("kind|role|bytes|flops");
    verb->add_option("--open", options->open,
                     "groups of nodes to draw open, also again: all, a number of levels (0: none), or the "
                     "name of a group besides those that the window opens with; " +
                         formatCount(kMostOpenBoxes) +
                         " boxes are the most (.dot has every node in any case)")
        ->check(notEmpty())
        ->allow_extra_args(false)
        ->type_name("all|N|GROUP");
    verb->add_option(
            "--into", options->into,
            "draw the body of this node instead (NODE, or NODE:then_branch); again for a body inside it")
        ->type_name("NODE");
    verb->add_option("--scale", options->scale,
                     "PNG: pixels for one unit; 2 for a sharp print, below 1 for an overview")
        ->check(isScale());
    verb->add_option("--page", options->page,
                     "PDF: cut into pages of this size; without it one page if a PDF can hold it, else a3")
        ->check(CLI::IsMember({"a4", "a3", "a2", "a1", "a0"}));
    verb->add_option("-o,--out", options->out,
                     "F.svg, F.pdf, F.png (pictures), F.dot (Graphviz) or F.txt (ONNX text)")
        ->required()
        ->check(notEmpty())
        ->type_name("F");
    verb->callback([options, &action] {
        action = [options](Console& console) { return exportGraph(*options, console); };
    });
}

} // namespace secateur::cli
