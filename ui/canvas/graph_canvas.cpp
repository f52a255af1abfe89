// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/graph_canvas.h"

#include "core/picture/drawn_bounds.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/minimap.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QPaintEvent>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>
#include <cmath>
#include <utility>

namespace secateur {

GraphCanvas::GraphCanvas(Document& document, ViewLink& link, Pane pane, QWidget* parent)
    : QAbstractScrollArea(parent), m_document(document), m_link(link), m_pane(pane),
      m_minimap(new Minimap(document, link, pane, this)),
      m_motion([this](QPainter& painter, const Layout& layout, const PictureState& state,
                      const Viewport& view) { drawMoment(painter, layout, state, view); },
               this) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(160, 120);
    connect(&m_link, &ViewLink::viewportChanged, this, [this] {
        if (m_own) return;
        m_motion.stop();
        updateScrollBars();
        viewport()->update();
    });
    connect(&m_link, &ViewLink::fitted, this, &GraphCanvas::centre);
    connect(&m_link, &ViewLink::lookChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&m_document, &Document::stateChanged, this, &GraphCanvas::updateContent);
    connect(&m_document, &Document::looked, this, &GraphCanvas::onLook);
    connect(&m_document, &Document::compactChanged, this, &GraphCanvas::onCompact);
    connect(&m_document, &Document::waveChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&m_motion, &PaneMotion::advanced, viewport(), qOverload<>(&QWidget::update));
    connect(&m_document, &Document::phaseChanged, viewport(), qOverload<>(&QWidget::update));
    connect(&m_document, &Document::layoutChanged, this, &GraphCanvas::onLayout);
    connect(&m_document, &Document::selectionChanged, this, [this](const QObject* origin) {
        updateAccessibleName();
        if (origin != this && isVisible() && (m_pane != Pane::after || m_own)) revealSelection();
    });
    updateAccessibleName();
}

void GraphCanvas::setPane(Pane pane) {
    m_pane = pane;
    m_motion.stop();
    m_minimap->setPane(pane);
    updateAccessibleName();
    updateContent();
}

PaneSize GraphCanvas::paneSize() const {
    return {static_cast<double>(viewport()->width()), static_cast<double>(viewport()->height())};
}

/// Of the pane once all is seen: bars that stand there for a moment take no room from it.
PaneSize GraphCanvas::barlessSize() const {
    const QSize size = maximumViewportSize();
    return {static_cast<double>(size.width()), static_cast<double>(size.height())};
}

const std::shared_ptr<const Layout>& GraphCanvas::layout() const {
    return m_document.layoutOf(m_pane);
}

Viewport GraphCanvas::view() const {
    if (m_own) return *m_own;
    if (m_pane != Pane::after) return m_link.viewport();
    Viewport view = m_link.viewport();
    if (isContentWhole(view.zoom)) view.origin.x += m_aside;
    // What nearly fits begins at its left until someone moves it.
    constexpr double kNearly = 1.25;
    const bool isNearlyWhole = m_content.width * view.zoom <= kNearly * paneSize().width;
    if (!m_showsAll && !isContentWhole(view.zoom) && isNearlyWhole && m_link.isFitted())
        view.origin.x = m_content.x - kFitMargin / view.zoom;
    return keptInSight(keptInside(view, m_content, paneSize()), m_content, paneSize());
}

bool GraphCanvas::isContentWhole(double zoom) const {
    return m_content.width * zoom + 2 * kFitMargin <= paneSize().width;
}

/// Once, and not with every change of what is shown: a node that stays does not move as others go.
void GraphCanvas::centre() {
    const Viewport& all = m_link.viewport();
    m_aside = 0;
    const bool isWhole = !m_content.isEmpty() && isContentWhole(all.zoom);
    if (m_pane == Pane::after && isWhole && !m_showsAll)
        m_aside = m_content.centerX() - paneSize().width / all.zoom / 2 - all.origin.x;
    updateScrollBars();
    viewport()->update();
}

