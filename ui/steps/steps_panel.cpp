// SPDX-License-Identifier: Apache-2.0
#include "ui/steps/steps_panel.h"

#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/steps/steps_delegate.h"
#include "ui/steps/steps_model.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

#include <functional>

namespace secateur {

namespace {

/// Arrows stand beside the first of the two lines of a row. Keys that come here begin at the row of the
/// cursor; without one Qt would choose the first row, which would be looked at.
class StepsView : public QTreeView {
  public:
    void layOutSoon() { scheduleDelayedItemsLayout(); }
    std::function<void()> beforeFocus;

  protected:
    void focusInEvent(QFocusEvent* event) override {
        if (!currentIndex().isValid() && beforeFocus) beforeFocus();
        QTreeView::focusInEvent(event);
    }
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override {
        QTreeView::drawBranches(painter, QRect(rect.x(), rect.y(), rect.width(), 26), index);
    }
};

} // namespace

StepsPanel::StepsPanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_model = new StepsModel(document, this);
    auto* view = new StepsView;
    view->beforeFocus = [this] {
        m_isFollowing = true;
        m_view->selectionModel()->setCurrentIndex(m_model->rowOfCursor(), QItemSelectionModel::NoUpdate);
        m_isFollowing = false;
    };
    m_view = view;
    m_view->setModel(m_model);
    m_view->setItemDelegate(new StepsDelegate(m_view));
    m_view->setHeaderHidden(true);
    // A verdict is a line more.
    m_view->setUniformRowHeights(false);
    connect(m_model, &QAbstractItemModel::dataChanged, view, &StepsView::layOutSoon);
    m_view->setIndentation(16);
    m_view->setMouseTracking(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setExpandsOnDoubleClick(true);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tx("ui.dock.steps"));
    m_empty = new QLabel(tx("ui.steps.empty"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop);
    m_empty->setContentsMargins(12, 12, 12, 12);
    m_empty->setAutoFillBackground(true);
    m_empty->setBackgroundRole(QPalette::Base);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_view, 1);
    box->addWidget(m_empty, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                if (!m_isFollowing && current.isValid()) onActivated(current);
            });
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &StepsPanel::showOptions);
    connect(m_view, &QTreeView::clicked, this, &StepsPanel::onActivated);
    // What was unfolded stays unfolded when the recipe was run again.
    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        m_unfolded.clear();
        for (int row = 0; row < m_model->rowCount(); ++row)
            if (m_view->isExpanded(m_model->index(row, 0))) m_unfolded.append(row);
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        for (const int row : m_unfolded)
            m_view->setExpanded(m_model->index(row, 0), true);
        followCursor();
    });
    connect(&document, &Document::cursorChanged, this, &StepsPanel::followCursor);
    tintSelection();
    followCursor();
}

void StepsPanel::follow(const Check& check) {
    m_model->follow(check);
}

void StepsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_view) tintSelection();
}

void StepsPanel::tintSelection() {
    // The delegate paints a tint; the strip of the arrows, which the view paints, has to match it.
    QPalette palette = this->palette();
    palette.setColor(QPalette::Highlight, themeColorOf(ThemeRole::accent, Shade::tint));
    palette.setColor(QPalette::HighlightedText, themeColorOf(ThemeRole::text));
    m_view->setPalette(palette);
}

void StepsPanel::onActivated(const QModelIndex& index) {
    const auto kind = m_model->kindOf(index);
    if (kind == StepsModel::Kind::original || kind == StepsModel::Kind::step) {
        if (m_document.cursor() != static_cast<std::size_t>(index.row()) || !m_document.selectedStep())
            m_document.lookAt(static_cast<std::size_t>(index.row()));
    } else {
        m_document.select(m_model->nodesOf(index));
    }
}

/// The options of a step that are a choice, each as a menu of its own.
void StepsPanel::showOptions(const QPoint& at) {
    const QModelIndex index = m_view->indexAt(at);
    if (!index.isValid() || m_model->kindOf(index) != StepsModel::Kind::step || !m_document.session()) return;
    const auto step = static_cast<std::size_t>(index.row()) - 1; // row 0 is the original
    const auto& steps = m_document.session()->recipe().steps;
    const Pass* pass = step < steps.size() ? findPass(steps[step].pass) : nullptr;
    if (pass == nullptr) return;
    auto* menu = new QMenu(m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* on = menu->addAction(tx("ui.steps.apply"));
    on->setCheckable(true);
    on->setChecked(steps[step].isOn);
    connect(on, &QAction::toggled, this, [this, step](bool isOn) { m_document.setStepOn(step, isOn); });
    for (const PassOption& option : pass->info().options) {
        if (option.choices.size() < 2) continue;
        const std::string stem = "choice." + steps[step].pass + "." + option.name;
        QMenu* choices = menu->addMenu(hasMessage(stem) ? tx(stem) : QString::fromStdString(option.name));
        const auto given = steps[step].options.find(option.name);
        const std::string now = given == steps[step].options.end() ? option.otherwise : given->second;
        for (const std::string& choice : option.choices) {
            const std::string id = stem + "." + choice;
            QAction* action = choices->addAction(hasMessage(id) ? tx(id) : QString::fromStdString(choice));
            action->setCheckable(true);
            action->setChecked(choice == now);
            connect(action, &QAction::triggered, this,
                    [this, step, name = option.name, choice] { m_document.setOption(step, name, choice); });
        }
    }
    menu->popup(m_view->viewport()->mapToGlobal(at));
}

void StepsPanel::followCursor() {
    const bool hasRows = m_model->rowCount() > 0;
    m_view->setVisible(hasRows);
    m_empty->setVisible(!hasRows);
    if (!hasRows) return;
    m_isFollowing = true;
    const QModelIndex current = m_view->currentIndex();
    const bool isInside =
        current.parent().isValid() && current.parent().row() == static_cast<int>(m_document.cursor());
    if (!m_document.selectedStep() && m_document.cursor() > 0)
        m_view->selectionModel()->clear(); // the whole recipe is looked at, no single step
    else if (!isInside)
        m_view->setCurrentIndex(m_model->rowOfCursor());
    m_isFollowing = false;
}

} // namespace secateur
