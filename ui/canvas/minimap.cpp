// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/minimap.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/view_link.h"
#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <limits>

namespace secateur {

namespace {

constexpr int kLargestWidth = 120, kLargestHeight = 180, kSmallest = 56, kMargin = 12, kInset = 4;
/// Of the pane at most one part in so many.
constexpr int kShareOfWidth = 7, kShareOfHeight = 3;
constexpr int kSmallPane = 560;
constexpr double kMuch = 0.2; ///< of the map, boxes that it would lie on

} // namespace

Minimap::Minimap(Document& document, ViewLink& link, Pane pane, GraphCanvas* canvas)
    : QWidget(canvas), m_document(document), m_link(link), m_canvas(canvas), m_pane(pane) {
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tx("ui.accessible.minimap"));
    const auto redraw = [this] {
        m_isStale = true;
        update();
    };
    connect(&m_document, &Document::stateChanged, this, redraw);
    connect(&m_document, &Document::layoutChanged, this, redraw);
    connect(&m_document, &Document::compactChanged, this, redraw);
    connect(&m_link, &ViewLink::lookChanged, this, redraw);
    connect(&m_link, &ViewLink::lookChanged, this, &Minimap::place);
    connect(&m_link, &ViewLink::viewportChanged, this, qOverload<>(&QWidget::update));
    connect(&m_document, &Document::selectionChanged, this, &Minimap::place);
    hide();
}

void Minimap::setPane(Pane pane) {
    m_pane = pane;
    m_isStale = true;
    update();
}

void Minimap::place() {
    const auto& layout = m_canvas->layout();
    if (!layout || layout->bounds.isEmpty()) return hide();
    const Rect seen = worldRect(m_canvas->view(), m_canvas->paneSize());
    const Rect& all = layout->bounds;
    const Rect& own = m_canvas->contentBounds();
    const bool isAllSeen =
        seen.x <= own.x && seen.right() >= own.right() && seen.y <= all.y && seen.bottom() >= all.bottom();
    // Panes are locked together: a narrow one is better served by the map of the other.
    const bool hasRoom = m_canvas->viewport()->width() > 3 * kLargestWidth &&
                         m_canvas->viewport()->height() > kLargestHeight + 80;
    if (isAllSeen || !hasRoom) return hide();
    // In a small pane a map of full size would be over half of the cards.
    const QSize pane = m_canvas->viewport()->size();
    const int largestWidth = std::clamp(pane.width() / kShareOfWidth, kSmallest, kLargestWidth),
              largestHeight = std::clamp(pane.height() / kShareOfHeight, kSmallest, kLargestHeight);
    const double scale = std::min(largestWidth / all.width, largestHeight / all.height);
    const QSize size(std::clamp(static_cast<int>(all.width * scale), kSmallest, largestWidth),
                     std::clamp(static_cast<int>(all.height * scale), kSmallest, largestHeight));
    const QRect wanted = freeCorner(size);
    if (m_coversMuch) return hide();
    if (geometry() != wanted) {
        m_isStale = true;
        setGeometry(wanted);
    }
    show();
    update();
}

/// The corner that it stands in, or the next one in which it does not cover what is selected.
QRect Minimap::freeCorner(QSize size) {
    const QSize pane = m_canvas->viewport()->size();
    const std::vector<QRectF> selected = selectedBoxes();
    const int right = pane.width() - size.width() - kMargin, bottom = pane.height() - size.height() - kMargin;
    if (m_isHeld) return {pos(), size}; // it does not run away from the mouse
    const std::array<QRect, 4> corners{
        QRect(QPoint(right, bottom), size), QRect(QPoint(kMargin, bottom), size),
        QRect(QPoint(right, kMargin), size), QRect(QPoint(kMargin, kMargin), size)};
    if (m_link.isFitted()) {
        std::array<double, 4> covered{};
        std::transform(corners.begin(), corners.end(), covered.begin(),
                       [this](QRect corner) { return coveredBy(corner); });
        // Not where reading begins, the last one, as long as nothing is selected.
        const auto least =
            static_cast<std::size_t>(std::min_element(covered.begin(), covered.end() - 1) - covered.begin());
        m_corner = 2 * covered[least] < covered[0] ? least : 0; // a little is no reason to go elsewhere
        // A small pane has no room to give away: there the scroll bars tell as much.
        m_coversMuch = pane.width() < kSmallPane && covered[m_corner] > kMuch * size.width() * size.height();
    }
    QRect best = corners[m_corner];
    std::ptrdiff_t fewest = std::numeric_limits<std::ptrdiff_t>::max();
    for (std::size_t k = 0; k < corners.size() && fewest > 0; ++k) {
        const QRect& corner = corners[(m_corner + k) % corners.size()];
        const auto hidden = std::count_if(selected.begin(), selected.end(),
                                          [&](const QRectF& box) { return QRectF(corner).intersects(box); });
        if (hidden >= fewest) continue;
        fewest = hidden;
        best = corner;
    }
    return best;
}

/// Square pixels of boxes below the map.
double Minimap::coveredBy(QRect map) const {
    const Viewport view = m_canvas->view();
    const Point corner = viewToWorld(view, {static_cast<double>(map.x()), static_cast<double>(map.y())});
    const Rect area{corner.x, corner.y, map.width() / view.zoom, map.height() / view.zoom};
    const Layout& layout = *m_canvas->layout();
    const PictureState& state = *m_document.stateOf(m_pane);
    std::vector<std::uint32_t> found;
    layout.itemIndex.query(area, found);
    double covered = 0;
    for (const std::uint32_t i : found) {
        const PlacedItem& item = layout.items[i];
        if (item.node != kNoIndex && !isPresent(state.stateOf(item.node).diff, m_pane)) continue;
        const double width = std::min(area.right(), item.rect.right()) - std::max(area.x, item.rect.x);
        const double height = std::min(area.bottom(), item.rect.bottom()) - std::max(area.y, item.rect.y);
        covered += std::max(0.0, width) * std::max(0.0, height) * view.zoom * view.zoom;
    }
    return covered;
}