Rect GraphCanvas::boundsWithLabels() {
    const Scene s = scene();
    if (!s.graph) return {};
    const Rect boxes = drawnBounds(s, m_pane);
    if (boxes.isEmpty()) return boxes;
    // Far away labels take the most room: they do not shrink below what can be read. One zoom for all sizes
    // of the pane, so that the bounds do not change with it.
    constexpr double kZoom = 0.62;
    constexpr double kReach = 260; // of a label beside its line
    // Of a large picture the labels that are seen first: it opens at its start, at a zoom at which they are
    // read.
    constexpr double kFirstWidth = 2600, kFirstHeight = 1700;
    const double top = startOfPicture().y;
    ViewRequest all = request();
    all.viewport = boxes.inflated(kReach);
    if (boxes.height > kFirstHeight) {
        all.viewport.y = top - kReach;
        all.viewport.height = kFirstHeight;
    }
    all.viewport.width = std::min(all.viewport.width, kFirstWidth);
    all.hovered = {};
    all.path = {};
    all.drawCanvas = false;
    Rect bounds = boxes;
    const auto addTexts = [&](double zoom) {
        all.zoom = zoom;
        compose(s, all, m_list);
        for (const DrawItem& item : m_list.items) {
            if (item.op != DrawOp::text || item.rect.width <= 0) continue;
            const Point corner = toWorld(all, {item.rect.x, item.baselineY});
            bounds = bounds.united({corner.x, corner.y, item.rect.width / zoom, 1});
        }
    };
    addTexts(kZoom);
    // A small picture is seen at 100 %, where labels have room that have none at the other zoom.
    if (boxes.height <= kFirstHeight && boxes.width <= kFirstWidth) addTexts(1);
    return bounds;
}

void GraphCanvas::updateContent() {
    m_content = boundsWithLabels();
    m_showsAll = showsAllBoxes();
    updateScrollBars();
    viewport()->update();
}

Scene GraphCanvas::scene() const {
    Scene scene;
    if (!m_document.picture() || !layout()) return scene;
    scene.graph = &m_document.picture()->unionGraph.graph;
    scene.layout = layout().get();
    scene.hierarchy = &m_document.picture()->hierarchy;
    scene.state = m_document.stateOf(m_pane).get(); // the document keeps it
    return scene;
}

ViewRequest GraphCanvas::request() const {
    ViewRequest request;
    request.viewport = worldRect(view(), paneSize());
    request.zoom = view().zoom;
    request.pane = m_pane;
    request.colorMode = m_link.colorMode();
    request.heat = m_document.shownHeat();
    request.hovered = m_hovered;
    if (m_link.showsPath()) request.path = m_document.selectedPath();
    if (m_document.wave() && m_pane != Pane::after) {
        request.walk = m_document.waves();
        request.waveLimit = *m_document.wave();
    }
    return request;
}

void GraphCanvas::setView(const Viewport& wanted) {
    const Rect bounds = layout() ? layout()->bounds : Rect();
    if (m_own) {
        m_own = clamped(wanted, bounds, paneSize());
        m_motion.stop();
        updateScrollBars();
        viewport()->update();
        emit viewMoved();
        return;
    }
    Viewport all = wanted;
    if (m_pane == Pane::after && isContentWhole(wanted.zoom)) {
        // Nothing to move sideways here: the other pane keeps its middle.
        const Viewport& now = m_link.viewport();
        const double half = paneSize().width / 2;
        all.origin.x = now.origin.x + half / now.zoom - half / wanted.zoom;
    }
    m_link.setViewport(clamped(all, bounds, paneSize()));
}

bool GraphCanvas::showsAllBoxes() const {
    if (m_pane != Pane::after || m_own || !layout()) return false;
    const PictureState& state = *m_document.stateOf(m_pane);
    const Rect here = visibleBounds(*layout(), state, Pane::after),
               beside = visibleBounds(*layout(), state, Pane::before);
    constexpr double kSame = 1;
    return std::abs(here.x - beside.x) < kSame && std::abs(here.width - beside.width) < kSame;
}

void GraphCanvas::fitAll() {
    const bool hasPeer = m_peer && m_peer->isVisible() && !m_peer->contentBounds().isEmpty();
    const bool isShared = hasPeer && !m_own && !m_peer->m_own;
    if (isShared && m_pane == Pane::after) return m_peer->fitAll(); // After follows the other pane
    const Rect all = rowsOf(contentBounds());
    fitTo(all, isShared ? fitted(m_peer->rowsOf(m_peer->contentBounds()), m_peer->barlessSize()).zoom : 1);
    if (hasPeer && !isShared) m_peer->fitTo(m_peer->rowsOf(m_peer->contentBounds()), 1);
}

