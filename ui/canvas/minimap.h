// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/layout/geometry.h"
#include "core/picture/picture_state.h"
#endif

#include <QPixmap>
#include <QWidget>

#include <vector>

namespace secateur {

class Document;
class GraphCanvas;
class ViewLink;

/// The whole picture in a corner of a canvas, with the part that is shown; click or drag moves there. Hidden
/// while all of the picture is in view. Tall pictures are squeezed: here place counts, not proportion.
class Minimap : public QWidget {
    Q_OBJECT
  public:
    Minimap(Document& document, ViewLink& link, Pane pane, GraphCanvas* canvas);
    void setPane(Pane pane);
    /// Puts it into a corner of the canvas that hides nothing of what is selected and its path, or as little
    /// as can be, and shows or hides it. Where
    /// it stands in a picture that was just fitted, the lower right corner or another in which it covers
    /// fewer boxes, it stays as the picture is moved.
    void place();
    /// Of what the pane shows, in pixels of the map.
    [[nodiscard]] QRectF seenFrame() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    void drawPicture();
    [[nodiscard]] QRect freeCorner(QSize size);
    [[nodiscard]] double coveredBy(QRect map) const;
    [[nodiscard]] std::vector<QRectF> selectedBoxes() const;
    [[nodiscard]] QRectF toMap(const Rect& world) const;
    void moveTo(QPointF at);

    Document& m_document;
    ViewLink& m_link;
    GraphCanvas* m_canvas;
    Pane m_pane;
    QPixmap m_picture;
    bool m_isStale = true;
    bool m_coversMuch = false; ///< in a small pane, where the picture was fitted
    bool m_isHeld = false;     ///< by the mouse
    std::size_t m_corner = 0;  ///< of those in freeCorner()
};

} // namespace secateur
