// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/layout/layered.h"
#include "core/picture/picture_state.h"
#include "ui/canvas/viewport.h"
#endif

#include <QElapsedTimer>
#include <QObject>
#include <QPixmap>
#include <QTimer>

#include <functional>
#include <memory>

class QPainter;

namespace secateur {

/// What a pane shows at one moment.
struct PaneMoment {
    std::shared_ptr<const Layout> layout;
    std::shared_ptr<const PictureState> state;
    Viewport view;
};

/// The way of a pane from one moment to the next, in three parts that follow each other: what is removed
/// fades, what is kept moves, what is new appears.
class PaneMotion : public QObject {
    Q_OBJECT
  public:
    static constexpr int kMilliseconds = 250;
    /// With more to show than that nobody can follow.
    static constexpr std::size_t kMostChanges = 2000;

    /// Draws a moment onto a picture of the pane's size.
    using Draw = std::function<void(QPainter&, const Layout&, const PictureState&, const Viewport&)>;
    PaneMotion(Draw draw, QObject* parent);

    /// Begins the way where there is one that can be followed: some change, not too many, the same boxes.
    /// False: there is nothing to show. `seen` is the part of the world that the pane shows; changes outside
    /// of it do not count as seen.
    bool start(const PaneMoment& from, const PaneMoment& to, const LayoutGraph& graph, Pane pane,
               PaneSize size);
    void stop();
    [[nodiscard]] bool isRunning() const { return m_timer.isActive(); }
    /// Paints the moment between; `ratio` is that of device pixels.
    void paint(QPainter& painter, PaneSize size, double ratio);

    /// Phases that have something to show, for tests: removed, moved and added boxes.
    struct Counts {
        std::size_t removed = 0, moved = 0, added = 0;
    };
    [[nodiscard]] const Counts& counts() const { return m_counts; }

  signals:
    /// It is to be painted again; also when it has ended.
    void advanced();

  private:
    [[nodiscard]] Counts countChanges(const LayoutGraph& graph, Pane pane, PaneSize size);
    void dropNew(const LayoutGraph& graph, Pane pane);
    [[nodiscard]] QPixmap picture(const Layout& layout, const PictureState& state, const Viewport& view,
                                  PaneSize size, double ratio) const;

    Draw m_draw;
    QTimer m_timer;
    QElapsedTimer m_clock;
    PaneMoment m_from, m_to;
    PictureState m_without; ///< the state at the end without what is new
    Counts m_counts;
    double m_removeEnd = 0, m_moveEnd = 0; ///< parts of the whole time
    QPixmap m_first, m_removed, m_moved, m_last;
    bool m_isVisible = false;
};

} // namespace secateur
