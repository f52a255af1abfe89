// SPDX-License-Identifier: Apache-2.0
//
// What mouse and keys do in a canvas, by the events that a person's hands make.
#include "core/picture/edges.h"
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"
#include "ui/canvas/minimap.h"
#include "ui/inspector/find_field.h"

#include <QHelpEvent>
#include <QNativeGestureEvent>
#include <QPointingDevice>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

using namespace secateur;
using secateur::testing::blocksText;
using secateur::testing::World;

namespace {

/// A network of 20 blocks (100 nodes) with the canvas at a zoom where cards are drawn.
struct Drawn {
    World world;
    GraphCanvas& canvas = world.before();
    QWidget* area = canvas.viewport();

    bool open(int blocks = 20) { return world.openText(blocksText(blocks)); }
    [[nodiscard]] Viewport view() const { return canvas.view(); }
    [[nodiscard]] QPoint centre() const { return area->rect().center(); }
    [[nodiscard]] QPoint toView(const Rect& rect) const {
        const Point at = worldToView(view(), {rect.centerX(), rect.centerY()});
        return {static_cast<int>(at.x), static_cast<int>(at.y)};
    }
    [[nodiscard]] QPoint placeOf(std::uint32_t key) {
        return toView(
            nodeRect(world.document().picture()->unionGraph.graph, *world.document().layout(), key));
    }
    /// The first closed group's box, and its index.
    [[nodiscard]] const PlacedItem* firstBlob() {
        for (const PlacedItem& item : world.document().layout()->items)
            if (item.node == kNoIndex) return &item;
        return nullptr;
    }
    bool closeAll() {
        world.document().setAllExpanded(false);
        const bool isDone = world.settle();
        canvas.fitAll();
        return isDone;
    }
    void wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers = {}) {
        QWheelEvent event(QPointF(at), area->mapToGlobal(QPointF(at)), QPoint(), angle, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(area, &event);
    }
    void drag(Qt::MouseButton button, QPoint from, QPoint to) {
        QTest::mousePress(area, button, {}, from);
        // QTest::mouseMove tells nothing of the buttons that are held.
        QMouseEvent move(QEvent::MouseMove, QPointF(to), area->mapToGlobal(QPointF(to)), Qt::NoButton, button,
                         {});
        QApplication::sendEvent(area, &move);
        QTest::mouseRelease(area, button, {}, to);
    }
};

bool isNear(double a, double b) {
    return qAbs(a - b) < 1e-6 * (1 + qAbs(a) + qAbs(b));
}

} // namespace

class TestInteraction : public QObject {
    Q_OBJECT
  private slots:
    void theWheelScrolls() {
        Drawn graph;
        QVERIFY(graph.open());
        const Viewport before = graph.view();
        graph.wheel(graph.centre(), {0, -120});
        QVERIFY(graph.view().origin.y > before.origin.y);
        QCOMPARE(graph.view().zoom, before.zoom);
        graph.wheel(graph.centre(), {0, 120});
        QVERIFY(isNear(graph.view().origin.y, before.origin.y));
    }

    void theWheelWithShiftScrollsSideways() {
        Drawn graph;
        QVERIFY(graph.open());
        const Viewport before = graph.view();
        graph.wheel(graph.centre(), {0, -120}, Qt::ShiftModifier);
        QVERIFY(graph.view().origin.x > before.origin.x);
        QCOMPARE(graph.view().origin.y, before.origin.y);
    }

    void theWheelWithControlZoomsAtTheCursor() {
        Drawn graph;
        QVERIFY(graph.open());
        const QPoint cursor(120, 200);
        const Point world = viewToWorld(graph.view(), {120, 200});
        const double zoom = graph.view().zoom;
        graph.wheel(cursor, {0, 120}, Qt::ControlModifier);
        QVERIFY(graph.view().zoom > zoom);
        const Point now = viewToWorld(graph.view(), {120, 200});
        QVERIFY(isNear(now.x, world.x) && isNear(now.y, world.y));
    }

    void aWheelThatDoesNotTurnDoesNothing() {
        Drawn graph;
        QVERIFY(graph.open());
        const Viewport before = graph.view();
        graph.wheel(graph.centre(), {0, 0}, Qt::ControlModifier);
        QCOMPARE(graph.view(), before);
    }

    void draggingTheBackgroundPansBothPanes() {
        Drawn graph;
        QVERIFY(graph.open());
        const Viewport before = graph.view();
        graph.drag(Qt::LeftButton, {4, 300}, {4, 200});
        QVERIFY(isNear(graph.view().origin.y, before.origin.y + 100 / before.zoom));
        QCOMPARE(graph.world.window.compareView().after().view().origin.y, graph.view().origin.y);
        QVERIFY(graph.world.selection().empty());
    }

