// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/pane_motion.h"

#include "core/layout/layout_moves.h"
#include "core/picture/compose.h"
#include "ui/canvas/moving_layout.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace secateur {

namespace {

constexpr int kFrameMs = 16;

Viewport between(const Viewport& a, const Viewport& b, double part) {
    const double t = part * part * (3 - 2 * part); // as boxes go
    return {{a.origin.x + (b.origin.x - a.origin.x) * t, a.origin.y + (b.origin.y - a.origin.y) * t},
            a.zoom + (b.zoom - a.zoom) * t};
}

} // namespace

PaneMotion::PaneMotion(Draw draw, QObject* parent) : QObject(parent), m_draw(std::move(draw)) {
    m_timer.setInterval(kFrameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (m_clock.elapsed() >= kMilliseconds) stop();
        emit advanced();
    });
}

PaneMotion::Counts PaneMotion::countChanges(const LayoutGraph& graph, Pane pane, PaneSize size) {
    Counts counts;
    m_isVisible = false;
    const Rect before = worldRect(m_from.view, size), after = worldRect(m_to.view, size);
    const bool isSameLayout = m_from.layout == m_to.layout;
    const auto see = [&](std::uint32_t item) {
        m_isVisible = m_isVisible || m_from.layout->items[item].rect.intersects(before) ||
                      m_to.layout->items[item].rect.intersects(after);
    };
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const DiffState was = m_from.state->stateOf(n).diff, is = m_to.state->stateOf(n).diff;
        const bool wasThere = isPresent(was, pane), isThere = isPresent(is, pane);
        if (was == is && wasThere == isThere) continue;
        see(m_to.layout->itemOfNode[n]);
        ++(!wasThere && isThere ? counts.added : counts.removed);
    }
    for (std::uint32_t i = 0; !isSameLayout && i < m_to.layout->items.size(); ++i) {
        const Rect &was = m_from.layout->items[i].rect, &is = m_to.layout->items[i].rect;
        if (was == is || was.isEmpty() || is.isEmpty()) continue;
        ++counts.moved;
        see(i);
    }
    return counts;
}

void PaneMotion::dropNew(const LayoutGraph& graph, Pane pane) {
    m_without = *m_to.state;
    std::vector<bool> isNew(graph.nodes.size());
    for (std::uint32_t n = 0; n < graph.nodes.size() && n < m_without.nodes.size(); ++n) {
        isNew[n] =
            !isPresent(m_from.state->stateOf(n).diff, pane) && isPresent(m_without.nodes[n].diff, pane);
        // Where gaps are closed what went leaves no hole.
        const Rect& box = m_to.layout->items[m_to.layout->itemOfNode[n]].rect;
        if (isNew[n] || box.isEmpty()) m_without.nodes[n].diff = DiffState::absent;
    }
    for (std::uint32_t e = 0; e < graph.edges.size() && e < m_without.edges.size(); ++e)
        if (isNew[graph.edges[e].from] || isNew[graph.edges[e].to]) m_without.edges[e] = 0;
}

bool PaneMotion::start(const PaneMoment& from, const PaneMoment& to, const LayoutGraph& graph, Pane pane,
                       PaneSize size) {
    stop();
    if (!from.layout || !to.layout || from.state == to.state) return false;
    if (from.layout != to.layout && !LayoutMoves(*from.layout, *to.layout).areAlike()) return false;
    if (from.state->nodes.size() != to.state->nodes.size()) return false;
    // Far away open groups are drawn as blobs, which are no boxes of the layout.
    if (from.layout != to.layout && to.view.zoom < kBlobZoom) return false;
    m_from = from;
    m_to = to;
    m_counts = countChanges(graph, pane, size);
    const std::size_t all = m_counts.removed + m_counts.moved + m_counts.added;
    if (all == 0 || all > kMostChanges || !m_isVisible) {
        m_from = m_to = {};
        return false;
    }
    dropNew(graph, pane);
    // Each part that has something to show gets the same share of the time.
    const double parts = (m_counts.removed > 0) + (m_counts.moved > 0) + (m_counts.added > 0);
    m_removeEnd = m_counts.removed > 0 ? 1 / parts : 0;
    m_moveEnd = m_removeEnd + (m_counts.moved > 0 ? 1 / parts : 0);
    m_clock.start();
    m_timer.start();
    return true;
}

void PaneMotion::stop() {
    m_timer.stop();
    m_from = m_to = {};
    m_without = {};
    m_first = m_removed = m_moved = m_last = {};
}

QPixmap PaneMotion::picture(const Layout& layout, const PictureState& state, const Viewport& view,
                            PaneSize size, double ratio) const {
    QPixmap pixmap(QSizeF(size.width * ratio, size.height * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    QPainter painter(&pixmap);
    m_draw(painter, layout, state, view);
    return pixmap;
}

void PaneMotion::paint(QPainter& painter, PaneSize size, double ratio) {
    const double part = std::min(1.0, static_cast<double>(m_clock.elapsed()) / kMilliseconds);
    // One picture is composed in a frame: the first frame shows the first alone.
    if (m_first.isNull() && part < m_removeEnd) {
        m_first = picture(*m_from.layout, *m_from.state, m_from.view, size, ratio);
        painter.drawPixmap(0, 0, m_first);
    } else if (part < m_removeEnd) {
        if (m_removed.isNull()) m_removed = picture(*m_from.layout, m_without, m_from.view, size, ratio);
        painter.drawPixmap(0, 0, m_removed);
        painter.setOpacity(1 - part / m_removeEnd);
        painter.drawPixmap(0, 0, m_first);
        painter.setOpacity(1);
    } else if (part < m_moveEnd) {
        const double moved = (part - m_removeEnd) / (m_moveEnd - m_removeEnd);
        m_draw(painter, movingLayout(*m_from.layout, *m_to.layout, moved), m_without,
               between(m_from.view, m_to.view, moved));
    } else {
        if (m_moved.isNull()) {
            m_moved = picture(*m_to.layout, m_without, m_to.view, size, ratio);
            painter.drawPixmap(0, 0, m_moved);
            return;
        }
        if (m_last.isNull()) m_last = picture(*m_to.layout, *m_to.state, m_to.view, size, ratio);
        painter.drawPixmap(0, 0, m_moved);
        painter.setOpacity((part - m_moveEnd) / std::max(1e-6, 1 - m_moveEnd));
        painter.drawPixmap(0, 0, m_last);
        painter.setOpacity(1);
    }
}

} // namespace secateur
