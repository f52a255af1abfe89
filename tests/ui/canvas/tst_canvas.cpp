// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"

#include <QScrollBar>
#include <QSignalSpy>

using namespace secateur;
using testing::World;

namespace {

/// The middle of the box of a node, in pixels of the canvas.
QPoint placeOf(World& world, std::uint32_t key) {
    const Rect rect = nodeRect(world.document().picture()->unionGraph.graph, *world.document().layout(), key);
    const Point at =
        worldToView(world.window.compareView().link().viewport(), {rect.centerX(), rect.centerY()});
    return {static_cast<int>(at.x), static_cast<int>(at.y)};
}

std::uint32_t keyOf(World& world, const char* op) {
    const Model& model = world.document().original()->file.model;
    for (const NodeId id : model.nodes(model.mainGraph()))
        if (model.op(id) == op) return id.index;
    return kNoIndex;
}

} // namespace

class TestCanvas : public QObject {
    Q_OBJECT
  private slots:
    void aClickSelectsAndDoesNotScroll() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t key = keyOf(world, "MatMul");
        world.before().fitAll();
        const Viewport view = world.window.compareView().link().viewport();
        QTest::mouseClick(world.before().viewport(), Qt::LeftButton, {}, placeOf(world, key));
        QCOMPARE(world.document().selection(), std::vector<std::uint32_t>{key});
        QCOMPARE(world.window.compareView().link().viewport(), view);
    }

    void aClickOnTheBackgroundSelectsNothing() {
        World world;
        QVERIFY(world.openSample());
        world.document().select({keyOf(world, "MatMul")});
        QTest::mouseClick(world.before().viewport(), Qt::LeftButton, {},
                          QPoint(3, world.before().viewport()->height() - 3));
        QVERIFY(world.document().selection().empty());
    }

    void arrowsWalkToTheConsumerAndBack() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t first = keyOf(world, "MatMul");
        world.document().select({first});
        QTest::keyClick(&world.before(), Qt::Key_Down);
        QCOMPARE(world.document().selection().size(), std::size_t{1});
        QVERIFY(world.document().selection().front() != first);
        QTest::keyClick(&world.before(), Qt::Key_Up);
        QCOMPARE(world.document().selection(), std::vector<std::uint32_t>{first});
    }

    void bothPanesShowTheSamePlace() {
        World world;
        QVERIFY(world.openSample());
        world.before().zoomBy(3);
        world.before().verticalScrollBar()->setValue(world.before().verticalScrollBar()->value() + 100);
        QCOMPARE(world.window.compareView().after().verticalScrollBar()->value(),
                 world.before().verticalScrollBar()->value());
    }

    void escapeSelectsNothing() {
        World world;
        QVERIFY(world.openSample());
        world.document().select({keyOf(world, "MatMul")});
        QTest::keyClick(&world.before(), Qt::Key_Escape);
        QVERIFY(world.document().selection().empty());
    }

    void shiftDragSelectsWhatItTouches() {
        World world;
        QVERIFY(world.openSample());
        world.before().fitAll();
        QWidget* area = world.before().viewport();
        QTest::mousePress(area, Qt::LeftButton, Qt::ShiftModifier, QPoint(2, 2));
        QTest::mouseMove(area, QPoint(area->width() - 3, area->height() - 3));
        QTest::mouseRelease(area, Qt::LeftButton, Qt::ShiftModifier,
                            QPoint(area->width() - 3, area->height() - 3));
        QVERIFY(world.document().selection().size() > 3);
    }

    void theSelectedNodeIsSaidInWords() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t gradient = keyOf(world, "GeluGrad");
        world.document().select({gradient});
        const QString words = world.before().accessibleName();
        QVERIFY2(words.contains(QStringLiteral("GeluGrad")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("backward")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("removed by step")), qPrintable(words));
    }

    void aRemovedNodeHasAPathToItsDeadEnd() {
        World world;
        QVERIFY(world.openSample());
        world.document().select({keyOf(world, "GeluGrad")});
        const auto path = world.document().selectedPath();
        QVERIFY(path.size() >= 2);
        QCOMPARE(path.front(), keyOf(world, "GeluGrad"));
    }
};

QTEST_MAIN(TestCanvas)
#include "tst_canvas.moc"