    void theMiddleButtonPansFromANode() {
        Drawn graph;
        QVERIFY(graph.open());
        const QPoint on = graph.placeOf(graph.world.keyOf("Relu"));
        const Viewport before = graph.view();
        graph.drag(Qt::MiddleButton, on, on + QPoint(0, 60));
        QVERIFY(isNear(graph.view().origin.y, before.origin.y - 60 / before.zoom));
        QVERIFY(graph.world.selection().empty());
    }

    void controlClickAddsAndTakesAway() {
        Drawn graph;
        QVERIFY(graph.open(2));
        const std::uint32_t relu = graph.world.keyOf("Relu"), tanh = graph.world.keyOf("Tanh");
        QTest::mouseClick(graph.area, Qt::LeftButton, {}, graph.placeOf(relu));
        QTest::mouseClick(graph.area, Qt::LeftButton, Qt::ControlModifier, graph.placeOf(tanh));
        QCOMPARE(graph.world.selection(), (std::vector<std::uint32_t>{relu, tanh}));
        QTest::mouseClick(graph.area, Qt::LeftButton, Qt::ControlModifier, graph.placeOf(relu));
        QCOMPARE(graph.world.selection(), std::vector<std::uint32_t>{tanh});
    }

    void aDoubleClickOpensAGroup() {
        Drawn graph;
        QVERIFY(graph.open() && graph.closeAll());
        const PlacedItem* blob = graph.firstBlob();
        QVERIFY(blob);
        const std::uint32_t group = blob->group;
        QTest::mouseDClick(graph.area, Qt::LeftButton, {}, graph.toView(blob->rect));
        QVERIFY(graph.world.settle());
        QVERIFY(graph.world.document().expanded().isOpen(group));
    }

    void enterOpensTheSelectedGroupAndBackspaceClosesIt() {
        Drawn graph;
        QVERIFY(graph.open() && graph.closeAll());
        const PlacedItem* blob = graph.firstBlob();
        QVERIFY(blob);
        const std::uint32_t group = blob->group;
        QTest::mouseClick(graph.area, Qt::LeftButton, {}, graph.toView(blob->rect));
        QCOMPARE(graph.world.selection(), std::vector<std::uint32_t>{kGroupKeyBit | group});
        QTest::keyClick(&graph.canvas, Qt::Key_Return);
        QVERIFY(graph.world.settle());
        QVERIFY(graph.world.document().expanded().isOpen(group));
        // From a node inside: what lies around it closes, and is selected.
        const LayoutGraph& nodes = graph.world.document().picture()->unionGraph.graph;
        const Layout& layout = *graph.world.document().layout();
        std::uint32_t inside = kNoIndex;
        for (std::uint32_t n = 0; n < nodes.nodes.size(); ++n)
            if (layout.items[layout.itemOfNode[n]].node == n && nodes.nodes[n].group != kNoIndex) inside = n;
        if (inside == kNoIndex) {
            // The block shows its parts: close from one of those.
            QTest::keyClick(&graph.canvas, Qt::Key_Backspace);
        } else {
            graph.world.document().select({nodes.nodes[inside].key});
            QTest::keyClick(&graph.canvas, Qt::Key_Backspace);
        }
        QVERIFY(graph.world.settle());
        QCOMPARE(graph.world.selection().size(), std::size_t{1});
        QVERIFY(isGroupKey(graph.world.selection().front()));
    }

    void spaceFitsAllAndFTheSelection() {
        Drawn graph;
        QVERIFY(graph.open());
        QTest::keyClick(&graph.canvas, Qt::Key_Space);
        const Rect seen = worldRect(graph.view(), graph.canvas.paneSize()),
                   all = graph.canvas.contentBounds();
        QVERIFY(seen.y <= all.y && seen.bottom() >= all.bottom());
        const std::uint32_t key = graph.world.keyOf("Tanh");
        // From far away nodes are no targets for the mouse: the outline or a search selects them.
        graph.world.document().select({key});
        QTest::keyClick(&graph.canvas, Qt::Key_F);
        QVERIFY(graph.view().zoom > 0.9);
        QVERIFY(graph.area->rect().contains(graph.placeOf(key)));
    }

    void plusAndMinusZoomAndControlZeroIsActualSize() {
        Drawn graph;
        QVERIFY(graph.open());
        graph.canvas.fitAll();
        const double zoom = graph.view().zoom;
        QTest::keyClick(&graph.canvas, Qt::Key_Plus);
        QVERIFY(graph.view().zoom > zoom);
        QTest::keyClick(&graph.canvas, Qt::Key_Minus);
        QVERIFY(isNear(graph.view().zoom, zoom));
        graph.world.action(ActionId::zoomReset).trigger();
        QVERIFY(isNear(graph.view().zoom, 1));
    }

