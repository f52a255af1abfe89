// SPDX-License-Identifier: Apache-2.0
//
// Mouse and keys of a canvas.
#include "ui/canvas/graph_canvas.h"

#include "core/picture/card.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace secateur {

namespace {

constexpr double kKeyZoom = 1.25;

Point toPoint(QPointF at) {
    return {at.x(), at.y()};
}

} // namespace

Hit GraphCanvas::hitAt(QPointF at) const {
    const Scene s = scene();
    return s.graph ? hitTest(s, request(), toPoint(at)) : Hit();
}

void GraphCanvas::setHovered(const Hit& hit) {
    if (hit == m_hovered) return;
    m_hovered = hit;
    viewport()->setCursor(hit.kind == Hit::Kind::none ? Qt::ArrowCursor : Qt::PointingHandCursor);
    viewport()->update();
}

std::optional<std::uint32_t> GraphCanvas::keyOfItem(std::uint32_t item) const {
    const Scene s = scene();
    if (!s.graph || item >= s.layout->items.size()) return std::nullopt;
    const PlacedItem& placed = s.layout->items[item];
    return placed.node != kNoIndex ? s.graph->nodes[placed.node].key : (kGroupKeyBit | placed.group);
}

/// What a click selects: of a node the chip that was hit, where the computation of a size is drawn as it.
std::uint32_t GraphCanvas::keyOfHit(const Hit& hit) const {
    if (hit.kind == Hit::Kind::group) return kGroupKeyBit | hit.group;
    const Scene s = scene();
    if (hit.row >= 0) {
        const CardInput card = cardOf(s, request(), hit.node);
        const auto row = static_cast<std::size_t>(hit.row);
        const bool isChip = row < card.rows.size() && card.rows[row].kind == LayoutRow::Kind::shapeChain &&
                            card.rows[row].node != kNoIndex;
        if (isChip) return card.rows[row].node;
    }
    return s.graph->nodes[hit.node].key;
}

void GraphCanvas::selectHit(const Hit& hit, bool isToggle) {
    const Scene s = scene();
    std::vector<std::uint32_t> keys;
    if (isToggle) keys = m_document.selection();
    if (hit.kind == Hit::Kind::node || hit.kind == Hit::Kind::group) {
        const std::uint32_t key = keyOfHit(hit);
        const auto at = std::find(keys.begin(), keys.end(), key);
        if (at == keys.end())
            keys.push_back(key);
        else
            keys.erase(at);
    } else if (hit.kind == Hit::Kind::portal) {
        // A portal leads to the other end of its edge.
        const Portal& portal = s.layout->portals[hit.index];
        const PlacedEdge& edge = s.layout->edges[portal.edge];
        if (const auto key = keyOfItem(portal.isSource ? edge.to : edge.from)) keys = {*key};
        m_document.select(keys, nullptr);
        return;
    } else if (hit.kind == Hit::Kind::edge) {
        if (const auto key = keyOfItem(s.layout->edges[hit.index].from)) keys = {*key};
    }
    m_document.select(keys, this);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    m_pressedAt = m_draggedTo = event->position();
    m_pressedView = view();
    emit activated();
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::pan;
    } else if (event->button() == Qt::LeftButton) {
        m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::rubberBand : Drag::maybeSelect;
    }
    if (m_drag == Drag::pan) viewport()->setCursor(Qt::ClosedHandCursor);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    m_draggedTo = event->position();
    const QPointF moved = m_draggedTo - m_pressedAt;
    if (m_drag == Drag::maybeSelect && moved.manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::pan) {
        Viewport view = m_pressedView;
        view.origin.x -= moved.x() / view.zoom;
        view.origin.y -= moved.y() / view.zoom;
        setView(view);
    } else if (m_drag == Drag::rubberBand) {
        viewport()->update();
    } else if (m_drag == Drag::none) {
        setHovered(hitAt(event->position()));
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = m_drag;
    m_drag = Drag::none;
    viewport()->setCursor(Qt::ArrowCursor);
    if (drag == Drag::maybeSelect)
        selectHit(hitAt(event->position()), event->modifiers() & Qt::ControlModifier);
    if (drag == Drag::rubberBand)
        finishRubberBand(QRectF(m_pressedAt, event->position()).normalized(),
                         event->modifiers() & Qt::ControlModifier);
}

