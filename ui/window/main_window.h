// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "ui/app_state/actions.h"
#include "ui/app_state/document.h"
#endif

#include <QMainWindow>

class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QMenuBar;
class QToolBar;

namespace secateur {

class Check;
class CompareView;
class FindField;
class InspectorPanel;
class MessageBar;
class NodesPanel;
class OutlinePanel;
class Palette;
class ProblemsPanel;
class StepsPanel;
class SummaryStrip;

struct WindowOptions {
    bool keepsSettings = true; ///< recent files, geometry and docks are read and written
    /// Small models are checked without being asked, unless a person turned it off.
    bool checksByItself = true;
};

/// One window on one model: menus, toolbar, summary, messages, panes and docks around a Document.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(WindowOptions options = {}, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openFile(const QString& path);
    void openSample();
    [[nodiscard]] Document& document() { return m_document; }
    [[nodiscard]] Actions& actions() { return *m_actions; }
    [[nodiscard]] CompareView& compareView() { return *m_compare; }
    [[nodiscard]] Check& check() { return *m_check; }
    [[nodiscard]] SummaryStrip& summary() { return *m_summary; }
    [[nodiscard]] MessageBar& messageBar() { return *m_bar; }
    [[nodiscard]] StepsPanel& steps() { return *m_steps; }
    [[nodiscard]] OutlinePanel& outline() { return *m_outline; }
    [[nodiscard]] NodesPanel& nodes() { return *m_nodes; }
    [[nodiscard]] ProblemsPanel& problems() { return *m_problems; }
    [[nodiscard]] FindField& findField() { return *m_find; }
    [[nodiscard]] Palette& commandPalette() { return *m_palette; }
    [[nodiscard]] QMenuBar& menus() { return *m_menuBar; }
    /// Selects the node of this name, or what makes or reads the value of this name; false when there is
    /// none.
    bool selectByName(const QString& name);
    /// Hides what has no room in a window of this size: the Inspector and the second pane below 1200 px.
    void fitToSize();
    void resetLayout();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void buildMenus();
    QToolBar* buildToolbar();
    void buildCentre();
    void buildTop();
    void buildDocks();
    void buildStatusBar();
    QDockWidget* addDock(const char* name, const char* titleId, QWidget* content, Qt::DockWidgetArea area);
    struct Choice {
        ActionId id;
        const char* textId;
    };
    QComboBox* addChoice(QToolBar& bar, const char* labelId, const std::vector<Choice>& choices);
    void connectFile();
    void connectEdit();
    void connectView();
    void connectColours();
    void connectMotion();
    void connectPalette();
    /// Shows what is selected, also where the graph that holds it has to be drawn first.
    void showSelectedPlace();
    void connectRecipe();
    void connectRun();
    void connectCheck();
    void on(ActionId id, const std::function<void()>& run);
    void updateActions();
    void updateStepActions(bool hasHistory);
    void updateTitle();
    void updateStatus();
    void updateProblemsTitle();
    void rebuildRecent();
    void rememberRecent(const QString& path);
    void askOpen();
    void askExportModel();
    void askSave(const char* titleId, const char* filterId, const QString& proposal,
                 const std::function<void(const QString&)>& then);
    void askOpenFile(const char* titleId, const char* filterId,
                     const std::function<void(const QString&)>& then);
    void restoreSettings();
    void saveSettings();
    void keepUnsavedRecipe();
    void offerUnsavedRecipe();
    void showKeys();
    /// Gives the focus to the next (or previous) visible pane: lists, graphs, texts.
    void walkPanes(bool forward);
    [[nodiscard]] QList<QWidget*> panes() const;

    WindowOptions m_options;
    Document m_document;
    Actions* m_actions = nullptr;
    CompareView* m_compare = nullptr;
    Check* m_check = nullptr;
    SummaryStrip* m_summary = nullptr;
    MessageBar* m_bar = nullptr;
    StepsPanel* m_steps = nullptr;
    OutlinePanel* m_outline = nullptr;
    InspectorPanel* m_inspector = nullptr;
    NodesPanel* m_nodes = nullptr;
    ProblemsPanel* m_problems = nullptr;
    FindField* m_find = nullptr;
    Palette* m_palette = nullptr;
    QMenuBar* m_menuBar = nullptr;
    QMenu* m_recent = nullptr;
    QDockWidget* m_stepsDock = nullptr;
    QDockWidget* m_outlineDock = nullptr;
    QDockWidget* m_inspectorDock = nullptr;
    QDockWidget* m_memoryDock = nullptr;
    QDockWidget* m_profileDock = nullptr;
    QDockWidget* m_nodesDock = nullptr;
    QDockWidget* m_problemsDock = nullptr;
    QDockWidget* m_keysDock = nullptr;
    QLabel* m_selected = nullptr;
    QLabel* m_zoom = nullptr;
    QByteArray m_defaultState;
};

} // namespace secateur
