// SPDX-License-Identifier: Apache-2.0
#include "ui/report/exports.h"

#include "core/layout/open_groups.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/onnx/save.h"
#include "core/picture/export_picture.h"
#include "core/session/recipe.h"
#include "core/session/weight_fit.h"
#include "core/support/atomic_file.h"
#include "core/support/file_names.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/report/export_text.h"
#include "ui/report/picture_file.h"
#include "ui/theme/theme.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QUrl>

#include <memory>

namespace secateur {

namespace {

using Severity = BarMessage::Severity;

BarMessage::Link folderLink(const QString& path) {
    return {tx("ui.link.folder"),
            [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); }};
}

void sayError(Document& document, const Error& error) {
    if (error.code == ErrorCode::cancelled) return;
    document.say({QStringLiteral("export"), Severity::error, QString::fromStdString(error.toString()), {}});
}

void sayDone(Document& document, const QString& path, const QString& text) {
    document.say({QStringLiteral("export"), Severity::ok, text, {folderLink(path)}});
}

bool isOpenedFile(const Document& document, const QString& path) {
    if (document.path().isEmpty()) return false;
    const QString opened = QFileInfo(document.path()).canonicalFilePath(),
                  wanted = QFileInfo(path).canonicalFilePath();
    return !wanted.isEmpty() && opened == wanted;
}

void sayIsOpenedFile(Document& document, const QString& path) {
    document.say({QStringLiteral("export"),
                  Severity::error,
                  tx("ui.export.same-file", {QFileInfo(path).fileName()}),
                  {}});
}

/// Writes a file in a worker and says so in the message bar.
void exportFile(Document& document, const QString& path,
                std::function<Result<void>(const std::filesystem::path&, const WorkContext&)> write) {
    if (isOpenedFile(document, path)) return sayIsOpenedFile(document, path);
    const auto original = document.session() ? document.session()->original() : nullptr;
    document.work().start<Result<void>>(
        Work::Kind::exporting, tx("ui.work.export", {QFileInfo(path).fileName()}),
        [write = std::move(write), original,
         file = std::filesystem::path(utf8(path))](const WorkContext& work) -> Result<void> {
            if (original) TRY(checkHoldsNoWeights(original->file.model, file));
            return write(file, work);
        },
        [&document, path](Result<void> written) {
            if (!written) return sayError(document, written.error());
            sayDone(document, path,
                    tx("ui.export.done", {QFileInfo(path).fileName(),
                                          bytesText(static_cast<std::uint64_t>(QFileInfo(path).size()))}));
        });
}

} // namespace

void exportText(Document& document, const QString& path,
                std::function<Result<std::string>(const WorkContext&)> make) {
    exportFile(
        document, path,
        [make = std::move(make)](const std::filesystem::path& file, const WorkContext& work) -> Result<void> {
            const std::string text = TRY(make(work));
            return writeFile(file, text);
        });
}

QString proposedExportPath(const Document& document, const QString& ending) {
    const QFileInfo file(document.path().isEmpty() ? document.title() : document.path());
    QString base = file.completeBaseName();
    // A folder of checkpoints calls every file "model": the folder's name tells them apart.
    if (isCommonModelName(utf8(file.fileName()))) base = file.dir().dirName();
    if (base.endsWith(QLatin1String(".training"))) base.chop(9);
    const QString folder = document.path().isEmpty() ? QDir::homePath() : file.absolutePath();
    return folder + QLatin1Char('/') + base + ending;
}

