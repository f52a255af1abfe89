// SPDX-License-Identifier: Apache-2.0
#include "ui/window/main_window.h"

#include "ui/app_state/check.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/compare_view.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/inspector/find_field.h"
#include "ui/inspector/find_index.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/outline/outline_panel.h"
#include "ui/report/nodes_panel.h"
#include "ui/report/problems_model.h"
#include "ui/report/problems_panel.h"
#include "ui/steps/steps_panel.h"
#include "ui/theme/theme.h"
#include "ui/window/focus_ring.h"
#include "ui/window/keys_panel.h"
#include "ui/window/message_bar.h"
#include "ui/window/palette.h"
#include "ui/window/placeholder_panel.h"
#include "ui/window/summary_strip.h"
#include "ui/window/work_status.h"

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QStatusBar>
#include <QThread>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace secateur {

namespace {

constexpr int kSideWidth = 264, kBottomHeight = 220, kToolbarHeight = 36;
constexpr QSize kUsualSize{1440, 900};
/// Narrower windows show one pane and no inspector.
constexpr int kRoomyWidth = 1200, kTallHeight = 720;

} // namespace

MainWindow::MainWindow(WindowOptions options, QWidget* parent) : QMainWindow(parent), m_options(options) {
    setWindowIcon(QIcon(QStringLiteral(":/icons/secateur.svg")));
    setMinimumSize(640, 420);
    resize(kUsualSize);
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    m_actions = new Actions(this);
    m_palette = new Palette(this);
    buildCentre();
    buildDocks();
    buildTop();
    buildStatusBar();
    connectFile();
    connectEdit();
    connectPalette();
    connectView();
    connectRecipe();
    connectRun();
    m_defaultState = saveState();

    for (const auto signal : {&Document::phaseChanged, &Document::historyChanged, &Document::recipeChanged,
                              &Document::cursorChanged})
        connect(&m_document, signal, this, &MainWindow::updateActions);
    connect(&m_document, &Document::selectionChanged, this, &MainWindow::updateActions);
    connect(&m_document, &Document::layoutChanged, this, &MainWindow::updateActions);
    connect(&m_document, &Document::graphChanged, this, &MainWindow::updateActions);
    connect(&m_document.work(), &Work::changed, this, &MainWindow::updateActions);
    connect(&m_document, &Document::selectionChanged, this, &MainWindow::updateStatus);
    connect(&m_compare->link(), &ViewLink::viewportChanged, this, &MainWindow::updateStatus);
    connect(&m_compare->after(), &GraphCanvas::viewMoved, this, &MainWindow::updateStatus);
    connect(&m_document, &Document::changeTargetRequested, this, [this] { m_compare->setChoosing(true); });
    connect(&m_document, &Document::problemsRequested, this, [this] {
        m_problemsDock->show();
        m_problemsDock->raise();
    });
    connect(m_inspector, &InspectorPanel::pathRequested, this,
            [this] { (*m_actions)[ActionId::showPath]->setChecked(true); });
    connect(&m_document, &Document::phaseChanged, this, &MainWindow::offerUnsavedRecipe);
    new FocusRing(this);
    restoreSettings();
    updateActions();
    updateStatus();
    m_compare->before().setFocus();
}

