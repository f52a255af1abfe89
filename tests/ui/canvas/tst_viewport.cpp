// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/viewport.h"

#include <QTest>

using namespace secateur;

class TestViewport : public QObject {
    Q_OBJECT
  private slots:
    void aPointSurvivesTheWayThereAndBack() {
        const Viewport view{{-120, 40}, 0.37};
        const Point back = worldToView(view, viewToWorld(view, {311, 77}));
        QVERIFY(qAbs(back.x - 311) < 1e-9 && qAbs(back.y - 77) < 1e-9);
    }

    void zoomingKeepsThePointUnderTheCursor() {
        const Viewport view{{10, 20}, 1};
        const Point cursor{200, 150};
        const Viewport zoomed = zoomedAt(view, cursor, 1.7);
        const Point a = viewToWorld(view, cursor), b = viewToWorld(zoomed, cursor);
        QVERIFY(qAbs(a.x - b.x) < 1e-9 && qAbs(a.y - b.y) < 1e-9);
        QCOMPARE(zoomed.zoom, 1.7);
    }

    void zoomStaysWithinItsLimits() {
        QCOMPARE(zoomedAt({{0, 0}, 1}, {0, 0}, 1e9).zoom, kLargestZoom);
        QCOMPARE(zoomedAt({{0, 0}, 1}, {0, 0}, 1e-9).zoom, kSmallestZoom);
    }

    void fittingShowsEverything() {
        const Rect bounds{-50, 100, 4000, 900};
        const PaneSize size{400, 600};
        const Rect seen = worldRect(fitted(bounds, size), size);
        QVERIFY(seen.x <= bounds.x && seen.right() >= bounds.right());
        QVERIFY(seen.y <= bounds.y && seen.bottom() >= bounds.bottom());
    }

    void fittingShowsAHugePictureToo() {
        const PaneSize size{430, 400};
        for (const Rect& bounds : {Rect{-50, 0, 1e6, 900}, Rect{0, 0, 300, 4e6}}) {
            // As the canvas does: what was fitted stays within the limits of scrolling.
            const Viewport whole = clamped(fitted(bounds, size), bounds, size);
            const Rect seen = worldRect(whole, size);
            QVERIFY(seen.x <= bounds.x && seen.right() >= bounds.right());
            QVERIFY(seen.y <= bounds.y && seen.bottom() >= bounds.bottom());
            QVERIFY(zoomedAt(whole, {0, 0}, 0.5).zoom <= whole.zoom);
            QVERIFY(zoomedAt(whole, {0, 0}, 2).zoom > whole.zoom);
        }
    }

    void aSmallPictureIsNotBlownUp() { QCOMPARE(fitted({0, 0, 100, 50}, {800, 600}).zoom, 1.0); }

    void aTallPictureOpensAtItsTopWhereNamesCanBeRead() {
        const Rect bounds{0, 0, 600, 50000};
        const PaneSize size{420, 600};
        const Viewport view = firstView(bounds, {100, 0, 120, 40}, size);
        QVERIFY(view.zoom >= 0.6);
        QVERIFY(view.origin.y <= 0 && view.origin.y > -100);
        QVERIFY(view.origin.x <= 0);
    }

    void aPictureThatIsNotSeenWholeLeavesRoomForItsMapAtTheRight() {
        constexpr double kMap = 56 + 12; // pixels, with its margin
        const PaneSize size{640, 420};
        for (const double width : {500.0, 600.0, 800.0, 880.0}) {
            const Rect bounds{0, 0, width, 50000};
            const Viewport view = firstView(bounds, {100, 0, 120, 40}, size);
            QVERIFY(view.zoom >= 0.6);
            QVERIFY(worldToView(view, {bounds.x, 0}).x >= kFitMargin - 1);
            QVERIFY(worldToView(view, {bounds.right(), 0}).x <= size.width - kMap);
        }
        // A narrow one stands in the middle all the same.
        const Viewport narrow = firstView({0, 0, 200, 50000}, {50, 0, 100, 40}, size);
        QCOMPARE(worldToView(narrow, {100, 0}).x, size.width / 2);
    }

