// SPDX-License-Identifier: Apache-2.0
//
// What the actions do, and when they can be used.
#include "ui/window/main_window.h"

#include "ui/app_state/check.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/selection_text.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/target_chooser.h"
#include "ui/canvas/walk_bar.h"
#include "ui/inspector/find_field.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/outline/outline_panel.h"
#include "ui/report/exports.h"
#include "ui/report/nodes_panel.h"
#include "ui/report/problems_panel.h"
#include "ui/steps/steps_panel.h"
#include "ui/theme/theme.h"
#include "ui/window/palette_sources.h"
#include "ui/window/summary_strip.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QListView>
#include <QRegularExpression>
#include <QTableView>
#include <QTreeView>

namespace secateur {

namespace {

constexpr double kZoomStep = 1.25;

/// A dock behind another tab counts as visible to Qt, and lies outside of the window.
bool isInWindow(const QWidget& widget) {
    const QWidget* window = widget.window();
    return window->rect().intersects(QRect(widget.mapTo(window, QPoint()), widget.size()));
}

} // namespace

void MainWindow::on(ActionId id, const std::function<void()>& run) {
    connect((*m_actions)[id], &QAction::triggered, this, run);
}

void MainWindow::connectFile() {
    on(ActionId::open, [this] { askOpen(); });
    on(ActionId::openSample, [this] { openSample(); });
    on(ActionId::openRecipe, [this] {
        askOpenFile("ui.dialog.recipe", "ui.dialog.recipe-filter",
                    [this](const QString& path) { openRecipeFrom(m_document, path); });
    });
    on(ActionId::saveRecipe, [this] {
        askSave("ui.dialog.save-recipe", "ui.dialog.recipe-filter",
                proposedExportPath(m_document, QStringLiteral(".recipe.json")),
                [this](const QString& path) { saveRecipeTo(m_document, path); });
    });
    on(ActionId::exportModel, [this] { askExportModel(); });
    for (const bool isOpen : {false, true})
        on(isOpen ? ActionId::exportOpenPicture : ActionId::exportPicture, [this, isOpen] {
            askSave("ui.dialog.picture", "ui.dialog.picture-filter",
                    proposedExportPath(m_document, QStringLiteral(".svg")),
                    [this, isOpen](const QString& path) {
                        exportPicture(m_document, path, m_compare->active().pane(),
                                      m_compare->link().colorMode(), isOpen);
                    });
        });
    on(ActionId::exportReport, [this] {
        askSave("ui.dialog.report", "ui.dialog.report-filter",
                proposedExportPath(m_document, QStringLiteral(".report.html")),
                [this](const QString& path) { exportReport(m_document, path, m_check->verdict()); });
    });
    on(ActionId::closeWindow, [this] { close(); });
    on(ActionId::quit, [] { QApplication::closeAllWindows(); });
}

void MainWindow::connectEdit() {
    on(ActionId::undo, [this] { m_document.undo(); });
    on(ActionId::redo, [this] { m_document.redo(); });
    on(ActionId::copySummary, [this] { QApplication::clipboard()->setText(m_summary->text()); });
    on(ActionId::copyNodes, [this] {
        const auto text = selectionText(m_document);
        if (text)
            QApplication::clipboard()->setText(QString::fromStdString(*text));
        else
            m_document.say({QStringLiteral("copy"),
                            BarMessage::Severity::warning,
                            tx("ui.copy.failed", {QString::fromStdString(text.error().toString())}),
                            {}});
    });
    on(ActionId::copyName, [this] {
        QStringList names;
        for (const std::uint32_t key : m_document.selection()) {
            if (isNodeKey(key)) {
                const Model& model = modelOf(m_document, NodeId(key));
                if (key < model.nodeIdCount()) names.append(qs(model.name(NodeId(key))));
            } else {
                names.append(nodeName(m_document, key));
            }
        }
        QApplication::clipboard()->setText(names.join(QLatin1Char('\n')));
    });
    on(ActionId::find, [this] {
        m_find->setFocus(Qt::ShortcutFocusReason);
        m_find->selectAll();
    });
    on(ActionId::findNext, [this] { m_find->walk(true); });
    on(ActionId::findPrevious, [this] { m_find->walk(false); });
    for (GraphCanvas* canvas : {&m_compare->before(), &m_compare->after()})
        connect(canvas, &GraphCanvas::actionRequested, this,
                [this](ActionId id) { (*m_actions)[id]->trigger(); });
    const auto showInGraph = [this] { m_compare->active().showSelected(); };
    connect(m_nodes, &NodesPanel::showRequested, this, showInGraph);
    connect(m_outline, &OutlinePanel::showRequested, this, showInGraph);
    connect(m_find, &FindField::left, this, [this] { m_compare->active().setFocus(); });
}

void MainWindow::connectPalette() {
    on(ActionId::commands, [this] {
        m_palette->open(tx("ui.palette.commands"),
                        [this](const QString& query) { return commandsFor(*m_menuBar, query); });
    });
    on(ActionId::goTo, [this] {
        m_palette->open(tx("ui.palette.places"), [this](const QString& query) {
            return placesFor(m_document, query, [this] { showSelectedPlace(); });
        });
    });
}

void MainWindow::showSelectedPlace() {
    if (!m_document.work().isBusy(Work::Kind::graph)) return m_compare->active().showSelected();
    // In a body or function that was not drawn yet: once a worker has made it ready.
    connect(
        &m_document, &Document::selectionChanged, this,
        [this, graph = m_document.shownGraph()] {
            if (m_document.shownGraph() != graph) m_compare->active().showSelected();
        },
        Qt::SingleShotConnection);
}

void MainWindow::connectView() {
    connect((*m_actions)[ActionId::viewOverlay], &QAction::toggled, this,
            [this](bool on) { m_compare->setOverlay(on); });
    connectColours();
    connectMotion();
    (*m_actions)[ActionId::viewSideBySide]->setChecked(true);
    (*m_actions)[ActionId::colourKind]->setChecked(true);
    on(ActionId::fit, [this] { m_compare->active().fitAll(); });
    on(ActionId::fitSelection, [this] { m_compare->active().fitSelection(); });
    on(ActionId::zoomReset, [this] { m_compare->active().resetZoom(); });
    on(ActionId::zoomIn, [this] { m_compare->active().zoomBy(kZoomStep); });
    on(ActionId::zoomOut, [this] { m_compare->active().zoomBy(1 / kZoomStep); });
    on(ActionId::expandGroup, [this] { m_compare->active().openSelected(); });
    on(ActionId::collapseGroup, [this] { m_compare->active().closeSelected(); });
    on(ActionId::expandAll, [this] { m_document.setAllExpanded(true); });
    on(ActionId::collapseAll, [this] { m_document.setAllExpanded(false); });
    (*m_actions)[ActionId::showPath]->setChecked(true);
    connect((*m_actions)[ActionId::showPath], &QAction::toggled, this,
            [this](bool on) { m_compare->link().setShowsPath(on); });
    const auto setTheme = [this](ActionId id, ThemeChoice choice) {
        on(id, [choice] { applyTheme(*qApp, choice); });
        (*m_actions)[id]->setChecked(currentThemeChoice() == choice);
    };
    setTheme(ActionId::themeSystem, ThemeChoice::system);
    setTheme(ActionId::themeLight, ThemeChoice::light);
    setTheme(ActionId::themeDark, ThemeChoice::dark);
    on(ActionId::resetLayout, [this] { resetLayout(); });
    on(ActionId::nextPane, [this] { walkPanes(true); });
    on(ActionId::previousPane, [this] { walkPanes(false); });
    on(ActionId::showKeys, [this] { showKeys(); });
    on(ActionId::about, [this] {
        m_document.say({QStringLiteral("about"),
                        BarMessage::Severity::info,
                        tx("ui.about.text", {QApplication::applicationVersion()}),
                        {}});
    });
}

void MainWindow::connectColours() {
    const auto colour = [this](ActionId id, ColorMode mode, std::optional<HeatKind> heat) {
        connect((*m_actions)[id], &QAction::toggled, this, [this, mode, heat](bool on) {
            if (!on) return;
            m_document.showHeat(heat);
            m_compare->link().setColorMode(mode);
        });
    };
    colour(ActionId::colourKind, ColorMode::kind, std::nullopt);
    colour(ActionId::colourRole, ColorMode::role, std::nullopt);
    colour(ActionId::colourTime, ColorMode::heat, HeatKind::time);
    colour(ActionId::colourBytes, ColorMode::heat, HeatKind::bytes);
    colour(ActionId::colourFlops, ColorMode::heat, HeatKind::flops);
}

void MainWindow::connectMotion() {
    connect((*m_actions)[ActionId::compact], &QAction::toggled, this,
            [this](bool on) { m_document.setCompact(on); });
    connect(&m_document, &Document::compactChanged, this,
            [this] { (*m_actions)[ActionId::compact]->setChecked(m_document.isCompact()); });
    QAction* follow = (*m_actions)[ActionId::followWalk];
    connect(follow, &QAction::toggled, this, [this](bool on) { m_compare->walkBar().setFollowing(on); });
    connect(&m_compare->walkBar(), &WalkBar::followingChanged, follow, &QAction::setChecked);
    connect((*m_actions)[ActionId::wheelZooms], &QAction::toggled, this,
            [this](bool on) { m_compare->link().setWheelZooms(on); });
    connect((*m_actions)[ActionId::reduceMotion], &QAction::toggled, this,
            [this](bool on) { m_compare->link().setMotionReduced(on); });
}

void MainWindow::connectRecipe() {
    on(ActionId::changeTarget, [this] { m_compare->setChoosing(true); });
    on(ActionId::useWeights, [this] {
        askOpenFile("ui.dialog.weights", "ui.dialog.weights-filter",
                    [this](const QString& path) { m_document.setWeights(utf8(path)); });
    });
    on(ActionId::forOnnxRuntime,
       [this] { m_document.setForOnnxRuntime((*m_actions)[ActionId::forOnnxRuntime]->isChecked()); });
    on(ActionId::toggleStep, [this] {
        if (const auto step = m_document.selectedStep())
            m_document.setStepOn(*step, !m_document.session()->recipe().steps[*step].isOn);
    });
    on(ActionId::resetRecipe, [this] { m_document.setRecipe(documentRecipe(), "ui.edit.reset"); });
}

void MainWindow::connectRun() {
    on(ActionId::goStart, [this] { m_document.lookAt(0); });
    on(ActionId::goBack, [this] {
        // From "all steps" the first look back is at the last step by itself.
        const bool isAtEnd = !m_document.selectedStep() && m_document.cursor() > 0;
        m_document.lookAt(isAtEnd ? m_document.cursor() : m_document.cursor() - 1);
    });
    on(ActionId::goStep, [this] { m_document.lookAt(m_document.cursor() + 1); });
    on(ActionId::goEnd, [this] { m_document.lookAtEnd(); });
    on(ActionId::cancelWork, [this] { m_document.work().cancelAll(); });
    connectCheck();
    (*m_actions)[ActionId::beforeOriginal]->setChecked(true);
    connect((*m_actions)[ActionId::beforePrevious], &QAction::toggled, this,
            [this](bool on) { m_document.setBeforePreviousStep(on); });
    on(ActionId::nextChange, [this] { m_compare->walkChanges(true); });
    on(ActionId::previousChange, [this] { m_compare->walkChanges(false); });
}

void MainWindow::connectCheck() {
    on(ActionId::check, [this] { m_check->start(); });
    connect(m_check, &Check::showRequested, this, [this](const QString& value) {
        if (selectByName(value)) m_compare->active().showSelected();
    });
    QAction* automatic = (*m_actions)[ActionId::autoCheck];
    connect(automatic, &QAction::toggled, m_check, &Check::setAutomatic);
    connect(m_check, &Check::automaticChanged, automatic, &QAction::setChecked);
    automatic->setChecked(m_options.checksByItself);
    const auto use = [this](const QStringList& paths) { m_check->useInputs(paths); };
    on(ActionId::checkInputs, [this, use] {
        auto* dialog = new QFileDialog(this, tx("ui.dialog.check-inputs"), m_document.path(),
                                       tx("ui.dialog.check-inputs-filter"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFiles);
        connect(dialog, &QFileDialog::filesSelected, this, use);
        dialog->open();
    });
    on(ActionId::checkInputsFolder, [this, use] {
        auto* dialog = new QFileDialog(this, tx("ui.dialog.check-inputs-folder"), m_document.path());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::filesSelected, this, use);
        dialog->open();
    });
}

void MainWindow::updateActions() {
    updateTitle();
    const bool hasModel = m_document.phase() == Document::Phase::ready;
    const bool hasHistory = hasModel && m_document.history();
    const QString noModel = hasModel ? QString() : tx("ui.why.no-model");
    const QString noHistory = !hasModel    ? tx("ui.why.no-model")
                              : hasHistory ? QString()
                                           : tx("ui.why.no-history");
    for (const ActionId id :
         {ActionId::openRecipe, ActionId::saveRecipe, ActionId::exportPicture, ActionId::copySummary,
          ActionId::find, ActionId::findNext, ActionId::findPrevious, ActionId::goTo, ActionId::fit,
          ActionId::zoomReset, ActionId::zoomIn, ActionId::zoomOut, ActionId::changeTarget,
          ActionId::useWeights, ActionId::forOnnxRuntime, ActionId::resetRecipe})
        m_actions->setUnavailable(id, noModel);
    const QString busy =
        noHistory.isEmpty() && m_document.work().isBusy(Work::Kind::model) ? tx("ui.why.busy") : noHistory;
    for (const ActionId id : {ActionId::exportModel, ActionId::exportReport, ActionId::check,
                              ActionId::checkInputs, ActionId::checkInputsFolder})
        m_actions->setUnavailable(id, busy);
    for (const ActionId id :
         {ActionId::nextChange, ActionId::previousChange, ActionId::beforeOriginal, ActionId::beforePrevious})
        m_actions->setUnavailable(id, noHistory);
    updateStepActions(hasHistory);
    const QString nothing =
        hasModel && !m_document.selection().empty() ? QString() : tx("ui.why.nothing-selected");
    for (const ActionId id :
         {ActionId::fitSelection, ActionId::copyName, ActionId::copyNodes, ActionId::expandGroup})
        m_actions->setUnavailable(id, nothing);
    const bool isInBody = hasModel && m_document.shownGraph() != GraphId(0U);
    m_actions->setUnavailable(ActionId::collapseGroup, isInBody ? QString() : nothing);
    m_actions->setUnavailable(ActionId::followWalk, m_document.waves() ? QString() : tx("ui.why.no-walk"));
    m_actions->setUnavailable(ActionId::compact, noHistory);
    const bool hasGroups = m_document.picture() && !m_document.picture()->hierarchy.groups.empty();
    for (const ActionId id : {ActionId::expandAll, ActionId::collapseAll, ActionId::exportOpenPicture})
        m_actions->setUnavailable(id, hasGroups ? QString() : tx("ui.why.no-groups"));
    m_actions->setUnavailable(ActionId::cancelWork,
                              m_document.work().isBusy() ? QString() : tx("ui.why.nothing-runs"));

    const Session* session = m_document.session();
    (*m_actions)[ActionId::undo]->setText(session && session->canUndo()
                                              ? tx("ui.edit.undo-what", {tx(session->undoText())})
                                              : tx("ui.action.undo"));
    (*m_actions)[ActionId::redo]->setText(session && session->canRedo()
                                              ? tx("ui.edit.redo-what", {tx(session->redoText())})
                                              : tx("ui.action.redo"));
    m_actions->setUnavailable(ActionId::undo,
                              session && session->canUndo() ? QString() : tx("ui.why.nothing-undone"));
    m_actions->setUnavailable(ActionId::redo,
                              session && session->canRedo() ? QString() : tx("ui.why.nothing-redone"));
    if (session) (*m_actions)[ActionId::forOnnxRuntime]->setChecked(session->recipe().isForOnnxRuntime);
}

void MainWindow::updateStepActions(bool hasHistory) {
    const std::size_t cursor = m_document.cursor(),
                      steps = hasHistory ? m_document.history()->steps().size() : 0;
    const QString atStart = !hasHistory   ? tx("ui.why.no-history")
                            : cursor == 0 ? tx("ui.why.at-start")
                                          : QString();
    m_actions->setUnavailable(ActionId::goStart, atStart);
    m_actions->setUnavailable(ActionId::goBack, atStart);
    m_actions->setUnavailable(ActionId::goStep, !hasHistory       ? tx("ui.why.no-history")
                                                : cursor >= steps ? tx("ui.why.at-end")
                                                                  : QString());
    const bool isAll = cursor >= steps && !m_document.selectedStep();
    m_actions->setUnavailable(ActionId::goEnd, !hasHistory ? tx("ui.why.no-history")
                                               : isAll     ? tx("ui.why.at-end")
                                                           : QString());
    m_actions->setUnavailable(ActionId::toggleStep,
                              m_document.selectedStep() ? QString() : tx("ui.why.no-step"));
}

void MainWindow::askOpen() {
    askOpenFile("ui.dialog.open", "ui.dialog.open-filter", [this](const QString& path) { openFile(path); });
}

void MainWindow::askOpenFile(const char* titleId, const char* filterId,
                             const std::function<void(const QString&)>& then) {
    auto* dialog = new QFileDialog(this, tx(titleId), m_document.path(), tx(filterId));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, then);
    dialog->open();
}

