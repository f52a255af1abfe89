// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/graph_canvas.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/minimap.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QPaintEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace secateur {

GraphCanvas::GraphCanvas(Document& document, ViewLink& link, Pane pane, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document), m_link(link), m_pane(pane),
      m_minimap(new Minimap(document, link, pane, this)) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(160, 120);
    connect(&m_link, &ViewLink::viewportChanged, this, [this] {
        updateScrollBars();
        viewport()->update();
    });
    connect(&m_link, &ViewLink::lookChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&m_document, &Document::stateChanged, this, &GraphCanvas::updateContent);
    connect(&m_document, &Document::phaseChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&m_document, &Document::layoutChanged, this, [this] {
        m_hovered = {};
        updateContent();
        if (std::exchange(m_isShowingSelected, false)) fitSelection();
    });
    connect(&m_document, &Document::selectionChanged, this, [this](const QObject* origin) {
        updateAccessibleName();
        if (origin != this && isVisible() && m_pane != Pane::after) revealSelection();
    });
    updateAccessibleName();
}

void GraphCanvas::setPane(Pane pane) {
    m_pane = pane;
    m_minimap->setPane(pane);
    updateAccessibleName();
    updateContent();
}

PaneSize GraphCanvas::paneSize() const {
    return {static_cast<double>(viewport()->width()), static_cast<double>(viewport()->height())};
}

Viewport GraphCanvas::view() const {
    return m_pane == Pane::after ? keptInside(m_link.viewport(), m_content, paneSize()) : m_link.viewport();
}

void GraphCanvas::updateContent() {
    m_content =
        m_document.layout() ? visibleBounds(*m_document.layout(), m_document.state(), m_pane) : Rect();
    updateScrollBars();
    viewport()->update();
}

Scene GraphCanvas::scene() const {
    Scene scene;
    if (!m_document.picture() || !m_document.layout()) return scene;
    scene.graph = &m_document.picture()->unionGraph.graph;
    scene.layout = m_document.layout().get();
    scene.hierarchy = &m_document.picture()->hierarchy;
    scene.state = &m_document.state();
    return scene;
}

ViewRequest GraphCanvas::request() const {
    ViewRequest request;
    request.viewport = worldRect(view(), paneSize());
    request.zoom = m_link.viewport().zoom;
    request.pane = m_pane;
    request.colorMode = m_link.colorMode();
    request.hovered = m_hovered;
    if (m_link.showsPath()) request.path = m_document.selectedPath();
    return request;
}

void GraphCanvas::setView(const Viewport& wanted) {
    Viewport all = wanted;
    const bool isWhole = (m_content.width * wanted.zoom) + 2 * kFitMargin <= paneSize().width;
    if (m_pane == Pane::after && isWhole) {
        // Nothing to move sideways here: the other pane keeps its middle.
        const Viewport& now = m_link.viewport();
        const double half = paneSize().width / 2;
        all.origin.x = now.origin.x + half / now.zoom - half / wanted.zoom;
    }
    const Rect bounds = m_document.layout() ? m_document.layout()->bounds : Rect();
    m_link.setViewport(clamped(all, bounds, paneSize()));
}

void GraphCanvas::fitAll() {
    setView(fitted(contentBounds(), paneSize()));
}

void GraphCanvas::showFirstView() {
    if (!m_document.layout()) return;
    // All rows, and the columns of this pane: After finds its own.
    const Rect& all = m_document.layout()->bounds;
    setView(firstView({m_content.x, all.y, m_content.width, all.height}, startOfPicture(), paneSize()));
}

Rect GraphCanvas::startOfPicture() const {
    const Scene s = scene();
    for (std::uint32_t i = 0; i < s.graph->nodes.size(); ++i)
        if (s.graph->nodes[i].kind == OperatorKind::input &&
            m_document.state().stateOf(i).diff != DiffState::absent)
            return s.layout->items[s.layout->itemOfNode[i]].rect;
    Rect top;
    for (const PlacedItem& item : s.layout->items)
        if (item.column == 0 && (top.isEmpty() || item.rect.y < top.y)) top = item.rect;
    return top;
}

void GraphCanvas::fitSelection() {
    const Scene s = scene();
    if (!s.graph) return;
    Rect area;
    for (const std::uint32_t key : m_document.selection()) {
        const std::uint32_t item = isGroupKey(key) ? s.layout->itemOfGroup[key & ~kGroupKeyBit] : kNoIndex;
        area =
            area.united(item != kNoIndex ? s.layout->items[item].rect : nodeRect(*s.graph, *s.layout, key));
    }
    if (area.isEmpty()) return fitAll();
    setView(fitted(area.inflated(80), paneSize()));
}