namespace {

bool hasFailed(const Verification& verdict) {
    using Status = Verification::Status;
    return verdict.status == Status::differs || (verdict.second && verdict.second->status == Status::differs);
}

QString verdictWords(const Verification& verdict) {
    const bool isSecond =
        hasFailed(verdict) && verdict.status != Verification::Status::differs && verdict.second;
    return isSecond
               ? tx("ui.export.second", {qs(verdict.text()), qs(verdict.second->text(verdict.tolerance))})
               : qs(verdict.text());
}

/// That a check found a difference, so that nothing was written, and the way to write all the same.
void askWhetherToExport(Document& document, const QString& path, const Verification& verdict) {
    BarMessage asked{QLatin1String(kExportQuestion),
                     Severity::question,
                     tx("ui.export.differs", {QFileInfo(path).fileName(), verdictWords(verdict)}),
                     {}};
    asked.links.push_back({tx("ui.export.write-anyway"), [&document, path, verdict] {
                               document.dismiss(QLatin1String(kExportQuestion));
                               exportModel(document, path, &verdict, true);
                           }});
    document.say(std::move(asked));
}

} // namespace

void exportModel(Document& document, const QString& path, const Verification* verdict, bool isForced) {
    if (!document.original()) return;
    if (isOpenedFile(document, path)) return sayIsOpenedFile(document, path);
    const bool isBad = verdict != nullptr && hasFailed(*verdict);
    if (isBad && !isForced) return askWhetherToExport(document, path, *verdict);
    const QString checked = verdict != nullptr ? verdictWords(*verdict) : tx("verify.not-checked");
    const History* history = document.history();
    // The worker gets a copy: the cursor may move while it writes.
    auto model =
        std::make_shared<Model>(history ? history->model().clone() : document.original()->file.model.clone());
    const std::size_t cursor = document.cursor(), steps = history ? history->steps().size() : 0;
    const std::uint64_t nodes =
        cursor == 0 ? document.original()->metrics.nodes : history->steps()[cursor - 1].after.nodes;
    const auto opset = model->opsetVersion("").value_or(0);
    const auto ir = model->header().irVersion;
    document.work().start<Result<void>>(
        Work::Kind::exporting, tx("ui.work.export", {QFileInfo(path).fileName()}),
        [model, original = document.session()->original(),
         file = std::filesystem::path(utf8(path))](const WorkContext& work) -> Result<void> {
            if (auto refused = whyNotConverted(original->file)) return std::move(*refused);
            const auto defects = inheritedDefects(original->file, *model);
            if (!defects.empty()) {
                return invalidInput(
                    formatMessage("save.defect-remains", {std::to_string(defects.size()), defects.front()}),
                    original->file.path.string());
            }
            return saveModel(*model, file, work);
        },
        [&document, path, cursor, steps, nodes, opset, ir, checked, isBad](Result<void> written) {
            if (!written) return sayError(document, written.error());
            QString text =
                tx("ui.export.model-done", {QFileInfo(path).fileName(), countText(nodes),
                                            bytesText(static_cast<std::uint64_t>(QFileInfo(path).size())),
                                            QString::number(opset), QString::number(ir), checked});
            if (cursor != steps)
                text += QLatin1Char(' ') +
                        tx("ui.export.at-step", {QString::number(cursor), QString::number(steps)});
            document.say({QStringLiteral("export"),
                          isBad ? Severity::warning : Severity::ok,
                          text,
                          {folderLink(path)}});
        });
}

namespace {

/// One moment of the document, held by the worker that draws it: the window may go on.
struct PictureSource {
    std::shared_ptr<const UnionPicture> picture;
    std::shared_ptr<const Layout> layout;
    ExpandState expanded;
    PictureState state;
    const Heat* heat; ///< of the picture; null: no heat map