void MainWindow::askSave(const char* titleId, const char* filterId, const QString& proposal,
                         const std::function<void(const QString&)>& then) {
    auto* dialog = new QFileDialog(this, tx(titleId), proposal, tx(filterId));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(proposal);
    // A name without an ending gets that of the chosen kind.
    const auto useEnding = [dialog](const QString& filter) {
        const qsizetype at = filter.indexOf(QStringLiteral("*.")) + 2;
        dialog->setDefaultSuffix(filter.mid(at, filter.indexOf(QRegularExpression("[ )]"), at) - at));
    };
    useEnding(dialog->selectedNameFilter());
    connect(dialog, &QFileDialog::filterSelected, dialog, useEnding);
    connect(dialog, &QFileDialog::fileSelected, this, then);
    dialog->open();
}

void MainWindow::askExportModel() {
    const History* history = m_document.history();
    if (!history) return;
    const bool isEnd = history->cursor() == history->steps().size();
    const QString title = isEnd ? tx("ui.dialog.export-model")
                                : tx("ui.dialog.export-model-at", {QString::number(history->cursor())});
    auto* dialog = new QFileDialog(this, title, QString(), tx("ui.dialog.export-filter"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("onnx"));
    dialog->selectFile(proposedExportPath(m_document, QStringLiteral(".inference.onnx")));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { exportModel(m_document, path, m_check->verdictAtCursor()); });
    dialog->open();
}