/// The columns of a rectangle, with the rows of all panes where they scroll together.
Rect GraphCanvas::rowsOf(const Rect& columns) const {
    if (m_own || !layout() || columns.isEmpty()) return columns;
    const Rect& rows = layout()->bounds;
    const double top = std::min(rows.y, columns.y), bottom = std::max(rows.bottom(), columns.bottom());
    return {columns.x, top, columns.width, bottom - top};
}

void GraphCanvas::fitTo(const Rect& bounds, double largestZoom) {
    setView(fitted(bounds, barlessSize(), largestZoom));
    if (!m_own) m_link.markFitted();
    m_fit = {Fit::all, view(), layout()};
}

void GraphCanvas::showFirstView() {
    if (!layout()) return;
    // All rows, and the columns of this pane: After finds its own.
    const Rect& all = layout()->bounds;
    const Rect bounds{m_content.x, all.y, m_content.width, all.height};
    const Viewport whole = fitted(bounds, barlessSize());
    setView(whole.zoom >= kWholeZoom ? whole : firstView(bounds, startOfPicture(), paneSize()));
    m_link.markFitted();
    m_fit = {Fit::first, view(), layout()};
}

/// A picture that was fitted stays so in a pane of another size, until someone moves it.
void GraphCanvas::fitAgain() {
    if (m_fit.kind == Fit::none || m_isFitting || !layout()) return;
    const auto isMoved = [](double a, double b) { return std::abs(a - b) > 1e-9; };
    const Viewport now = view();
    if (m_fit.layout.lock() != layout() || isMoved(now.zoom, m_fit.view.zoom) ||
        isMoved(now.origin.x, m_fit.view.origin.x) || isMoved(now.origin.y, m_fit.view.origin.y)) {
        m_fit.kind = Fit::none;
        return;
    }
    m_isFitting = true; // scroll bars that come or go are no other size to fit to
    if (m_fit.kind == Fit::first)
        showFirstView();
    else if (m_own)
        fitTo(contentBounds(), 1);
    else
        fitAll();
    m_isFitting = false;
}

Rect GraphCanvas::startOfPicture() const {
    const Scene s = scene();
    for (std::uint32_t i = 0; i < s.graph->nodes.size(); ++i)
        if (s.graph->nodes[i].kind == OperatorKind::input && s.state->stateOf(i).diff != DiffState::absent)
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
    zoomBy(1 / view().zoom);
}

void GraphCanvas::revealSelection() {
    const Scene s = scene();
    if (!s.graph || m_document.selection().empty()) return;
    const std::uint32_t key = m_document.selection().front();
    if (isGroupKey(key)) return;
    setView(revealing(view(), nodeRect(*s.graph, *s.layout, key), paneSize()));
}