/// In pixels of the canvas, with the rings around them: what is selected and the path that is drawn from it.
/// None where nothing or more than one is selected.
std::vector<QRectF> Minimap::selectedBoxes() const {
    constexpr double kRing = 8;
    std::vector<QRectF> boxes;
    if (m_document.selection().size() != 1 || !m_document.picture()) return boxes;
    const LayoutGraph& graph = m_document.picture()->unionGraph.graph;
    const Viewport view = m_canvas->view();
    const Rect seen = worldRect(view, m_canvas->paneSize());
    const auto add = [&](std::uint32_t key) {
        const Rect box = nodeRect(graph, *m_canvas->layout(), key);
        if (box.isEmpty() || !box.intersects(seen)) return;
        const Point corner = worldToView(view, {box.x, box.y});
        boxes.push_back(QRectF(corner.x, corner.y, box.width * view.zoom, box.height * view.zoom)
                            .adjusted(-kRing, -kRing, kRing, kRing));
    };
    add(m_document.selection().front());
    if (m_link.showsPath())
        for (const std::uint32_t node : m_document.selectedPath().nodes)
            add(graph.nodes[node].key);
    return boxes;
}

QRectF Minimap::toMap(const Rect& world) const {
    const Rect& all = m_canvas->layout()->bounds;
    const double sx = (width() - 2 * kInset) / all.width, sy = (height() - 2 * kInset) / all.height;
    return {kInset + (world.x - all.x) * sx, kInset + (world.y - all.y) * sy, world.width * sx,
            world.height * sy};
}

void Minimap::drawPicture() {
    const qreal ratio = devicePixelRatioF();
    m_picture = QPixmap(size() * ratio);
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(themeColorOf(ThemeRole::panel));
    QPainter painter(&m_picture);
    const Layout& layout = *m_canvas->layout();
    const PictureState& state = *m_document.stateOf(m_pane);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < layout.items.size(); ++i) {
        const PlacedItem& item = layout.items[i];
        bool isPresentHere = true, isSelected = false;
        if (item.node != kNoIndex) {
            const NodeState node = state.stateOf(item.node);
            isPresentHere = isPresent(node.diff, m_pane) &&
                            (m_pane != Pane::overlay || isPresent(node.diff, Pane::after));
            isSelected = node.isSelected;
        } else if (m_pane != Pane::before && i < state.items.size()) {
            isPresentHere = state.items[i].total == 0 || state.items[i].now() > 0;
        }
        const ColorRef color{themeRoleOf(item.role), isPresentHere ? Shade::solid : Shade::tint};
        QRectF rect = toMap(item.rect);
        rect.setSize(rect.size().expandedTo(QSizeF(1, 1)));
        painter.fillRect(rect, isSelected ? themeColorOf(ThemeRole::accent)
                                          : themeColorOf(color.role, color.shade));
        if (isSelected) painter.fillRect(rect.adjusted(-2, -2, 2, 2), themeColorOf(ThemeRole::accent));
    }
    m_isStale = false;
}

/// Never so small that it looks like a box of the picture, and all of it on the map.
QRectF Minimap::seenFrame() const {
    constexpr double kLeast = 7;
    const QRectF map = QRectF(rect()).adjusted(1, 1, -1, -1);
    QRectF seen = toMap(worldRect(m_canvas->view(), m_canvas->paneSize())).intersected(map);
    const QPointF middle = seen.center();
    seen.setSize(seen.size().expandedTo(QSizeF(kLeast, kLeast)));
    seen.moveCenter(middle);
    seen.moveLeft(std::clamp(seen.left(), map.left(), std::max(map.left(), map.right() - seen.width())));
    seen.moveTop(std::clamp(seen.top(), map.top(), std::max(map.top(), map.bottom() - seen.height())));
    return seen;
}

void Minimap::paintEvent(QPaintEvent*) {
    if (!m_canvas->layout() || m_canvas->layout()->bounds.isEmpty()) return;
    if (m_isStale || m_picture.size() != size() * devicePixelRatioF()) drawPicture();
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    const QRectF seen = seenFrame();
    QColor veil = themeColorOf(ThemeRole::accent);
    painter.setPen(QPen(veil, 1.5));
    veil.setAlpha(36);
    painter.setBrush(veil);
    painter.drawRect(seen);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeColorOf(ThemeRole::outline), 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void Minimap::moveTo(QPointF at) {
    if (!m_canvas->layout()) return;
    const Rect& all = m_canvas->layout()->bounds;
    const Rect seen = worldRect(m_canvas->view(), m_canvas->paneSize());
    Viewport view = m_canvas->view();
    view.origin.x = all.x + (at.x() - kInset) / (width() - 2 * kInset) * all.width - seen.width / 2;
    view.origin.y = all.y + (at.y() - kInset) / (height() - 2 * kInset) * all.height - seen.height / 2;
    m_canvas->setView(view);
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    m_isHeld = true;
    moveTo(event->position());
}

void Minimap::mouseReleaseEvent(QMouseEvent*) {
    m_isHeld = false;
    place();
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(event->position());
}

} // namespace secateur
