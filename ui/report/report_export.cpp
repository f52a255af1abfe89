// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"
#include "ui/app_state/document.h"
#include "ui/report/export_text.h"
#include "ui/report/exports.h"

#include <QFileInfo>

namespace secateur {

void exportReport(Document& document, const QString& path) {
    if (!document.original() || !document.session()) return;
    const QString ending = QFileInfo(path).suffix().toLower();
    // The report looks at every moment of the history: the worker runs the recipe for itself.
    exportText(document, path,
               [original = document.session()->original(), recipe = document.session()->recipe(),
                ending](const WorkContext& work) -> Result<std::string> {
                   History history = TRY(History::run(original, recipe, work));
                   const Report report = makeReport(history);
                   if (ending == QLatin1String("json")) return reportToJson(report);
                   if (ending == QLatin1String("md")) return reportToMarkdown(report);
                   return reportToHtml(report);
               });
}

} // namespace secateur