    /// The same with every group open.
    [[nodiscard]] Result<PictureSource> opened(const WorkContext& work) const {
        const LayoutGraph& graph = picture->unionGraph.graph;
        PictureSource all = *this;
        all.expanded = TRY(openGroups(graph, picture->hierarchy, expanded, {"all"}));
        LayoutOptions options;
        options.isCancelled = [cancel = work.cancel] { return cancel.isCancelled(); };
        all.layout = std::make_shared<Layout>(layoutGraph(graph, picture->hierarchy, all.expanded, options));
        if (all.layout->cancelled) return cancelled();
        return all;
    }
    [[nodiscard]] ExportSource source() const {
        return {picture->unionGraph.graph, picture->hierarchy, expanded, *layout, state, heat};
    }
};

/// Writes the kind of picture that the ending asks for.
Result<void> writePicture(const ExportSource& source, const ExportOptions& options,
                          const std::filesystem::path& file, const WorkContext& work) {
    const std::string kind = endingOf(file);
    if (kind == ".dot") return writeFile(file, exportDot(source, options));
    if (kind == ".svg") return writeFile(file, exportSvg(source, options));
    if (kind != ".png" && kind != ".pdf")
        return usageError(std::string(message("ui.export.picture-kinds")), file.string());
    const DisplayList list = exportList(source, options);
    PictureFileOptions painted;
    painted.theme = options.theme;
    painted.title = options.title;
    if (kind == ".png")
        TRY(writePng(list, file, painted, work));
    else
        TRY(writePdf(list, file, painted, work));
    return {};
}

} // namespace

void exportPicture(Document& document, const QString& path, Pane pane, ColorMode colorMode, bool allOpen) {
    if (!document.picture() || !document.layout()) return;
    ExportOptions options;
    options.pane = pane;
    options.theme = currentTheme();
    options.colorMode = colorMode;
    options.title = utf8(document.title());
    exportFile(document, path,
               [moment = std::make_shared<const PictureSource>(
                    PictureSource{document.picture(), document.layout(), document.expanded(),
                                  document.state(), document.shownHeat()}),
                options,
                allOpen](const std::filesystem::path& file, const WorkContext& work) -> Result<void> {
                   if (!allOpen) return writePicture(moment->source(), options, file, work);
                   return writePicture(TRY(moment->opened(work)).source(), options, file, work);
               });
}

void saveRecipeTo(Document& document, const QString& path) {
    if (!document.session()) return;
    if (isOpenedFile(document, path)) return sayIsOpenedFile(document, path);
    // In a worker: the weights are hashed, and a checkpoint has gigabytes.
    const QString name = QFileInfo(path).fileName();
    document.work().start<Result<void>>(
        Work::Kind::exporting, tx("ui.work.recipe", {name}),
        [recipe = document.session()->recipeToSave(), original = document.session()->original(),
         file = std::filesystem::path(utf8(path))](const WorkContext&) -> Result<void> {
            TRY(checkHoldsNoWeights(original->file.model, file));
            return saveRecipe(recipe, file);
        },
        [&document, path, name, asSaved = document.session()->recipe()](Result<void> saved) {
            if (!saved) return sayError(document, saved.error());
            // Edited meanwhile: the file holds the recipe before that.
            if (document.session() && document.session()->recipe() == asSaved) document.markSaved();
            sayDone(document, path, tx("ui.recipe.saved", {name}));
        });
}

void openRecipeFrom(Document& document, const QString& path) {
    if (!document.session()) return;
    const Result<Recipe> recipe = loadRecipe(std::filesystem::path(utf8(path)));
    if (!recipe) return sayError(document, recipe.error());
    document.setRecipe(*recipe, "ui.edit.open-recipe");
    if (recipe->weightsHash.empty()) return;
    const QString file = QFileInfo(QString::fromStdString(recipe->weightsPath)).fileName();
    document.work().start<bool>(
        Work::Kind::exporting, tx("ui.work.weights", {file}),
        [recipe = *recipe](const WorkContext&) {
            // Weights that cannot be read stop the run of the recipe, which says so.
            const auto same = areWeightsAsSaved(recipe);
            return !same || *same;
        },
        [&document, file](bool isSame) {
            if (isSame) return;
            document.say({QStringLiteral("recipe-weights"),
                          Severity::warning,
                          tx("ui.recipe.other-weights", {file}),
                          {}});
        });
}

} // namespace secateur