MainWindow::~MainWindow() {
    // Views read the document until they are gone, and members go before children.
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

void MainWindow::buildCentre() {
    m_compare = new CompareView(m_document, *m_actions);
    setCentralWidget(m_compare);
}

void MainWindow::buildTop() {
    // Menu, toolbar, summary and messages take the full width above the docks; what stands in the menu's
    // place may be as high as its text needs.
    auto* top = new QWidget;
    m_menuBar = new QMenuBar;
    m_menuBar->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_check = new Check(m_document, this);
    m_steps->follow(*m_check);
    m_summary = new SummaryStrip(m_document, *m_check, *m_actions);
    m_bar = new MessageBar(m_document);
    auto* box = new QVBoxLayout(top);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(m_menuBar);
    box->addWidget(buildToolbar());
    box->addWidget(m_summary);
    box->addWidget(m_bar);
    buildMenus();
    setMenuWidget(top);
}

QDockWidget* MainWindow::addDock(const char* name, const char* titleId, QWidget* content,
                                 Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(tx(titleId), this);
    dock->setObjectName(QLatin1String(name));
    dock->setWidget(content);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildDocks() {
    m_steps = new StepsPanel(m_document);
    m_outline = new OutlinePanel(m_document);
    m_inspector = new InspectorPanel(m_document);
    m_nodes = new NodesPanel(m_document);
    m_problems = new ProblemsPanel(m_document);
    m_stepsDock = addDock("stepsDock", "ui.dock.steps", m_steps, Qt::LeftDockWidgetArea);
    m_outlineDock = addDock("outlineDock", "ui.dock.outline", m_outline, Qt::LeftDockWidgetArea);
    m_inspectorDock = addDock("inspectorDock", "ui.dock.inspector", m_inspector, Qt::RightDockWidgetArea);
    m_memoryDock = addDock("memoryDock", "ui.dock.memory", new PlaceholderPanel("ui.memory.sentence"),
                           Qt::BottomDockWidgetArea);
    m_profileDock = addDock("profileDock", "ui.dock.profile", new PlaceholderPanel("ui.profile.sentence"),
                            Qt::BottomDockWidgetArea);
    m_nodesDock = addDock("nodesDock", "ui.dock.nodes", m_nodes, Qt::BottomDockWidgetArea);
    m_problemsDock = addDock("problemsDock", "ui.dock.problems", m_problems, Qt::BottomDockWidgetArea);
    m_keysDock = addDock("keysDock", "ui.dock.keys", new KeysPanel, Qt::RightDockWidgetArea);
    m_keysDock->hide();
    tabifyDockWidget(m_stepsDock, m_outlineDock);
    m_stepsDock->raise();
    tabifyDockWidget(m_memoryDock, m_profileDock);
    tabifyDockWidget(m_profileDock, m_nodesDock);
    tabifyDockWidget(m_nodesDock, m_problemsDock);
    tabifyDockWidget(m_inspectorDock, m_keysDock);
    m_nodesDock->raise();
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::South);
    resizeDocks({m_stepsDock, m_inspectorDock}, {kSideWidth, kSideWidth}, Qt::Horizontal);
    resizeDocks({m_memoryDock}, {kBottomHeight}, Qt::Vertical);
    connect(&m_problems->model(), &QAbstractItemModel::modelReset, this, &MainWindow::updateProblemsTitle);
    updateProblemsTitle();
}

void MainWindow::buildMenus() {
    std::map<MenuId, QMenu*> menus;
    QMenu* theme = nullptr;
    for (const ActionInfo& info : actionTable()) {
        QMenu*& menu = menus[info.menu];
        if (!menu) {
            menu = m_menuBar->addMenu(tx(menuTextId(info.menu)));
            menu->setObjectName(QLatin1String(menuTextId(info.menu)));
            menu->setToolTipsVisible(true);
        }
        const bool isTheme = QLatin1String(info.group) == QLatin1String("theme");
        if (isTheme && !theme) theme = menu->addMenu(tx("ui.menu.theme"));
        (isTheme ? theme : menu)->addAction((*m_actions)[info.id]);
        if (info.id == ActionId::open) m_recent = menu->addMenu(tx("ui.menu.recent"));
        if (info.endsSection) menu->addSeparator();
        if (info.id == ActionId::previousPane) {
            for (QDockWidget* dock : {m_stepsDock, m_outlineDock, m_inspectorDock, m_memoryDock,
                                      m_profileDock, m_nodesDock, m_problemsDock})
                menu->addAction(dock->toggleViewAction());
            menu->addSeparator();
        }
    }
    rebuildRecent();
}

QComboBox* MainWindow::addChoice(QToolBar& bar, const char* labelId, const std::vector<Choice>& choices) {
    auto* label = new QLabel(tx(labelId));
    label->setContentsMargins(8, 0, 4, 0);
    bar.addWidget(label);
    auto* box = new QComboBox;
    box->setAccessibleName(tx(labelId));
    box->setFocusPolicy(Qt::TabFocus);
    label->setBuddy(box);
    bar.addWidget(box);
    QList<QAction*> actions;
    for (const Choice& choice : choices) {
        box->addItem(tx(choice.textId));
        actions.append((*m_actions)[choice.id]);
        connect(actions.back(), &QAction::toggled, box, [box, index = box->count() - 1](bool on) {
            if (on) box->setCurrentIndex(index);
        });
    }
    connect(box, &QComboBox::activated, this, [actions](int index) { actions[index]->trigger(); });
    return box;
}

QToolBar* MainWindow::buildToolbar() {
    auto* bar = new QToolBar(tx("ui.toolbar.name"));
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setFixedHeight(kToolbarHeight);
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const auto add = [&](ActionId id, bool hasText) {
        bar->addAction((*m_actions)[id]);
        auto* button = qobject_cast<QToolButton*>(bar->widgetForAction((*m_actions)[id]));
        button->setToolButtonStyle(hasText ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        // A word that is cut says nothing: what finds no room goes behind the bar's arrow.
        button->setMinimumSize(hasText ? std::max(28, button->sizeHint().width()) : 28, 28);
        button->setAccessibleName((*m_actions)[id]->text().remove(QLatin1Char('&')));
    };
    auto* edge = new QWidget;
    edge->setFixedWidth(4);
    bar->addWidget(edge);
    add(ActionId::open, true);
    bar->addSeparator();
    add(ActionId::goStart, false);
    add(ActionId::goBack, false);
    add(ActionId::goStep, true);
    add(ActionId::goEnd, false);
    bar->addSeparator();
    addChoice(*bar, "ui.toolbar.before",
              {{ActionId::beforeOriginal, "ui.toolbar.original"},
               {ActionId::beforePrevious, "ui.toolbar.previous"}});
    addChoice(*bar, "ui.toolbar.view",
              {{ActionId::viewSideBySide, "ui.toolbar.side"}, {ActionId::viewOverlay, "ui.toolbar.overlay"}});
    addChoice(*bar, "ui.toolbar.colour",
              {{ActionId::colourKind, "ui.toolbar.kind"},
               {ActionId::colourRole, "ui.toolbar.role"},
               {ActionId::colourTime, "ui.toolbar.time"},
               {ActionId::colourBytes, "ui.toolbar.bytes"},
               {ActionId::colourFlops, "ui.toolbar.flops"}});
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_find = new FindField(m_document);
    bar->addWidget(m_find);
    auto* gap = new QWidget;
    gap->setFixedWidth(8);
    bar->addWidget(gap);
    add(ActionId::check, true);
    add(ActionId::exportModel, true);
    return bar;
}

void MainWindow::buildStatusBar() {
    m_selected = new QLabel;
    m_zoom = new QLabel;
    auto* threads = new QLabel(tx("ui.status.threads", {QString::number(QThread::idealThreadCount())}));
    for (QLabel* label : {m_selected, m_zoom, threads}) {
        label->setContentsMargins(8, 0, 8, 0);
        statusBar()->addWidget(label);
    }
    statusBar()->addPermanentWidget(new WorkStatus(m_document));
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::updateStatus() {
    const std::size_t count = m_document.selection().size();
    m_selected->setText(count == 0 ? tx("ui.status.none-selected")
                                   : tx("ui.status.selected", {countText(count)}));
    const double percent = m_compare->active().view().zoom * 100;
    m_zoom->setText(tx("ui.status.zoom", {QString::number(percent, 'f', percent < 10 ? 1 : 0)}));
}

void MainWindow::updateTitle() {
    const QString title = m_document.title();
    setWindowTitle(title.isEmpty() ? tx("ui.title-empty") : tx("ui.title", {title}));
    setWindowModified(m_document.session() && m_document.session()->isModified());
    setWindowFilePath(QString());
}

void MainWindow::updateProblemsTitle() {
    const int count = m_problems->model().rowCount();
    m_problemsDock->setWindowTitle(
        count == 0 ? tx("ui.dock.problems")
                   : tx("ui.dock.problems-count", {countText(static_cast<std::uint64_t>(count))}));
}

void MainWindow::fitToSize() {
    const bool isRoomy = width() >= kRoomyWidth;
    m_inspectorDock->setVisible(isRoomy);
    (*m_actions)[isRoomy ? ActionId::viewSideBySide : ActionId::viewOverlay]->setChecked(true);
    // Where the height is short the graph comes first; Window brings the tables back.
    const bool isTall = height() >= kTallHeight;
    for (QDockWidget* dock : {m_memoryDock, m_profileDock, m_nodesDock, m_problemsDock})
        dock->setVisible(isTall);
    if (isTall) m_nodesDock->raise();
    resizeDocks({m_stepsDock, m_inspectorDock}, {kSideWidth, kSideWidth}, Qt::Horizontal);
    resizeDocks({m_nodesDock}, {kBottomHeight}, Qt::Vertical);
}

void MainWindow::resetLayout() {
    restoreState(m_defaultState);
    fitToSize();
}

bool MainWindow::selectByName(const QString& name) {
    if (!m_document.original() || !m_document.picture()) return false;
    const auto hit = findByName(m_document.original()->file.model, utf8(name));
    if (hit) m_document.select({hit->drawnKey(m_document.mainPicture()->unionGraph.graph)});
    return hit.has_value();
}

} // namespace secateur