void GraphCanvas::showSelected() {
    if (m_document.selection().empty()) return;
    m_isShowingSelected = m_document.openGroupsAround(m_document.selection().front());
    if (!m_isShowingSelected) fitSelection();
}

void GraphCanvas::zoomBy(double factor) {
    setView(zoomedAt(view(), {paneSize().width / 2, paneSize().height / 2}, factor));
}

void GraphCanvas::resetZoom() {
    zoomBy(1 / m_link.viewport().zoom);
}

void GraphCanvas::revealSelection() {
    const Scene s = scene();
    if (!s.graph || m_document.selection().empty()) return;
    const std::uint32_t key = m_document.selection().front();
    if (isGroupKey(key)) return;
    setView(revealing(view(), nodeRect(*s.graph, *s.layout, key), paneSize()));
}

void GraphCanvas::updateScrollBars() {
    const Rect bounds = m_document.layout() ? m_document.layout()->bounds : Rect();
    const Viewport view = this->view();
    const PaneSize size = paneSize();
    m_isSettingBars = true;
    const auto set = [&](QScrollBar* bar, double low, double high, double origin, double room) {
        // Dragging may go half a pane farther, see clamped(); the bars are for what there is to see.
        const double slack = kFitMargin / view.zoom;
        const double range = std::max(0.0, (high - low) - room + 2 * slack);
        bar->setRange(0, static_cast<int>(std::min(range * view.zoom, 1e9)));
        bar->setPageStep(std::max(1, static_cast<int>(room * view.zoom)));
        bar->setSingleStep(40);
        bar->setValue(static_cast<int>((origin - low + slack) * view.zoom));
    };
    set(horizontalScrollBar(), m_content.x, m_content.right(), view.origin.x, size.width / view.zoom);
    set(verticalScrollBar(), bounds.y, bounds.bottom(), view.origin.y, size.height / view.zoom);
    m_isSettingBars = false;
    m_minimap->place();
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
    if (m_isSettingBars) return;
    Viewport moved = view();
    moved.origin.x -= dx / moved.zoom;
    moved.origin.y -= dy / moved.zoom;
    setView(moved);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Scene s = scene();
    if (!s.graph) {
        painter.fillRect(viewport()->rect(), themeColorOf(ThemeRole::canvas));
        paintEmpty(painter);
        return;
    }
    compose(s, request(), m_list);
    m_painter.paint(painter, m_list, currentTheme());
    paintGroupSelection(painter);
    if (m_drag == Drag::rubberBand) {
        const QColor accent = themeColorOf(ThemeRole::accent);
        painter.setPen(QPen(accent, 1));
        painter.setBrush(QColor(accent.red(), accent.green(), accent.blue(), 40));
        painter.drawRect(QRectF(m_pressedAt, m_draggedTo).normalized());
    }
}

void GraphCanvas::paintEmpty(QPainter& painter) const {
    const char* id = m_document.phase() == Document::Phase::opening  ? "ui.empty.opening"
                     : m_document.phase() == Document::Phase::failed ? "ui.empty.failed"
                     : m_pane == Pane::after                         ? "ui.empty.after"
                                                                     : "ui.empty.before";
    painter.setPen(themeColorOf(ThemeRole::muted));
    painter.setFont(fontOf(FontFace::SansRegular, 13));
    painter.drawText(viewport()->rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                     tx(id));
}

void GraphCanvas::paintGroupSelection(QPainter& painter) const {
    const Scene s = scene();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeColorOf(ThemeRole::accent), 2));
    constexpr double kRing = 6;
    for (const std::uint32_t key : m_document.selection()) {
        if (!isGroupKey(key)) continue;
        for (const PlacedItem& item : s.layout->items) {
            if (item.group != (key & ~kGroupKeyBit)) continue;
            const Point corner = worldToView(view(), {item.rect.x, item.rect.y});
            const double zoom = m_link.viewport().zoom;
            painter.drawRoundedRect(
                QRectF(corner.x, corner.y, item.rect.width * zoom, item.rect.height * zoom)
                    .adjusted(-kRing, -kRing, kRing, kRing),
                8, 8);
        }
    }
}

void GraphCanvas::updateAccessibleName() {
    const QString pane = tx(m_pane == Pane::before  ? "ui.pane.before"
                            : m_pane == Pane::after ? "ui.pane.after"
                                                    : "ui.pane.overlay");
    QString what = tx("ui.accessible.nothing-selected");
    if (m_document.selection().size() == 1) what = nodeWords(m_document, m_document.selection().front());
    if (m_document.selection().size() > 1)
        what = tx("ui.status.selected", {countText(m_document.selection().size())});
    setAccessibleName(pane + QStringLiteral(": ") + what);
    QAccessibleEvent event(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&event);
}

} // namespace secateur