void GraphCanvas::finishRubberBand(const QRectF& area, bool isAdding) {
    const Scene s = scene();
    if (!s.graph) return;
    std::vector<std::uint32_t> keys;
    if (isAdding) keys = m_document.selection();
    for (const Hit& hit : hitTestArea(s, request(), {area.x(), area.y(), area.width(), area.height()})) {
        if (hit.kind != Hit::Kind::node && hit.kind != Hit::Kind::group) continue;
        const std::uint32_t key =
            hit.kind == Hit::Kind::node ? s.graph->nodes[hit.node].key : (kGroupKeyBit | hit.group);
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    m_document.select(keys, this);
    viewport()->update();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_drag = Drag::none;
    const Hit hit = hitAt(event->position());
    if (hit.kind == Hit::Kind::group)
        m_document.setExpanded(hit.group, true);
    else if (hit.kind == Hit::Kind::frame)
        m_document.setExpanded(hit.group, false);
    else if (hit.kind == Hit::Kind::node &&
             !openBody(scene().graph->nodes[hit.node].key, hit.row, event->position().toPoint()))
        fitSelection();
}

bool GraphCanvas::openBody(std::uint32_t key, int row, QPoint at) {
    const std::vector<Body> bodies = m_document.bodiesOf(key);
    if (bodies.empty()) return false;
    if (bodies.size() == 1) {
        m_document.showGraph(bodies.front().graph);
        return true;
    }
    // The rows of the node name its bodies.
    const Scene s = scene();
    const std::uint32_t node = s.graph->find(key);
    if (row >= 0 && node != kNoIndex && static_cast<std::size_t>(row) < s.graph->nodes[node].rows.size())
        for (const Body& body : bodies)
            if (body.attribute == s.graph->nodes[node].rows[static_cast<std::size_t>(row)].label) {
                m_document.showGraph(body.graph);
                return true;
            }
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("bodies"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const Body& body : bodies)
        connect(menu->addAction(nameText(body.text).remove(QLatin1Char('`'))), &QAction::triggered, this,
                [this, graph = body.graph] { m_document.showGraph(graph); });
    menu->setActiveAction(menu->actions().constFirst());
    menu->popup(viewport()->mapToGlobal(at));
    return true;
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
    if (pixels.isNull() && angle.isNull()) return;
    // A notch is 120 eighths of a degree and scrolls three lines of a list.
    constexpr double kPixelsPerNotch = 60;
    const QPointF delta = pixels.isNull() ? QPointF(angle) * (kPixelsPerNotch / 120.0) : QPointF(pixels);
    const bool hasControl = event->modifiers() & Qt::ControlModifier;
    if (hasControl != m_link.wheelZooms()) {
        const double factor = std::clamp(std::exp(delta.y() * 0.004), 0.5, 2.0);
        setView(zoomedAt(view(), toPoint(event->position()), factor));
    } else {
        Viewport moved = view();
        const bool isSideways = event->modifiers() & Qt::ShiftModifier && delta.x() == 0;
        moved.origin.x -= (isSideways ? delta.y() : delta.x()) / moved.zoom;
        moved.origin.y -= (isSideways ? 0 : delta.y()) / moved.zoom;
        setView(moved);
    }
    event->accept();
}

bool GraphCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipOf(hitAt(help->pos()));
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tip, viewport());
        return true;
    }
    // Also to a scroll bar or the map: these lie in the canvas, so that it is not left itself.
    if (event->type() == QEvent::Leave) setHovered({});
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            setView(zoomedAt(view(), toPoint(gesture->position()), 1 + gesture->value()));
            return true;
        }
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString GraphCanvas::tipOf(const Hit& hit) const {
    const Scene s = scene();
    if (hit.kind == Hit::Kind::node) return nodeTip(m_document, s.graph->nodes[hit.node].key);
    if (hit.kind == Hit::Kind::group || hit.kind == Hit::Kind::frame) {
        const Group& group = s.hierarchy->groups[hit.group];
        return tx("ui.tip.group", {nameText(group.title), groupFateWords(m_document, hit.group)});
    }
    if (hit.kind == Hit::Kind::edge || hit.kind == Hit::Kind::portal) {
        const std::uint32_t placed =
            hit.kind == Hit::Kind::edge ? hit.index : s.layout->portals[hit.index].edge;
        return edgeTip(m_document, s.graph->edges[s.layout->edges[placed].edge]);
    }
    return {};
}