    void aWidePictureOpensWhereItBegins() {
        const Rect bounds{0, 0, 20000, 50000}, start{9000, 300, 120, 40};
        const PaneSize size{420, 600};
        const Rect seen = worldRect(firstView(bounds, start, size), size);
        QVERIFY(seen.x <= start.x && seen.right() >= start.right() && seen.y <= start.y &&
                seen.bottom() >= start.bottom());
    }

    void aPictureThatFitsAtHalfSizeOpensWhole() {
        const Rect bounds{0, 0, 1000, 700};
        const PaneSize size{600, 500};
        const Rect seen = worldRect(firstView(bounds, {100, 0, 120, 40}, size), size);
        QVERIFY(seen.x <= bounds.x && seen.right() >= bounds.right());
        QVERIFY(seen.y <= bounds.y && seen.bottom() >= bounds.bottom());
    }

    void contentIsKeptInsideByMovingAsLittleAsNeeded() {
        const Rect content{0, 0, 300, 900};
        const PaneSize size{400, 400};
        QCOMPARE(keptInside({{-30, 50}, 1}, content, size), (Viewport{{-30, 50}, 1}));
        // Looking far to the right: the right edge of the content stays in view, rows do not move.
        const Viewport right = keptInside({{2000, 50}, 1}, content, size);
        QCOMPARE(right.origin.x, -kFitMargin);
        QCOMPARE(right.origin.y, 50.0);
        const Viewport left = keptInside({{-2000, 50}, 1}, content, size);
        QCOMPARE(left.origin.x, 300 + kFitMargin - 400);
        // Content wider than the pane: its nearest edge.
        QCOMPARE(keptInside({{2000, 0}, 2}, content, size).origin.x, 300 + kFitMargin / 2 - 200);
        QCOMPARE(keptInside({{60, 0}, 2}, content, size).origin.x, 60.0);
    }

    void contentIsKeptInSightByMovingAsLittleAsNeeded() {
        const Rect content{0, 100, 300, 900};
        const PaneSize size{400, 400};
        QCOMPARE(keptInSight({{0, 300}, 1}, content, size), (Viewport{{0, 300}, 1}));
        const Viewport below = keptInSight({{0, 5000}, 1}, content, size);
        QCOMPARE(below.origin.y, content.bottom() - 96);
        const Viewport above = keptInSight({{0, -5000}, 2}, content, size);
        QCOMPARE(above.origin.y, 100 + 48 - 200.0);
        // Content that is smaller than that stays whole.
        const Viewport small = keptInSight({{0, 5000}, 1}, {0, 100, 300, 20}, size);
        QCOMPARE(small.origin.y, 100.0);
    }

    void scrollingEndsWhereSomethingIsStillSeen() {
        const Rect bounds{0, 0, 1000, 1000};
        const PaneSize size{400, 400};
        for (const Point origin : {Point{-1e6, -1e6}, Point{1e6, 1e6}}) {
            const Rect seen = worldRect(clamped({origin, 1}, bounds, size), size);
            QVERIFY(seen.intersects(bounds));
        }
    }

    void revealingMovesOnlyWhenNeeded() {
        const PaneSize size{400, 400};
        const Viewport view{{0, 0}, 1};
        QCOMPARE(revealing(view, {100, 100, 50, 50}, size), view);
        const Rect far{3000, 5000, 100, 40};
        const Rect seen = worldRect(revealing(view, far, size), size);
        QVERIFY(seen.x <= far.x && seen.right() >= far.right() && seen.y <= far.y &&
                seen.bottom() >= far.bottom());
        QCOMPARE(revealing(view, far, size).zoom, 1.0);
    }
};

QTEST_APPLESS_MAIN(TestViewport)
#include "tst_viewport.moc"
