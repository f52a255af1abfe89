// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"
#include "core/session/verification.h"
#include "ui/canvas/viewport.h"

#include <QString>

#include <optional>

namespace secateur {

class Document;

/// Writes the model at the cursor in a worker and says so in the message bar, with what a check found of it.
/// Refuses the opened file. A model that was found to differ is only written when a person says so: the
/// message bar asks. `isForced`: they did.
void exportModel(Document& document, const QString& path, const Verification* verdict = nullptr,
                 bool isForced = false);
/// Writes the whole picture of a pane in a worker: SVG, PNG, PDF or DOT by the ending of the name. After is
/// compact: without the holes of what went. `allOpen`: not as it is shown but with every group open, up to
/// kMostOpenBoxes boxes (core/layout/open_groups.h).
void exportPicture(Document& document, const QString& path, Pane pane, ColorMode colorMode,
                   bool allOpen = false);
/// Writes the report: HTML, Markdown or JSON by the ending of the name. `verdict` is what a check of the
/// recipe as it is found; the structure of the result is then checked, too.
void exportReport(Document& document, const QString& path, const std::optional<Verification>& verdict = {});
void saveRecipeTo(Document& document, const QString& path);
void openRecipeFrom(Document& document, const QString& path);
/// "model.inference.onnx" beside the opened file.
[[nodiscard]] QString proposedExportPath(const Document& document, const QString& ending);

} // namespace secateur
