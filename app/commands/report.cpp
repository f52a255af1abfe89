// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/output.h"
#include "app/commands/verify.h"
#include "core/messages/messages.h"
#include "core/onnx/save.h"
#include "core/report/report_json.h"
#include "core/support/atomic_file.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <map>

namespace secateur::cli {
namespace {

struct ReportVerb {
    ConversionOptions conversion;
    VerifyOptions check;
    std::string out;
    bool listsAll = false; ///< --all
};

int report(const ReportVerb& verb, Console& console) {
    const ConversionOptions& options = verb.conversion;
    const std::string& out = verb.out;
    const std::string kind = endingOf(out);
    if (kind == ".pdf") return console.fail(missingHere(std::string(message("cli.report-pdf")), out));
    static const std::map<std::string, std::string (*)(const Report&)> kWriters{
        {".html", reportToHtml}, {".htm", reportToHtml}, {".md", reportToMarkdown}, {".json", reportToJson}};
    const auto writer = kWriters.find(kind);
    if (writer == kWriters.end())
        return console.fail(usageError(std::string(message("cli.report-kinds")), out));
    const auto ready = checkOutput(out, {options.model, options.recipe, options.weights});
    if (!ready) return console.fail(ready.error());
    Converted converted = convert(options, {}, console);
    if (!converted.history) return converted.exit;
    History& history = console.keep(std::move(*converted.history));
    if (const auto open = whatIsOpen(history)) console.note(errorLine(*open)); // the report tells it, too
    ReportOptions reporting;
    if (const auto exit = verify(history, converted.original, out, verb.check, reporting.verified, console))
        return *exit;
    reporting.command = commandFor(options, verb.check.isVerified, verb.check.bindings);
    reporting.listsAll = verb.listsAll;
    reporting.hasPictures = kind != ".json" && kind != ".md";
    const Report told = makeReport(history, reporting);
    const std::string text = writer->second(told);
    if (const auto safe = checkHoldsNoWeights(history.original().file.model, out); !safe)
        return console.fail(safe.error());
    if (const auto written = writeFile(out, text); !written) return console.fail(written.error());
    console.line(formatMessage("cli.report-wrote", {out, formatBytes(text.size())}));
    if (console.isJson()) {
        auto json = reportToJsonObject(told, true);
        json["verify"] = verifiedJson(told.verified);
        json["out"] = out;
        console.json(json);
    }
    return 0;
}

} // namespace

void addReport(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("report", "the whole before and after story in one file");
    auto options = std::make_shared<ReportVerb>();
    addConversionOptions(*verb, options->conversion);
    options->conversion.mentionsCheckpoint = true;
    addRecipeOption(*verb, options->conversion, "recipe to tell about, instead of the conversion");
    addVerifyOptions(*verb, options->check);
    verb->add_flag("--all", options->listsAll,
                   "list every removed node, stash and weight in .html and .md, however many; unless given, "
                   ".md stops at 150 removed nodes and .html at 1,000 of each step, and both say how many "
                   "are left out (.json always holds all)");
    verb->add_option("-o,--out", options->out, "F.html, F.md or F.json")
        ->required()
        ->check(notEmpty())
        ->type_name("F");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return report(*options, console); }; });
}

} // namespace secateur::cli