std::uint32_t GraphCanvas::selectedItem() const {
    const Scene s = scene();
    if (!s.graph || m_document.selection().empty()) return kNoIndex;
    const std::uint32_t key = m_document.selection().front();
    if (isGroupKey(key)) return s.layout->itemOfGroup[key & ~kGroupKeyBit];
    const std::uint32_t node = s.graph->find(key);
    return node == kNoIndex ? kNoIndex : s.layout->itemOfNode[node];
}

void GraphCanvas::walk(Walk direction) {
    const Scene s = scene();
    if (!s.graph || s.layout->items.empty()) return;
    const std::uint32_t here = selectedItem();
    std::uint32_t best = kNoIndex;
    if (here == kNoIndex) {
        best = 0;
    } else {
        const Rect& from = s.layout->items[here].rect;
        double nearest = 1e300;
        const auto consider = [&](std::uint32_t item) {
            const Rect& to = s.layout->items[item].rect;
            const double distance =
                std::abs(to.centerX() - from.centerX()) + std::abs(to.centerY() - from.centerY());
            if (item != here && distance < nearest) {
                nearest = distance;
                best = item;
            }
        };
        if (direction == Walk::producer || direction == Walk::consumer) {
            for (std::uint32_t i = s.layout->edgesOfItemStart[here]; i < s.layout->edgesOfItemStart[here + 1];
                 ++i) {
                const PlacedEdge& edge = s.layout->edges[s.layout->edgesOfItem[i]];
                if (direction == Walk::producer && edge.to == here) consider(edge.from);
                if (direction == Walk::consumer && edge.from == here) consider(edge.to);
            }
        } else {
            for (std::uint32_t i = 0; i < s.layout->items.size(); ++i) {
                const PlacedItem& item = s.layout->items[i];
                const bool isRight = item.rect.centerX() > from.centerX();
                if (item.rank == s.layout->items[here].rank && isRight == (direction == Walk::nextInRow))
                    consider(i);
            }
        }
    }
    if (const auto key = keyOfItem(best)) m_document.select({*key}, nullptr);
}

void GraphCanvas::openSelected() {
    for (const std::uint32_t key : m_document.selection())
        if (isGroupKey(key)) return m_document.setExpanded(key & ~kGroupKeyBit, true);
    if (m_document.selection().size() == 1) {
        const std::uint32_t item = selectedItem();
        const Scene s = scene();
        Point at{paneSize().width / 2, paneSize().height / 2};
        if (item != kNoIndex)
            at = worldToView(view(), {s.layout->items[item].rect.x, s.layout->items[item].rect.bottom()});
        const QPoint corner(std::clamp(static_cast<int>(at.x), 0, viewport()->width()),
                            std::clamp(static_cast<int>(at.y), 0, viewport()->height()));
        if (openBody(m_document.selection().front(), -1, corner)) return;
    }
    fitSelection();
}

