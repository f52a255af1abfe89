// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/ir/ids.h"
#include "ui/canvas/view_link.h"
#endif

#include <QWidget>

#include <functional>
#include <map>

class QLabel;
class QSplitter;
class QStackedWidget;

namespace secateur {

class Actions;
class Document;
class GraphCanvas;
class TargetChooser;
class WalkBar;

/// The centre of the window: Before and After side by side and locked together, or one over the other; the
/// start page while nothing is open; the target chooser in place of After while one is to be chosen.
class CompareView : public QWidget {
    Q_OBJECT
  public:
    CompareView(Document& document, Actions& actions, QWidget* parent = nullptr);

    [[nodiscard]] ViewLink& link() { return m_link; }
    [[nodiscard]] GraphCanvas& before() { return *m_before; }
    [[nodiscard]] GraphCanvas& after() { return *m_after; }
    [[nodiscard]] TargetChooser& chooser() { return *m_chooser; }
    [[nodiscard]] WalkBar& walkBar() { return *m_walk; }
    /// The canvas that keys and zoom actions go to.
    [[nodiscard]] GraphCanvas& active() { return *m_active; }
    [[nodiscard]] bool isOverlay() const { return m_isOverlay; }
    void setOverlay(bool on);
    [[nodiscard]] bool isChoosing() const;
    void setChoosing(bool on);
    /// Selects the next (or previous) node that differs, in program order.
    void walkChanges(bool forward);

  private:
    /// In the place of After where no model can be made of the one that is open.
    QWidget* makeRefusedPage();
    QWidget* makeStartPage(Actions& actions);
    QWidget* makePane(QLabel*& title, QWidget* content);
    void onPhase();
    void onLayout();
    void onGraph();
    void showChange();
    void followFront();
    void showNearest(const std::function<bool(std::uint32_t node)>& isWanted);
    [[nodiscard]] QString beforeTitle() const;
    void updateTitles();
    void updatePanes();
    void shareWidth();

    Document& m_document;
    ViewLink m_link;
    QStackedWidget* m_pages = nullptr;
    QSplitter* m_splitter = nullptr;
    QStackedWidget* m_afterStack = nullptr;
    QWidget* m_afterPane = nullptr;
    GraphCanvas* m_before = nullptr;
    GraphCanvas* m_after = nullptr;
    GraphCanvas* m_active = nullptr;
    TargetChooser* m_chooser = nullptr;
    QLabel* m_beforeTitle = nullptr;
    QLabel* m_afterTitle = nullptr;
    bool m_isOverlay = false, m_isChoosing = false;
    bool m_isFresh = true;                     ///< the next layout belongs to a newly opened model
    bool m_isOtherGraph = false;               ///< the next layout is that of another graph of the model
    GraphId m_graph;                           ///< that is drawn
    std::map<std::uint32_t, Viewport> m_views; ///< by graph: where it was left
    WalkBar* m_walk = nullptr;
};

} // namespace secateur