void GraphCanvas::updateScrollBars() {
    const Rect bounds = layout() ? layout()->bounds : Rect();
    const Viewport view = this->view();
    const PaneSize size = paneSize();
    m_isSettingBars = true;
    const auto set = [&](QScrollBar* bar, double low, double high, double origin, double room) {
        // Dragging may go half a pane farther, see clamped(); the bars are for what there is to see.
        const double slack = kFitMargin / view.zoom;
        // A pixel or two of the margin are nothing to scroll to.
        constexpr double kLeast = 4;
        const double hidden = (high - low) - room + 2 * slack;
        const double range = hidden * view.zoom < kLeast ? 0 : hidden;
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
    m_motion.stop();
    updateContent();
    fitAgain();
    if (m_link.isFitted()) centre();
}

void GraphCanvas::drawMoment(QPainter& painter, const Layout& layout, const PictureState& state,
                             const Viewport& view) {
    Scene moment = scene();
    moment.layout = &layout;
    moment.state = &state;
    ViewRequest asked = request();
    asked.viewport = worldRect(view, paneSize());
    asked.zoom = view.zoom;
    asked.hovered = {};
    compose(moment, asked, m_list);
    m_painter.paint(painter, m_list, currentTheme());
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Scene s = scene();
    if (!s.graph) {
        painter.fillRect(viewport()->rect(), themeColorOf(ThemeRole::canvas));
        paintEmpty(painter);
        return;
    }
    if (m_motion.isRunning()) return m_motion.paint(painter, paneSize(), devicePixelRatioF());
    compose(s, request(), m_list);
    m_painter.paint(painter, m_list, currentTheme());
    paintGroupSelection(painter);
    paintAbsence(painter);
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

QString GraphCanvas::absenceNote() const {
    const bool isAfter = m_pane == Pane::after;
    if (m_pane == Pane::overlay || m_document.selection().size() != 1 || !m_document.history()) return {};
    const std::uint32_t key = m_document.selection().front();
    const Scene s = scene();
    const std::uint32_t node = s.graph && !isGroupKey(key) ? s.graph->find(key) : kNoIndex;
    if (node == kNoIndex) return {};
    bool isHere = isPresent(s.state->stateOf(node).diff, m_pane);
    if (s.graph->nodes[node].key != key) { // a row of another node has a fate of its own
        const auto erased = m_document.history()->stepThatErased(NodeId(key));
        isHere = !isAfter || !erased || *erased >= m_document.cursor();
    }
    if (isHere) return {};
    const QString name = nodeName(m_document, key).remove(QLatin1Char('`'));
    return tx(isAfter ? "ui.pane.not-in-after" : "ui.pane.not-in-before",
              {name, stateWords(m_document, key)});
}

/// Below the picture, in the corner that the map does not take.
void GraphCanvas::paintAbsence(QPainter& painter) const {
    const QString note = absenceNote();
    if (note.isEmpty()) return;
    constexpr int kMargin = 12, kPadding = 10, kHeight = 26;
    const QFont font = fontOf(FontFace::SansRegular, 13);
    const QFontMetrics metrics(font);
    const QRect pane = viewport()->rect();
    int left = kMargin, right = pane.width() - kMargin;
    if (m_minimap->isVisible() && m_minimap->geometry().bottom() > pane.height() - kMargin - kHeight) {
        const QRect map = m_minimap->geometry();
        if (map.center().x() > pane.center().x())
            right = map.left() - kMargin;
        else
            left = map.right() + kMargin;
    }
    // In as many lines as it takes, up to a few; a name without end is cut.
    constexpr int kMostLines = 4, kAsItComes = Qt::AlignLeft | Qt::TextWordWrap;
    const QRect room(0, 0, std::max(1, right - left - 2 * kPadding), pane.height());
    QString text = note;
    QRect need = metrics.boundingRect(room, kAsItComes, text);
    if (need.height() > kMostLines * metrics.lineSpacing() || need.width() > room.width()) {
        text = metrics.elidedText(note, Qt::ElideMiddle, room.width());
        need = metrics.boundingRect(room, kAsItComes, text);
    }
    const int height = std::max(kHeight, need.height() + kPadding);
    const QRect plate(left, pane.height() - kMargin - height, need.width() + 2 * kPadding, height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColorOf(ThemeRole::outline), 1));
    painter.setBrush(themeColorOf(ThemeRole::panel));
    painter.drawRoundedRect(QRectF(plate).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setFont(font);
    painter.setPen(themeColorOf(ThemeRole::text));
    painter.drawText(plate.adjusted(kPadding, 0, -kPadding + 1, 0), Qt::AlignVCenter | kAsItComes, text);
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
            const double zoom = view().zoom;
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
    if (const QString absent = absenceNote(); !absent.isEmpty()) what = absent;
    setAccessibleName(pane + QStringLiteral(": ") + what);
    QAccessibleEvent event(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&event);
}

// --- from one moment to the next ---

bool GraphCanvas::mayMove() const {
    return isVisible() && !m_link.isMotionReduced() &&
           style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
}

void GraphCanvas::startMotion() {
    const PaneMoment now{layout(), m_document.stateOf(m_pane), view()};
    const PaneMoment before = std::exchange(m_seen, now);
    m_motion.stop();
    if (mayMove() && m_document.picture())
        m_motion.start(before, now, m_document.picture()->unionGraph.graph, m_pane, paneSize());
    viewport()->update();
}

void GraphCanvas::onLook() {
    // Where gaps are closed the moment changes once they are.
    if (m_seen.state == m_document.stateOf(m_pane)) return;
    // The rows of all panes are those of the world: only what is drawn in them changes.
    m_seen.view = view();
    startMotion();
}

void GraphCanvas::onLayout() {
    m_hovered = {};
    m_motion.stop();
    const auto before = std::exchange(m_drawn, m_document.picture());
    const bool isOther = before != m_drawn;
    if (isOther) keepPlace(before.get());
    const bool isClosed = layout() != m_document.layout();
    if (isOther || !m_document.isCompact() || m_pane != Pane::after)
        m_own.reset();
    else if (!m_own && isClosed)
        m_own = view();
    if (isClosed) returnToPlace();
    updateContent();
    if (isOther && m_link.isFitted()) centre();
    m_seen = {layout(), m_document.stateOf(m_pane), view()};
    if (std::exchange(m_isShowingSelected, false)) fitSelection();
}

/// The recipe was run again: while gaps are open once more After cannot stand where it stood. It does when
/// they are closed.
void GraphCanvas::keepPlace(const UnionPicture* before) {
    const bool isSameGraph =
        before && m_drawn && before->unionGraph.modelGraph == m_drawn->unionGraph.modelGraph;
    if (!isSameGraph || !m_document.isCompact()) m_kept.reset();
    if (!isSameGraph || !m_own || !m_seen.layout) return;
    const Rect seen = worldRect(*m_own, paneSize());
    double nearest = 1e300;
    for (const PlacedItem& item : m_seen.layout->items) {
        if (item.node == kNoIndex || item.rect.isEmpty() || !item.rect.intersects(seen)) continue;
        const double distance =
            std::abs(item.rect.centerX() - seen.centerX()) + std::abs(item.rect.centerY() - seen.centerY());
        if (distance >= nearest) continue;
        nearest = distance;
        m_kept = KeptPlace{before->unionGraph.graph.nodes[item.node].key,
                           worldToView(*m_own, {item.rect.x, item.rect.y}), m_own->zoom};
    }
}

bool GraphCanvas::returnToPlace() {
    const auto kept = std::exchange(m_kept, std::nullopt);
    if (!kept || !m_drawn || !layout()) return false;
    const Rect box = nodeRect(m_drawn->unionGraph.graph, *layout(), kept->key);
    if (box.isEmpty()) return false; // gone with the edit
    m_own = Viewport{{box.x - kept->at.x / kept->zoom, box.y - kept->at.y / kept->zoom}, kept->zoom};
    return true;
}

void GraphCanvas::onCompact() {
    if (m_pane != Pane::after) return;
    m_hovered = {};
    const bool isClosed = layout() != m_document.layout();
    const Viewport was = view();
    m_seen.view = was;
    if (!isClosed)
        m_own.reset();
    else if (!returnToPlace() && m_seen.layout && layout())
        m_own = anchored(was, *m_seen.layout, *layout());
    updateContent();
    if (m_own) m_own = clamped(keptInside(*m_own, m_content, paneSize()), layout()->bounds, paneSize());
    updateContent();
    startMotion();
}

Viewport GraphCanvas::anchored(const Viewport& view, const Layout& from, const Layout& to) const {
    const Rect seen = worldRect(view, paneSize());
    if (from.items.size() != to.items.size()) return fitted(to.bounds, paneSize(), view.zoom);
    // The selected box where it is in view, else the nearest to the middle.
    const std::uint32_t selected = selectedItem();
    std::uint32_t anchor = kNoIndex;
    double nearest = 1e300;
    for (std::uint32_t i = 0; i < from.items.size(); ++i) {
        const Rect& box = from.items[i].rect;
        if (box.isEmpty() || to.items[i].rect.isEmpty() || !box.intersects(seen)) continue;
        const double distance = i == selected ? -1
                                              : std::abs(box.centerX() - seen.centerX()) +
                                                    std::abs(box.centerY() - seen.centerY());
        if (distance >= nearest) continue;
        nearest = distance;
        anchor = i;
    }
    if (anchor == kNoIndex) {
        // Nothing of what is left was in view: it comes into view at the same zoom.
        Viewport found = fitted(to.bounds, paneSize(), view.zoom);
        found.zoom = view.zoom;
        found.origin = {to.bounds.centerX() - seen.width / 2, to.bounds.y - kFitMargin / view.zoom};
        return found;
    }
    const Rect &was = from.items[anchor].rect, &is = to.items[anchor].rect;
    Viewport out = view;
    out.origin.x += is.x - was.x;
    out.origin.y += is.y - was.y;
    return out;
}

} // namespace secateur