void GraphCanvas::closeSelected() {
    const Scene s = scene();
    if (!s.graph) return;
    std::uint32_t group = kNoIndex;
    if (!m_document.selection().empty()) {
        const std::uint32_t key = m_document.selection().front();
        if (isGroupKey(key)) {
            group = s.hierarchy->groups[key & ~kGroupKeyBit].parent;
        } else if (const auto node = s.graph->find(key); node != kNoIndex) {
            group = s.graph->nodes[node].group;
            // The innermost group that is open is the one to leave.
            while (group != kNoIndex && !m_document.expanded().isOpen(group))
                group = s.hierarchy->groups[group].parent;
        }
    }
    if (group == kNoIndex) {
        m_document.showParent();
        return;
    }
    m_document.setExpanded(group, false);
    m_document.select({kGroupKeyBit | group}, this);
}

void GraphCanvas::clearSelection() {
    // One key, one thing: first what is selected, then the walk.
    if (m_document.selection().empty())
        m_document.showWave(std::nullopt);
    else
        m_document.select({}, this);
}

void GraphCanvas::pan(double right, double down) {
    constexpr double kShare = 0.2; // of the pane
    Viewport moved = view();
    moved.origin.x += right * kShare * paneSize().width / moved.zoom;
    moved.origin.y += down * kShare * paneSize().height / moved.zoom;
    setView(moved);
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (!handleKey(event->key(), event->modifiers() & ~Qt::KeypadModifier))
        QAbstractScrollArea::keyPressEvent(event);
}

bool GraphCanvas::handleKey(int key, Qt::KeyboardModifiers modifiers) {
    if (modifiers & ~Qt::ShiftModifier) return false;
    return handleMoveKey(key) || handleActionKey(key);
}

bool GraphCanvas::handleMoveKey(int key) {
    switch (key) {
    case Qt::Key_Space: fitAll(); return true;
    case Qt::Key_F: fitSelection(); return true;
    case Qt::Key_Up: walk(Walk::producer); return true;
    case Qt::Key_Down: walk(Walk::consumer); return true;
    case Qt::Key_Left: walk(Walk::previousInRow); return true;
    case Qt::Key_Right: walk(Walk::nextInRow); return true;
    case Qt::Key_W: pan(0, -1); return true;
    case Qt::Key_A: pan(-1, 0); return true;
    case Qt::Key_S: pan(0, 1); return true;
    case Qt::Key_D: pan(1, 0); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: openSelected(); return true;
    case Qt::Key_Backspace: closeSelected(); return true;
    case Qt::Key_Escape: clearSelection(); return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomBy(kKeyZoom); return true;
    case Qt::Key_Minus: zoomBy(1 / kKeyZoom); return true;
    default: return false;
    }
}

bool GraphCanvas::handleActionKey(int key) {
    switch (key) {
    case Qt::Key_BracketLeft:
        m_document.lookAt(m_document.cursor() > 0 ? m_document.cursor() - 1 : 0);
        return true;
    case Qt::Key_BracketRight: m_document.lookAt(m_document.cursor() + 1); return true;
    case Qt::Key_Home: m_document.lookAt(0); return true;
    case Qt::Key_End: m_document.lookAtEnd(); return true;
    case Qt::Key_B:
        emit actionRequested(m_document.isBeforePreviousStep() ? ActionId::beforeOriginal
                                                               : ActionId::beforePrevious);
        return true;
    case Qt::Key_V:
        emit actionRequested(m_pane == Pane::overlay ? ActionId::viewSideBySide : ActionId::viewOverlay);
        return true;
    case Qt::Key_C: emit actionRequested(ActionId::compact); return true;
    case Qt::Key_1: emit actionRequested(ActionId::colourKind); return true;
    case Qt::Key_2: emit actionRequested(ActionId::colourRole); return true;
    case Qt::Key_3: emit actionRequested(ActionId::colourTime); return true;
    case Qt::Key_4: emit actionRequested(ActionId::colourBytes); return true;
    case Qt::Key_5: emit actionRequested(ActionId::colourFlops); return true;
    case Qt::Key_Slash: emit actionRequested(ActionId::find); return true;
    default: return false;
    }
}

void GraphCanvas::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    emit activated();
}

} // namespace secateur