    void bracketsStepAndHomeAndEndJump() {
        World world;
        QVERIFY(world.openSample());
        const std::size_t steps = world.document().history()->steps().size();
        QTest::keyClick(&world.before(), Qt::Key_Home);
        QCOMPARE(world.document().cursor(), std::size_t{0});
        QTest::keyClick(&world.before(), Qt::Key_BracketRight);
        QTest::keyClick(&world.before(), Qt::Key_BracketRight);
        QCOMPARE(world.document().cursor(), std::size_t{2});
        QTest::keyClick(&world.before(), Qt::Key_BracketLeft);
        QCOMPARE(world.document().cursor(), std::size_t{1});
        QTest::keyClick(&world.before(), Qt::Key_End);
        QCOMPARE(world.document().cursor(), steps);
        QVERIFY(!world.document().selectedStep());
    }

    void lettersChangeWhatIsCompared() {
        World world;
        QVERIFY(world.openSample());
        QTest::keyClick(&world.before(), Qt::Key_V);
        QVERIFY(world.window.compareView().isOverlay());
        QVERIFY(!world.window.compareView().after().isVisible());
        QTest::keyClick(&world.before(), Qt::Key_V);
        QVERIFY(!world.window.compareView().isOverlay());
        QTest::keyClick(&world.before(), Qt::Key_2);
        QCOMPARE(world.window.compareView().link().colorMode(), ColorMode::role);
        QTest::keyClick(&world.before(), Qt::Key_1);
        QCOMPARE(world.window.compareView().link().colorMode(), ColorMode::kind);
        QTest::keyClick(&world.before(), Qt::Key_BracketLeft);
        QTest::keyClick(&world.before(), Qt::Key_B);
        QVERIFY(world.document().isBeforePreviousStep());
        QTest::keyClick(&world.before(), Qt::Key_Slash);
        QVERIFY(world.window.findField().hasFocus());
    }

