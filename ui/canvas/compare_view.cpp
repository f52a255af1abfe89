// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/compare_view.h"

#include "ui/app_state/actions.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/colour_legend.h"
#include "ui/canvas/crumb_bar.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/target_chooser.h"
#include "ui/canvas/walk_bar.h"
#include "ui/fonts/bundled_fonts.h"

#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace secateur {

namespace {

/// A line of text that is cut with an ellipsis where it has no room; the tooltip then has all of it.
class ElidedLabel : public QLabel {
  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QRect room = contentsRect();
        const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, room.width());
        style()->drawItemText(&painter, room, Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), shown,
                              foregroundRole());
        if (const QString tip = shown == text() ? QString() : text(); toolTip() != tip) setToolTip(tip);
    }
};

/// Steps of a run that are on in its recipe.
std::size_t countOn(const History& history) {
    return static_cast<std::size_t>(std::count_if(history.steps().begin(), history.steps().end(),
                                                  [](const auto& step) { return step.isOn; }));
}

} // namespace

CompareView::CompareView(Document& document, Actions& actions, QWidget* parent)
    : QWidget(parent), m_document(document), m_link(this) {
    m_before = new GraphCanvas(document, m_link, Pane::before);
    m_before->setObjectName(QStringLiteral("beforeCanvas"));
    m_after = new GraphCanvas(document, m_link, Pane::after);
    m_after->setObjectName(QStringLiteral("afterCanvas"));
    m_active = m_before;
    m_before->setPeer(m_after);
    m_after->setPeer(m_before);
    for (GraphCanvas* canvas : {m_before, m_after})
        connect(canvas, &GraphCanvas::activated, this, [this, canvas] { m_active = canvas; });
    m_chooser = new TargetChooser(document);
    m_afterStack = new QStackedWidget;
    m_afterStack->addWidget(m_after);
    m_afterStack->addWidget(m_chooser);
    m_afterStack->addWidget(makeRefusedPage());
    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(5);
    m_splitter->addWidget(makePane(m_beforeTitle, m_before));
    m_afterPane = makePane(m_afterTitle, m_afterStack);
    m_splitter->addWidget(m_afterPane);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({10000, 10000});
    m_pages = new QStackedWidget;
    m_pages->addWidget(makeStartPage(actions));
    auto* panes = new QWidget;
    auto* column = new QVBoxLayout(panes);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_walk = new WalkBar(document);
    column->addWidget(new CrumbBar(document));
    column->addWidget(m_splitter, 1);
    column->addWidget(m_walk);
    column->addWidget(new ColourLegend(document, m_link));
    m_pages->addWidget(panes);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_pages);

    connect(m_chooser, &TargetChooser::chosen, this, [this] { setChoosing(false); });
    connect(m_chooser, &TargetChooser::cancelled, this, [this] { setChoosing(false); });
    connect(&document, &Document::phaseChanged, this, &CompareView::onPhase);
    connect(&document, &Document::layoutChanged, this, &CompareView::onLayout);
    connect(&document, &Document::graphChanged, this, &CompareView::onGraph);
    connect(&document, &Document::looked, this, &CompareView::showChange);
    connect(&document, &Document::waveChanged, this, &CompareView::followFront);
    connect(m_walk, &WalkBar::left, this, [this] { m_active->setFocus(); });
    for (const auto signal : {&Document::cursorChanged, &Document::historyChanged, &Document::recipeChanged,
                              &Document::graphChanged})
        connect(&document, signal, this, [this] {
            updateTitles();
            updatePanes();
        });
    onPhase();
}

QWidget* CompareView::makePane(QLabel*& title, QWidget* content) {
    auto* pane = new QWidget;
    title = new ElidedLabel;
    title->setFont(fontOf(FontFace::SansBold, 13));
    title->setContentsMargins(12, 5, 12, 5);
    // Long texts are cut by the pane, never widen it.
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* box = new QVBoxLayout(pane);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(title);
    box->addWidget(content, 1);
    return pane;
}

QWidget* CompareView::makeRefusedPage() {
    auto* text = new QLabel(tx("ui.empty.refused"));
    text->setObjectName(QStringLiteral("afterRefused"));
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignCenter);
    text->setMargin(24);
    text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // it asks the panes for no room
    text->setMinimumSize(1, 1);
    text->setAutoFillBackground(true);
    text->setBackgroundRole(QPalette::AlternateBase);
    return text;
}

