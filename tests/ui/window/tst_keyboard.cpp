// SPDX-License-Identifier: Apache-2.0
//
// Everything by key: panes, the frame that says which one has the focus, and searching.
#include "tests/ui/support/world.h"
#include "ui/inspector/find_field.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/outline/outline_panel.h"
#include "ui/report/nodes_panel.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/focus_ring.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QSet>
#include <QTableView>
#include <QTreeView>

using namespace secateur;
using secateur::testing::blocksText;
using secateur::testing::World;

namespace {

void press(World& world, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* focused = QApplication::focusWidget();
    QTest::keyClick(focused ? focused : static_cast<QWidget*>(&world.window), key, modifiers);
}

bool activate(World& world) {
    world.window.activateWindow();
    return QTest::qWaitForWindowActive(&world.window);
}

} // namespace

class TestKeyboard : public QObject {
    Q_OBJECT
  private slots:
    void f6GoesRoundAllPanesAndBack() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        world.before().setFocus();
        const QList<QWidget*> expected{&world.before(), &world.window.compareView().after(),
                                       world.window.findChild<InspectorPanel*>(),
                                       &world.window.nodes().view(), &world.window.steps().view()};
        for (const QWidget* pane : expected) {
            QVERIFY2(pane->hasFocus(), qPrintable(pane->accessibleName()));
            press(world, Qt::Key_F6);
        }
        QVERIFY(world.before().hasFocus());
        for (qsizetype i = expected.size(); i-- > 0;) {
            press(world, Qt::Key_F6, Qt::ShiftModifier);
            QVERIFY2(expected[i]->hasFocus(), qPrintable(expected[i]->accessibleName()));
        }
    }

    void f6KnowsTheDocksThatAreShown() {
        World world;
        QVERIFY(world.openText(blocksText(4)) && activate(world));
        world.window.findChild<QDockWidget*>(QStringLiteral("outlineDock"))->raise();
        QTest::qWait(1);
        world.window.compareView().after().setFocus();
        QSet<QWidget*> seen;
        for (int i = 0; i < 12; ++i) {
            press(world, Qt::Key_F6);
            seen.insert(QApplication::focusWidget());
        }
        QVERIFY(seen.contains(&world.window.outline().view()));
        QVERIFY(!seen.contains(&world.window.steps().view()));
        // From the filter above the table the next pane is not the table once more.
        world.window.nodes().filter().setFocus();
        press(world, Qt::Key_F6);
        QVERIFY(QApplication::focusWidget() != &world.window.nodes().view());
    }

    void theFrameStandsAroundThePaneThatKeysReached() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        auto* ring = world.window.findChild<FocusRing*>();
        QVERIFY(ring && !ring->isVisible());
        world.before().setFocus();
        press(world, Qt::Key_F6);
        QWidget* pane = QApplication::focusWidget();
        QVERIFY(ring->isVisible());
        QCOMPARE(ring->pane(), pane);
        QCOMPARE(ring->geometry(), QRect(pane->mapTo(&world.window, QPoint()), pane->size()));
        // The frame follows when the pane gets another place.
        world.window.resize(1300, 820);
        QTest::qWait(1);
        QCOMPARE(ring->geometry(), QRect(pane->mapTo(&world.window, QPoint()), pane->size()));
        // It is drawn in the accent colour, and only as a frame.
        const QImage image = world.window.grab().toImage();
        const QPoint corner = pane->mapTo(&world.window, QPoint());
        QCOMPARE(image.pixelColor(corner + QPoint(1, 40)), themeColorOf(ThemeRole::accent));
        QVERIFY(image.pixelColor(corner + QPoint(4, 40)) != themeColorOf(ThemeRole::accent));
        // A click says by itself where it went.
        QTest::mouseClick(world.before().viewport(), Qt::LeftButton, {}, QPoint(5, 5));
        QVERIFY(!ring->isVisible());
    }

    void theFrameGoesWithItsPane() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        world.before().setFocus();
        press(world, Qt::Key_F6);
        press(world, Qt::Key_F6);
        auto* inspector = world.window.findChild<InspectorPanel*>();
        QVERIFY(inspector->hasFocus());
        world.window.findChild<QDockWidget*>(QStringLiteral("inspectorDock"))->hide();
        auto* ring = world.window.findChild<FocusRing*>();
        QVERIFY(ring->pane() != inspector);
    }

    void findingIsTypingAndEnter() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        world.before().setFocus();
        press(world, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(world.window.findField().hasFocus());
        QTest::keyClicks(&world.window.findField(), QStringLiteral("gelugrad"));
        press(world, Qt::Key_Return);
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{world.keyOf("GeluGrad")});
        press(world, Qt::Key_Escape);
        QVERIFY(world.before().hasFocus());
    }

    void weightsThatAreInputsAreFoundInTheNodeThatReadsThem() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        const Model& model = world.document().original()->file.model;
        const LayoutGraph& graph = world.document().picture()->unionGraph.graph;
        QString name;
        for (const ValueId input : model.graphInputs(model.mainGraph()))
            if (graph.find(kInputKeyBit | input.index) == kNoIndex) name = qs(model.name(input));
        if (name.isEmpty()) QSKIP("every input of the sample is drawn as a node");
        QTest::keyClicks(&world.window.findField(), name);
        QTest::keyClick(&world.window.findField(), Qt::Key_Return);
        QCOMPARE(world.selection().size(), std::size_t{1});
        QVERIFY(graph.find(world.selection().front()) != kNoIndex);
    }

    void stepsAreTickedAndWalkedByKey() {
        World world;
        QVERIFY(world.openSample() && activate(world));
        QTreeView& steps = world.window.steps().view();
        steps.setFocus();
        press(world, Qt::Key_Home);
        press(world, Qt::Key_Down);
        press(world, Qt::Key_Down);
        QCOMPARE(world.document().cursor(), std::size_t{2});
        QVERIFY(world.document().session()->recipe().steps[1].isOn);
        press(world, Qt::Key_Space);
        QVERIFY(!world.document().session()->recipe().steps[1].isOn);
        QVERIFY(world.settle());
    }

    void everyWidgetThatTakesKeysHasAName() {
        World world;
        QVERIFY(world.openSample());
        for (const QWidget* widget : world.window.findChildren<QWidget*>()) {
            const bool isPane = qobject_cast<const QAbstractScrollArea*>(widget) &&
                                widget->focusPolicy() != Qt::NoFocus && widget->isVisible();
            const bool isField = qobject_cast<const QLineEdit*>(widget) && widget->isVisible();
            if (isPane || isField)
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        }
    }
};

QTEST_MAIN(TestKeyboard)
#include "tst_keyboard.moc"