void MainWindow::showKeys() {
    m_keysDock->show();
    m_keysDock->raise();
}

QList<QWidget*> MainWindow::panes() const {
    const QList<QWidget*> all{&m_steps->view(),     &m_outline->view(),    &m_compare->before(),
                              &m_compare->after(),  &m_compare->chooser(), m_inspector,
                              m_keysDock->widget(), &m_nodes->view(),      &m_problems->view()};
    QList<QWidget*> visible;
    for (QWidget* pane : all)
        if (pane->isVisible() && isInWindow(*pane)) visible.append(pane);
    return visible;
}

void MainWindow::walkPanes(bool forward) {
    const QList<QWidget*> all = panes();
    if (all.isEmpty()) return;
    // What has the focus lies in a pane, or in the dock of one: the filter above the table.
    const QWidget* focused = QApplication::focusWidget();
    qsizetype at = -1;
    for (qsizetype i = 0; focused && i < all.size(); ++i) {
        const QWidget* area = all[i]->parentWidget();
        if (area == focused || area->isAncestorOf(focused)) at = i;
    }
    const qsizetype count = all.size();
    const qsizetype next = at < 0 ? (forward ? 0 : count - 1) : (at + (forward ? 1 : -1) + count) % count;
    all[next]->setFocus(forward ? Qt::TabFocusReason : Qt::BacktabFocusReason);
}

} // namespace secateur
