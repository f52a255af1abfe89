// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/picture_state.h"
#include "ui/canvas/viewport.h"
#endif

#include <QObject>

#include <optional>

namespace secateur {

/// What the panes of one window share: the part of the world they show, and how it is coloured.
class ViewLink : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;
    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    void setViewport(const Viewport& viewport) {
        if (viewport == m_viewport) return;
        m_viewport = viewport;
        emit viewportChanged();
    }
    /// The view of now shows a whole picture, or where one begins: a pane that shows less of it puts what it
    /// has in its middle.
    void markFitted() {
        m_fitted = m_viewport;
        emit fitted();
    }
    [[nodiscard]] bool isFitted() const { return m_fitted == m_viewport; }
    [[nodiscard]] ColorMode colorMode() const { return m_colorMode; }
    void setColorMode(ColorMode mode) {
        m_colorMode = mode;
        emit lookChanged();
    }
    [[nodiscard]] bool showsPath() const { return m_showsPath; }
    void setShowsPath(bool on) {
        m_showsPath = on;
        emit lookChanged();
    }

    /// Whether what changes is shown at once, see PaneMotion.
    [[nodiscard]] bool isMotionReduced() const { return m_isMotionReduced; }
    void setMotionReduced(bool on) { m_isMotionReduced = on; }
    /// Whether the wheel zooms and scrolls with Ctrl, and not the other way round.
    [[nodiscard]] bool wheelZooms() const { return m_wheelZooms; }
    void setWheelZooms(bool on) { m_wheelZooms = on; }

  signals:
    void viewportChanged();
    void fitted();
    void lookChanged();

  private:
    Viewport m_viewport;
    std::optional<Viewport> m_fitted;
    ColorMode m_colorMode = ColorMode::kind;
    bool m_showsPath = true;
    bool m_isMotionReduced = false;
    bool m_wheelZooms = false;
};

} // namespace secateur