QWidget* CompareView::makeStartPage(Actions& actions) {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("startPage"));
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::AlternateBase);
    auto* logo = new QLabel;
    logo->setPixmap(QIcon(QStringLiteral(":/icons/secateur.svg")).pixmap(72, 72));
    auto* title = new QLabel(tx("ui.start.title"));
    title->setFont(fontOf(FontFace::SansBold, 20));
    auto* text = new QLabel(tx("ui.start.text"));
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    constexpr int kTextWidth = 460;
    text->setFixedSize(kTextWidth, text->heightForWidth(kTextWidth));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (const ActionId id : {ActionId::open, ActionId::openSample}) {
        auto* button = new QToolButton;
        button->setDefaultAction(actions[id]);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setMinimumHeight(32);
        button->setMinimumWidth(140);
        buttons->addWidget(button);
    }
    auto* box = new QVBoxLayout(page);
    box->setSpacing(12);
    box->addStretch(2);
    box->addWidget(logo, 0, Qt::AlignHCenter);
    box->addWidget(title, 0, Qt::AlignHCenter);
    box->addWidget(text, 0, Qt::AlignHCenter);
    box->addLayout(buttons);
    box->setAlignment(buttons, Qt::AlignHCenter);
    box->addStretch(3);
    return page;
}

void CompareView::onPhase() {
    const Document::Phase phase = m_document.phase();
    const bool hasModel = phase == Document::Phase::ready || phase == Document::Phase::opening;
    m_pages->setCurrentIndex(hasModel ? 1 : 0);
    if (phase == Document::Phase::opening) {
        m_isFresh = true;
        m_isChoosing = false;
        m_graph = GraphId(0U);
        m_views.clear();
    }
    updateTitles();
    updatePanes();
}

void CompareView::onLayout() {
    if (!m_document.layout()) return;
    updatePanes();
    if (m_isFresh) {
        m_isFresh = false;
        shareWidth();
        m_before->showFirstView();
    } else if (m_isOtherGraph) {
        shareWidth();
        const auto known = m_views.find(m_document.shownGraph().index);
        if (known != m_views.end())
            m_link.setViewport(known->second);
        else
            m_before->showFirstView();
    }
    m_isOtherGraph = false;
}

void CompareView::onGraph() {
    if (m_graph == m_document.shownGraph()) return;
    m_views[m_graph.index] = m_link.viewport();
    m_graph = m_document.shownGraph();
    m_isOtherGraph = true;
}

void CompareView::showChange() {
    // Looking at a step moves the view only where none of its changes would be seen, and never zooms.
    if (!m_document.layout() || !m_document.selectedStep() || m_isFresh) return;
    const PictureState& state = m_document.state();
    showNearest([&state](std::uint32_t node) { return state.stateOf(node).isInSelectedStep; });
}

/// The view goes where the walk goes: the boxes that its wave reaches are in it, or else the nearest of them
/// comes into it.
void CompareView::followFront() {
    const WalkWaves* waves = m_document.waves();
    if (!m_document.layout() || !m_document.wave() || !waves) return;
    // Targets that are no outputs of the graph have no box: what makes them stands for them.
    showNearest([waves, wave = *m_document.wave()](std::uint32_t node) {
        const std::uint32_t own = node < waves->waveOf.size() ? waves->waveOf[node] : kNoIndex;
        return own == wave || (wave == 0 && own == 1);
    });
}

/// Pans, without zooming, to the nearest box of a node that is wanted where none of them is in view.
void CompareView::showNearest(const std::function<bool(std::uint32_t node)>& isWanted) {
    const Layout& layout = *m_document.layout();
    const Rect seen = worldRect(m_before->view(), m_before->paneSize());
    Rect nearest;
    double least = 1e300;
    for (std::uint32_t n = 0; n < layout.itemOfNode.size(); ++n) {
        if (!isWanted(n)) continue;
        const Rect& box = layout.items[layout.itemOfNode[n]].rect;
        // Of a box that is higher than the pane a part is enough, of others the title has to be seen.
        const Point title{box.centerX(), box.y};
        if (box.intersects(seen) && (box.height > seen.height || seen.contains(title))) return;
        const double distance =
            std::abs(box.centerX() - seen.centerX()) + std::abs(box.centerY() - seen.centerY());
        if (distance >= least) continue;
        least = distance;
        nearest = box;
    }
    if (!nearest.isEmpty()) m_before->setView(revealing(m_before->view(), nearest, m_before->paneSize()));
}

