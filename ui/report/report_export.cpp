// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"
#include "ui/app_state/document.h"
#include "ui/report/export_text.h"
#include "ui/report/exports.h"

#include <QFileInfo>

namespace secateur {

namespace {

/// The verdict with what the checker of ONNX says of the result, as `report --verify` tells it.
Verified verifiedWith(const Verification& verdict, const Model& result, const Model& opened) {
    Verified verified;
    verified.isAsked = true;
    verified.numbers = verdict;
    checkStructure(verified, result, opened);
    return verified;
}

} // namespace

void exportReport(Document& document, const QString& path, const std::optional<Verification>& verdict) {
    if (!document.original() || !document.session()) return;
    const QString ending = QFileInfo(path).suffix().toLower();
    // The report looks at every moment of the history: the worker runs the recipe for itself.
    exportText(document, path,
               [original = document.session()->original(), recipe = document.session()->recipe(), ending,
                verdict](const WorkContext& work) -> Result<std::string> {
                   History history = TRY(History::run(original, recipe, work));
                   ReportOptions options;
                   if (verdict)
                       options.verified = verifiedWith(*verdict, history.model(), original->file.model);
                   const Report report = makeReport(history, options);
                   if (ending == QLatin1String("json")) return reportToJson(report);
                   if (ending == QLatin1String("md")) return reportToMarkdown(report);
                   return reportToHtml(report);
               });
}

} // namespace secateur