    void sidewaysArrowsWalkWithinARow() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t gelu = world.keyOf("Gelu");
        world.document().select({gelu});
        QTest::keyClick(&world.before(), Qt::Key_Right);
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{world.keyOf("GeluGrad")});
        QTest::keyClick(&world.before(), Qt::Key_Left);
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{gelu});
    }

    void theMinimapMovesTheView() {
        Drawn graph;
        QVERIFY(graph.open(60));
        auto* map = graph.canvas.findChild<Minimap*>();
        QVERIFY(map && map->isVisible());
        QTest::mouseClick(map, Qt::LeftButton, {}, QPoint(map->width() / 2, map->height() - 6));
        const Rect seen = worldRect(graph.view(), graph.canvas.paneSize());
        QVERIFY(seen.bottom() > graph.world.document().layout()->bounds.bottom() - 200);
    }

    void draggingInTheMinimapTakesTheViewAlong() {
        Drawn graph;
        QVERIFY(graph.open(60));
        auto* map = graph.canvas.findChild<Minimap*>();
        QVERIFY(map && map->isVisible());
        const QPoint top(map->width() / 2, 8), low(map->width() / 2, map->height() - 8);
        QTest::mousePress(map, Qt::LeftButton, {}, top);
        const double before = graph.view().origin.y;
        QMouseEvent move(QEvent::MouseMove, QPointF(low), map->mapToGlobal(QPointF(low)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(map, &move);
        QVERIFY(graph.view().origin.y > before + 100);
        QTest::mouseRelease(map, Qt::LeftButton, {}, low);
    }

    void aPinchZoomsAtTheCursor() {
        Drawn graph;
        QVERIFY(graph.open());
        const Viewport before = graph.view();
        const QPoint at = graph.centre() + QPoint(60, -40);
        const Point world = viewToWorld(before, {double(at.x()), double(at.y())});
        const auto* device = QPointingDevice::primaryPointingDevice();
        const auto pinch = [&](double value) {
            QNativeGestureEvent event(Qt::ZoomNativeGesture, device, 2, QPointF(at), QPointF(at),
                                      graph.area->mapToGlobal(QPointF(at)), value, QPointF());
            QApplication::sendEvent(graph.area, &event);
        };
        pinch(0.25);
        QCOMPARE(graph.view().zoom, before.zoom * 1.25);
        const Point now = viewToWorld(graph.view(), {double(at.x()), double(at.y())});
        QVERIFY(std::abs(now.x - world.x) < 0.01 && std::abs(now.y - world.y) < 0.01);
        pinch(-0.2);
        QVERIFY(std::abs(graph.view().zoom - before.zoom) < 1e-9);
    }

    void whatThePointerIsOverStandsOut() {
        Drawn graph;
        QVERIFY(graph.open());
        graph.canvas.resetZoom();
        const Layout& layout = *graph.world.document().layout();
        const auto picture = [&] { return graph.area->grab().toImage(); };
        const auto pointAt = [&](QPoint at) { QTest::mouseMove(graph.area, at); };
        const auto leave = [&] {
            QEvent event(QEvent::Leave);
            QApplication::sendEvent(graph.area, &event);
        };
        const Rect& node = layout.items[layout.itemOfNode[3]].rect;
        Viewport view = graph.view();
        view.origin = {node.centerX() - graph.canvas.paneSize().width / 2 / view.zoom,
                       node.centerY() - graph.canvas.paneSize().height / 2 / view.zoom};
        graph.canvas.setView(view);
        const QImage still = picture();
        pointAt(graph.toView(node));
        QVERIFY(picture() != still);
        int edges = 0;
        for (const PlacedEdge& edge : layout.edges) {
            if (edge.isPortal || edge.pointCount < 4) continue;
            const Point middle = pointOnCubic(&layout.points[edge.firstPoint], 0.5);
            const Point at = worldToView(graph.view(), middle);
            const QPoint place(static_cast<int>(at.x), static_cast<int>(at.y));
            if (!graph.area->rect().adjusted(5, 5, -5, -5).contains(place)) continue;
            leave();
            QCOMPARE(picture(), still);
            pointAt(place);
            edges += picture() != still ? 1 : 0;
        }
        QVERIFY2(edges > 0, "no edge in view");
        leave();
        QCOMPARE(picture(), still);
    }

    void allGroupsOpenAndCloseAtOnce() {
        Drawn graph;
        QVERIFY(graph.open());
        const auto closed = [&] {
            const auto& items = graph.world.document().layout()->items;
            return std::count_if(items.begin(), items.end(),
                                 [](const PlacedItem& item) { return item.node == kNoIndex; });
        };
        graph.world.action(ActionId::collapseAll).trigger();
        QVERIFY(graph.world.settle());
        QVERIFY(closed() > 0);
        graph.world.action(ActionId::expandAll).trigger();
        QVERIFY(graph.world.settle());
        QCOMPARE(closed(), 0);
    }

    void theMinimapDoesNotCoverWhatIsSelected() {
        Drawn graph;
        QVERIFY(graph.open(60));
        auto* map = graph.canvas.findChild<Minimap*>();
        QVERIFY(map && map->isVisible());
        const QRect usual = map->geometry();
        const LayoutGraph& nodes = graph.world.document().picture()->unionGraph.graph;
        const std::uint32_t key = nodes.nodes[nodes.nodes.size() / 2].key;
        // It stands right where the map is.
        const Rect box = nodeRect(nodes, *graph.world.document().layout(), key);
        Viewport view = graph.view();
        view.zoom = 3;
        view.origin = {box.centerX() - usual.center().x() / view.zoom,
                       box.centerY() - usual.center().y() / view.zoom};
        graph.canvas.setView(view);
        QVERIFY(usual.contains(graph.placeOf(key)));
        QCOMPARE(map->geometry(), usual);
        graph.world.document().select({key}, &graph.canvas); // it stays there
        QVERIFY(usual.contains(graph.placeOf(key)));
        QVERIFY(map->isVisible() && !map->geometry().contains(graph.placeOf(key)));
        QVERIFY(graph.canvas.viewport()->rect().contains(map->geometry()));
        graph.world.document().select({});
        QCOMPARE(map->geometry(), usual);
    }

    void theMinimapDoesNotCoverThePathOfWhatIsSelected() {
        Drawn graph;
        QVERIFY(graph.open(60));
        Document& document = graph.world.document();
        auto* map = graph.canvas.findChild<Minimap*>();
        const LayoutGraph& nodes = document.picture()->unionGraph.graph;
        const std::uint32_t key = nodes.nodes[nodes.nodes.size() / 2].key;
        document.select({key}, &graph.canvas);
        QVERIFY(document.selectedPath().nodes.size() > 2);
        const std::uint32_t next = nodes.nodes[document.selectedPath().nodes[2]].key;
        document.select({}, &graph.canvas);
        // The node two steps farther stands where the map is, the selected one above it.
        const QRect usual = map->geometry();
        const Rect box = nodeRect(nodes, *document.layout(), next);
        Viewport view = graph.view();
        view.zoom = 3;
        view.origin = {box.centerX() - usual.center().x() / view.zoom,
                       box.centerY() - usual.center().y() / view.zoom};
        graph.canvas.setView(view);
        document.select({key}, &graph.canvas);
        QVERIFY(map->isVisible() && !map->geometry().contains(graph.placeOf(next)));
        graph.world.action(ActionId::showPath).setChecked(false);
        QVERIFY(!map->geometry().contains(graph.placeOf(key)));
    }

    void inASmallPaneTheMinimapIsSmall() {
        Drawn graph;
        graph.world.window.resize(800, 600);
        graph.world.window.fitToSize();
        QVERIFY(graph.open(60));
        QTest::qWait(20);
        auto* map = graph.canvas.findChild<Minimap*>();
        const QSize pane = graph.area->size();
        QVERIFY(!map->isVisible() || map->width() * map->height() * 14 <= pane.width() * pane.height());
    }

    void theFrameOfTheMinimapIsSeenHoweverLargeThePictureIs() {
        Drawn graph;
        QVERIFY(graph.open(60));
        auto* map = graph.canvas.findChild<Minimap*>();
        const Rect all = graph.world.document().layout()->bounds;
        // At each corner of the picture, at a zoom at which the frame is a dot.
        for (const double x : {all.x, all.right()})
            for (const double y : {all.y, all.bottom()}) {
                graph.canvas.setView({{x - 1, y - 1}, kLargestZoom});
                QVERIFY(map->isVisible());
                const QRectF frame = map->seenFrame();
                QVERIFY(frame.width() >= 6 && frame.height() >= 6);
                QVERIFY(QRectF(map->rect()).contains(frame));
            }
    }

    void theMinimapStandsWhereItCoversLeast() {
        Drawn graph;
        QVERIFY(graph.open(60));
        auto* map = graph.canvas.findChild<Minimap*>();
        const auto coversCard = [&] {
            const Layout& layout = *graph.world.document().layout();
            return std::any_of(layout.items.begin(), layout.items.end(), [&](const PlacedItem& item) {
                const Point corner = worldToView(graph.view(), {item.rect.x, item.rect.y});
                return map->geometry().intersects(QRectF(corner.x, corner.y,
                                                         item.rect.width * graph.view().zoom,
                                                         item.rect.height * graph.view().zoom)
                                                      .toRect());
            });
        };
        graph.canvas.showFirstView();
        QVERIFY(map->isVisible());
        QVERIFY(!coversCard());
        // As the picture is moved it stays.
        const QRect place = map->geometry();
        graph.wheel(graph.centre(), {0, -600});
        QCOMPARE(map->geometry(), place);
        // Where something stands in its corner when the picture is fitted anew, it takes another.
        const Rect& last = graph.world.document().layout()->items.front().rect;
        Viewport view = graph.view();
        view.zoom = 1;
        view.origin = {last.centerX() - place.center().x(), last.centerY() - place.center().y()};
        graph.canvas.setView(view);
        QVERIFY(coversCard());
        graph.world.window.compareView().link().markFitted();
        QVERIFY(!coversCard());
    }

    void aTooltipSaysWhy() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t key = world.keyOf("GeluGrad");
        const Rect rect =
            nodeRect(world.document().picture()->unionGraph.graph, *world.document().layout(), key);
        const Point at = worldToView(world.before().view(), {rect.centerX(), rect.centerY()});
        const QPoint place(static_cast<int>(at.x), static_cast<int>(at.y));
        QHelpEvent event(QEvent::ToolTip, place, world.before().viewport()->mapToGlobal(place));
        QApplication::sendEvent(world.before().viewport(), &event);
        QVERIFY2(QToolTip::text().contains(QStringLiteral("removed by step")), qPrintable(QToolTip::text()));
        QToolTip::hideText();
    }

    void theScrollBarMovesAndAnotherSizeKeepsThePlace() {
        Drawn graph;
        QVERIFY(graph.open(60));
        QScrollBar* bar = graph.canvas.verticalScrollBar();
        bar->setValue(bar->maximum());
        const Rect seen = worldRect(graph.view(), graph.canvas.paneSize());
        QVERIFY(seen.bottom() >= graph.world.document().layout()->bounds.bottom());
        const Viewport before = graph.view();
        graph.world.window.resize(1300, 800);
        QTest::qWait(1);
        QCOMPARE(graph.view().zoom, before.zoom);
        QCOMPARE(graph.view().origin.y, before.origin.y);
    }
};

QTEST_MAIN(TestInteraction)
#include "tst_interaction.moc"
