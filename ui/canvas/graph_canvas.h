// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/compose.h"
#include "ui/app_state/actions.h"
#include "ui/canvas/list_painter.h"
#include "ui/canvas/pane_motion.h"
#include "ui/canvas/view_link.h"
#endif

#include <QAbstractScrollArea>
#include <QPoint>

#include <optional>

namespace secateur {

class Document;
class Minimap;
struct UnionPicture;

/// One pane of the graph: paints the picture that core composes, turns mouse and keys into looks and
/// selections.
class GraphCanvas : public QAbstractScrollArea {
    Q_OBJECT
  public:
    GraphCanvas(Document& document, ViewLink& link, Pane pane, QWidget* parent = nullptr);

    void setPane(Pane pane);
    [[nodiscard]] Pane pane() const { return m_pane; }
    [[nodiscard]] PaneSize paneSize() const;
    /// What this pane shows: rows and zoom are those of all panes; After is moved sideways so that its own
    /// content stays in view while the other looks at what was cut away. Where gaps are closed After scrolls
    /// and zooms by itself.
    [[nodiscard]] Viewport view() const;
    /// Moves all panes so that this one shows `view`.
    void setView(const Viewport& view);
    /// The layout that this pane shows; null without a model.
    [[nodiscard]] const std::shared_ptr<const Layout>& layout() const;
    [[nodiscard]] const PaneMotion& motion() const { return m_motion; }
    /// The pane beside this one, which is fitted together with it.
    void setPeer(GraphCanvas* peer) { m_peer = peer; }
    /// All that this pane shows, and what the one beside it shows at the same zoom.
    void fitAll();
    void fitSelection();
    void zoomBy(double factor);
    void resetZoom();
    /// Pans as little as needed to show what is selected.
    void revealSelection();
    /// Opens the groups that the selected node lies in, and fits it.
    void showSelected();
    void showFirstView();
    /// Walks to a neighbour of the selected node: producer, consumer, or beside it in its row.
    enum class Walk { producer, consumer, previousInRow, nextInRow };
    void walk(Walk direction);
    /// Opens what is selected: a group in its place, the body of a node on the canvas; fits another node.
    void openSelected();
    /// Closes the group around what is selected, or leaves the body that is drawn.
    void closeSelected();
    /// Why what is selected is not in this pane: "`GeluGrad_1` is not in After: removed by step 3: Prune
    /// backward". Empty where it is, and where nothing or more than one is selected.
    [[nodiscard]] QString absenceNote() const;
    /// World bounds of what this pane shows, labels of edges among it.
    [[nodiscard]] const Rect& contentBounds() const { return m_content; }

  signals:
    void activated();
    /// It shows another part of the picture than the other pane, which stays.
    void viewMoved();
    /// A single letter asked for something that is not the canvas's own.
    void actionRequested(ActionId id);

  protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

  private:
    enum class Drag { none, maybeSelect, pan, rubberBand };
    [[nodiscard]] Scene scene() const;
    /// The first input of the graph, else its topmost forward node.
    [[nodiscard]] Rect startOfPicture() const;
    [[nodiscard]] ViewRequest request() const;
    [[nodiscard]] Hit hitAt(QPointF at) const;
    [[nodiscard]] PaneSize barlessSize() const;
    void updateScrollBars();
    void updateContent();
    /// Of what this pane shows; where it may be seen whole with the labels of its edges.
    [[nodiscard]] Rect boundsWithLabels();
    /// Looks at another moment: at once, or on a way that can be followed.
    void onLook();
    void onCompact();
    void onLayout();
    void fitAgain();
    void fitTo(const Rect& bounds, double largestZoom);
    [[nodiscard]] Rect rowsOf(const Rect& columns) const;
    /// The same boxes as the pane beside it: what stands in both stands at the same place.
    [[nodiscard]] bool showsAllBoxes() const;
    /// Moves what After shows to the middle of its pane, where all of it has room.
    void centre();
    [[nodiscard]] bool isContentWhole(double zoom) const;
    void keepPlace(const UnionPicture* before);
    /// False where nothing was kept, or where what was kept is gone.
    bool returnToPlace();
    /// Where the view must be so that what stands in its middle stays there in another layout.
    [[nodiscard]] Viewport anchored(const Viewport& view, const Layout& from, const Layout& to) const;
    void startMotion();
    [[nodiscard]] bool mayMove() const;
    void drawMoment(QPainter& painter, const Layout& layout, const PictureState& state, const Viewport& view);
    /// Opens the only body of a node, or the one under the row; lets choose among several. False where there
    /// is none.
    bool openBody(std::uint32_t key, int row, QPoint at);
    void clearSelection();
    void pan(double right, double down);
    void setHovered(const Hit& hit);
    void selectHit(const Hit& hit, bool isToggle);
    void finishRubberBand(const QRectF& area, bool isAdding);
    [[nodiscard]] std::uint32_t selectedItem() const;
    [[nodiscard]] std::optional<std::uint32_t> keyOfItem(std::uint32_t item) const;
    [[nodiscard]] std::uint32_t keyOfHit(const Hit& hit) const;
    void paintGroupSelection(QPainter& painter) const;
    void paintEmpty(QPainter& painter) const;
    void paintAbsence(QPainter& painter) const;
    void updateAccessibleName();
    [[nodiscard]] QString tipOf(const Hit& hit) const;
    bool handleKey(int key, Qt::KeyboardModifiers modifiers);
    bool handleMoveKey(int key);
    bool handleActionKey(int key);

    Document& m_document;
    ViewLink& m_link;
    Pane m_pane;
    GraphCanvas* m_peer = nullptr;
    Minimap* m_minimap = nullptr;
    ListPainter m_painter;
    DisplayList m_list;
    Rect m_content;          ///< bounds of what this pane shows, holes left out
    bool m_showsAll = false; ///< see showsAllBoxes()
    Hit m_hovered;
    Drag m_drag = Drag::none;
    QPointF m_pressedAt, m_draggedTo;
    Viewport m_pressedView;
    PaneMotion m_motion;
    PaneMoment m_seen;                           ///< shown last
    std::shared_ptr<const UnionPicture> m_drawn; ///< before the next layoutChanged
    double m_aside = 0; ///< After: how far right of the other panes it looks, in world units, see centre()
    std::optional<Viewport> m_own; ///< where gaps are closed: scrolled by itself
    /// A box and where its corner stood in the pane, to be brought back there.
    struct KeptPlace {
        std::uint32_t key = 0;
        Point at;
        double zoom = 1;
    };
    std::optional<KeptPlace> m_kept;
    /// How the view was chosen that stood then.
    enum class Fit { none, all, first };
    struct {
        Fit kind = Fit::none;
        Viewport view;
        std::weak_ptr<const Layout> layout;
    } m_fit;
    bool m_isFitting = false;
    bool m_isSettingBars = false;
    bool m_isShowingSelected = false; ///< fits the selection once the groups around it are open
};

} // namespace secateur