void CompareView::shareWidth() {
    if (m_isOverlay) return;
    const double before = m_before->contentBounds().width, after = m_after->contentBounds().width;
    const double room = m_splitter->width() - m_splitter->handleWidth();
    double share = 0.5;
    if (!isChoosing() && before + after > 0 && room > 0) {
        // Each pane gets what its picture needs at the zoom at which both are seen whole; what was cut away
        // needs no room. Where neither fits the wider picture gets more, up to two thirds.
        constexpr double kLargestShare = 0.66, kSmallestPane = 200;
        const double zoom = (room - 4 * kFitMargin) / (before + after);
        share = zoom >= kWholeZoom ? (before * zoom + 2 * kFitMargin) / room
                                   : std::clamp(before / (before + after), 0.5, kLargestShare);
        share = std::clamp(share, 0.5, std::max(0.5, 1 - kSmallestPane / room));
    }
    m_splitter->setSizes({static_cast<int>(10000 * share), static_cast<int>(10000 * (1 - share))});
}

bool CompareView::isChoosing() const {
    return m_isChoosing || m_document.needsTarget();
}

void CompareView::setChoosing(bool on) {
    m_isChoosing = on;
    updatePanes();
    updateTitles();
    if (on) m_chooser->setFocus();
}

void CompareView::setOverlay(bool on) {
    m_isOverlay = on;
    m_before->setPane(on ? Pane::overlay : Pane::before);
    m_active = m_before;
    updatePanes();
    updateTitles();
}

void CompareView::updatePanes() {
    m_afterStack->setCurrentIndex(isChoosing() ? 1 : m_document.refusal() ? 2 : 0);
    const bool isShown = !m_isOverlay || isChoosing();
    if (m_afterPane->isHidden() == isShown) {
        m_afterPane->setVisible(isShown);
        shareWidth();
    }
}

QString CompareView::beforeTitle() const {
    const QString original = countText(m_document.original()->metrics.nodes);
    const History* history = m_document.history();
    if (!m_document.isBeforePreviousStep() || !history) return tx("ui.pane.before-original", {original});
    const auto selected = m_document.selectedStep();
    if (!selected) return tx("ui.pane.before-no-step", {original});
    if (*selected == 0) return tx("ui.pane.before-first", {original});
    return tx("ui.pane.before-previous",
              {QString::number(*selected), QString::number(history->steps().size()),
               countText(history->steps()[*selected].before.nodes)});
}

void CompareView::updateTitles() {
    const Original* original = m_document.original();
    const History* history = m_document.history();
    if (!original) {
        m_beforeTitle->setText(tx("ui.pane.before"));
        m_afterTitle->setText(tx("ui.pane.after"));
        return;
    }
    const auto selected = m_document.selectedStep();
    const QString before = beforeTitle();
    QString after = tx(m_document.refusal() ? "ui.pane.after-refused" : "ui.pane.after-empty");
    if (isChoosing()) {
        after = tx("ui.pane.after-choosing");
    } else if (history) {
        const std::size_t cursor = history->cursor(), steps = history->steps().size();
        const std::uint64_t nodes =
            cursor == 0 ? original->metrics.nodes : history->steps()[cursor - 1].after.nodes;
        const std::size_t on = countOn(*history);
        after = cursor == steps && !selected
                    ? tx(on == steps ? "ui.pane.after-end" : "ui.pane.after-end-on",
                         {QString::number(on), countText(nodes)})
                    : tx("ui.pane.after-step",
                         {QString::number(cursor), QString::number(steps), countText(nodes)});
    }
    m_beforeTitle->setText(
        m_isOverlay ? tx("ui.pane.overlay-title", {countText(original->metrics.nodes), after}) : before);
    m_afterTitle->setText(after);
}

void CompareView::walkChanges(bool forward) {
    if (!m_document.picture() || !m_document.layout()) return;
    const LayoutGraph& graph = m_document.picture()->unionGraph.graph;
    const PictureState& state = m_document.state();
    const auto count = static_cast<std::int64_t>(graph.nodes.size());
    if (count == 0) return;
    std::int64_t at = forward ? -1 : 0;
    if (!m_document.selection().empty())
        if (const auto index = graph.find(m_document.selection().front()); index != kNoIndex) at = index;
    for (std::int64_t step = 1; step <= count; ++step) {
        const auto index =
            static_cast<std::uint32_t>(((forward ? at + step : at - step) % count + count) % count);
        const DiffState diff = state.stateOf(index).diff;
        if (diff == DiffState::kept || diff == DiffState::absent || diff == DiffState::removedEarlier)
            continue;
        m_document.select({graph.nodes[index].key});
        return;
    }
}

} // namespace secateur
