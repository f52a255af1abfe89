// SPDX-License-Identifier: Apache-2.0
//
// Colours, the walk from the targets, closed gaps and the way between moments: looks, never edits.
#include "tests/ui/support/world.h"
#include "ui/canvas/colour_legend.h"
#include "ui/canvas/walk_bar.h"
#include "ui/steps/steps_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QProxyStyle>
#include <QScrollBar>
#include <QSettings>
#include <QSlider>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>

using namespace secateur;
using secateur::testing::World;

namespace {

/// y = Relu(x), and a chain of `dead` nodes that nobody reads.
std::string deadChain(int dead) {
    std::string text =
        "<ir_version: 10, opset_import: [\"\": 21]> net (float[2] x) => (float[2] y, float[2] loss) {\n"
        "y = Relu(x)\n";
    std::string last = "x";
    for (int i = 0; i < dead; ++i) {
        text += "d" + std::to_string(i) + " = Tanh(" + last + ")\n";
        last = "d" + std::to_string(i);
    }
    return text + "loss = Identity(" + last + ")\n}";
}

struct Looked {
    World world;
    Document& document = world.document();
    GraphCanvas& before = world.before();
    GraphCanvas& after = world.window.compareView().after();
    ViewLink& link = world.window.compareView().link();
    WalkBar& bar = world.window.compareView().walkBar();

    void press(Qt::Key key, QWidget* where = nullptr) { QTest::keyClick(where ? where : &before, key); }
    [[nodiscard]] QString legend() {
        return world.window.findChild<ColourLegend*>()->words().join(QLatin1Char('\n'));
    }
    [[nodiscard]] QSlider* slider() { return bar.findChild<QSlider*>(QStringLiteral("walkSlider")); }
    [[nodiscard]] QString waveWords() { return bar.findChild<QLabel*>(QStringLiteral("walkWords"))->text(); }
    bool follow() {
        world.action(ActionId::followWalk).trigger();
        return bar.isVisible() && document.wave().has_value();
    }
    /// The first step that removes something; 0: none does.
    [[nodiscard]] std::size_t removingStep() {
        const auto& steps = document.history()->steps();
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i].after.nodes < steps[i].before.nodes) return i + 1;
        return 0;
    }
};

/// A desktop style that wants no animations.
class StillStyle : public QProxyStyle {
  public:
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* answer) const override {
        return hint == SH_Widget_Animation_Duration ? 0
                                                    : QProxyStyle::styleHint(hint, option, widget, answer);
    }
};

} // namespace

class TestLooks : public QObject {
    Q_OBJECT
  private slots:
    void digitsColourByKindRoleTimeBytesAndFlops() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_2);
        QCOMPARE(looked.link.colorMode(), ColorMode::role);
        looked.press(Qt::Key_4);
        QCOMPARE(looked.link.colorMode(), ColorMode::heat);
        QVERIFY(looked.document.shownHeat());
        QCOMPARE(looked.document.shownHeat()->kind, HeatKind::bytes);
        QVERIFY(looked.document.shownHeat()->isMeasured);
        QVERIFY2(looked.legend().contains(QStringLiteral("Bytes")), qPrintable(looked.legend()));
        QVERIFY(!looked.document.state().heat.items.empty());
        looked.press(Qt::Key_5);
        QCOMPARE(looked.document.shownHeat()->kind, HeatKind::flops);
        looked.press(Qt::Key_1);
        QCOMPARE(looked.link.colorMode(), ColorMode::kind);
        QVERIFY(!looked.document.shownHeat());
    }

    void timeSaysThatItWasNotMeasuredAndColoursNothing() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_3);
        QVERIFY(looked.document.shownHeat());
        QVERIFY(!looked.document.shownHeat()->isMeasured);
        QVERIFY2(looked.legend().contains(QStringLiteral("not measured")), qPrintable(looked.legend()));
        for (const double value : looked.document.shownHeat()->values)
            QCOMPARE(value, Heat::kNotMeasured);
    }

    void theToolbarSaysWhichColourHolds() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_4);
        QStringList shown;
        for (const QComboBox* box : looked.world.window.findChildren<QComboBox*>())
            shown.append(box->currentText());
        QVERIFY(shown.contains(QStringLiteral("Bytes")));
    }

    void theWalkBeginsAtTheTargetsAndReachesAllThatStays() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.bar.isHidden());
        QVERIFY(looked.follow());
        QVERIFY(looked.bar.isPlaying());
        QSlider* slider = looked.slider();
        QTest::keyClick(slider, Qt::Key_Home);
        QVERIFY(!looked.bar.isPlaying()); // a hand on the slider takes over
        QCOMPARE(*looked.document.wave(), 0U);
        QTest::keyClick(slider, Qt::Key_Right);
        QCOMPARE(*looked.document.wave(), 1U);
        const WalkWaves& waves = *looked.document.waves();
        QVERIFY2(looked.waveWords().startsWith(QStringLiteral("wave 1 of %1,").arg(waves.count() - 1)),
                 qPrintable(looked.waveWords()));
        QTest::keyClick(slider, Qt::Key_End);
        QCOMPARE(*looked.document.wave(), waves.count() - 1);
        // At the end all that pruning keeps was reached, and nothing else.
        const LayoutGraph& graph = looked.document.picture()->unionGraph.graph;
        const auto& reach = looked.document.reachability();
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
            const std::uint32_t key = graph.nodes[n].key;
            if ((key & (kInputKeyBit | kOutputKeyBit)) != 0) continue;
            QCOMPARE(waves.isReached(n, *looked.document.wave()), reach.isReached(NodeId(key)));
        }
    }

    void theWalkPlaysToItsEndByItself() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.follow());
        QTRY_VERIFY_WITH_TIMEOUT(!looked.bar.isPlaying(), 15000);
        QCOMPARE(*looked.document.wave(), looked.document.waves()->count() - 1);
        // Space plays again, from the beginning.
        QTest::keyClick(looked.slider(), Qt::Key_Space);
        QVERIFY(looked.bar.isPlaying());
        QVERIFY(*looked.document.wave() < looked.document.waves()->count() - 1);
    }

    void escapeEndsTheWalkWhichWasNoEdit() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.follow());
        QApplication::setActiveWindow(&looked.world.window);
        looked.slider()->setFocus();
        QVERIFY(looked.slider()->hasFocus());
        const std::size_t cursor = looked.document.cursor();
        QTest::keyClick(looked.slider(), Qt::Key_Escape);
        QVERIFY(looked.bar.isHidden());
        // The graph has the keys again, and nothing else was looked at.
        QVERIFY(looked.before.hasFocus());
        QCOMPARE(looked.document.cursor(), cursor);
        QVERIFY(!looked.document.wave());
        QVERIFY(!looked.world.action(ActionId::followWalk).isChecked());
        QVERIFY(looked.document.state().walk.items.empty());
        QVERIFY(!looked.document.session()->canUndo());
        QVERIFY(looked.follow());
        // In the graph it ends the walk once nothing is selected any more.
        looked.document.select({looked.world.keyOf("MatMul")});
        looked.press(Qt::Key_Escape);
        QVERIFY(looked.document.wave().has_value() && looked.world.selection().empty());
        looked.press(Qt::Key_Escape);
        QVERIFY(!looked.document.wave());
    }

    void keysThatComeToTheStepsLookAtNothingElse() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QApplication::setActiveWindow(&looked.world.window);
        const std::size_t cursor = looked.document.cursor();
        QVERIFY(cursor > 0);
        looked.world.window.steps().view().setFocus(Qt::TabFocusReason);
        QVERIFY(looked.world.window.steps().view().hasFocus());
        QCOMPARE(looked.document.cursor(), cursor);
        QVERIFY(!looked.document.selectedStep());
        // From there a key goes to the last step, not to the first.
        QTest::keyClick(&looked.world.window.steps().view(), Qt::Key_Up);
        QCOMPARE(looked.document.cursor(), cursor - 1);
    }

    void anotherTargetEndsTheWalk() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.follow());
        looked.document.setStepOn(1, false);
        QVERIFY(looked.world.settle());
        QVERIFY(looked.bar.isHidden());
        QVERIFY(!looked.bar.isPlaying());
    }

    void compactClosesTheGapsAndUnlocksScrolling() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        const double height = looked.after.contentBounds().height;
        looked.press(Qt::Key_C);
        QVERIFY(looked.world.settle());
        QVERIFY(looked.world.action(ActionId::compact).isChecked());
        QVERIFY(looked.after.layout() != looked.document.layout());
        QVERIFY(looked.after.contentBounds().height < height);
        QCOMPARE(looked.before.layout(), looked.document.layout());
        // Scrolled and zoomed by itself.
        const Viewport before = looked.before.view();
        looked.after.zoomBy(2);
        QCOMPARE(looked.before.view(), before);
        // Linked by selection: what is selected on one side is brought into view on both.
        looked.after.zoomBy(4);
        const std::uint32_t last = looked.document.picture()->unionGraph.graph.nodes.front().key;
        looked.document.select({last});
        const Rect box = nodeRect(looked.document.picture()->unionGraph.graph, *looked.after.layout(), last);
        QVERIFY(worldRect(looked.after.view(), looked.after.paneSize()).intersects(box));
        looked.press(Qt::Key_C);
        QVERIFY(looked.world.settle());
        QCOMPARE(looked.after.layout(), looked.document.layout());
        QCOMPARE(looked.after.view().zoom, looked.before.view().zoom);
    }

    void compactFollowsTheCursor() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_C);
        QVERIFY(looked.world.settle());
        const double atEnd = looked.after.contentBounds().height;
        looked.document.lookAt(0);
        QVERIFY(looked.world.settle());
        QVERIFY(looked.after.contentBounds().height > atEnd);
        QVERIFY(!looked.document.session()->canUndo());
        looked.document.lookAtEnd();
        QVERIFY(looked.world.settle());
        QCOMPARE(looked.after.contentBounds().height, atEnd);
    }

    void compactStaysWhereItLooksWhenTheRecipeIsEdited() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_C);
        QVERIFY(looked.world.settle());
        looked.after.fitAll();
        looked.after.zoomBy(3);
        const auto placeOf = [&](std::uint32_t key) {
            const Rect box =
                nodeRect(looked.document.picture()->unionGraph.graph, *looked.after.layout(), key);
            return worldToView(looked.after.view(), {box.x, box.y});
        };
        // What stands nearest to the middle of the pane.
        const Rect seen = worldRect(looked.after.view(), looked.after.paneSize());
        std::uint32_t nearest = kNoIndex;
        double least = 1e300;
        for (const PlacedItem& item : looked.after.layout()->items) {
            if (item.node == kNoIndex || item.rect.isEmpty()) continue;
            const double distance = std::abs(item.rect.centerX() - seen.centerX()) +
                                    std::abs(item.rect.centerY() - seen.centerY());
            if (distance >= least) continue;
            least = distance;
            nearest = looked.document.picture()->unionGraph.graph.nodes[item.node].key;
        }
        QVERIFY(nearest != kNoIndex);
        const Point was = placeOf(nearest);
        const double zoom = looked.after.view().zoom;
        looked.document.setForOnnxRuntime(true);
        QVERIFY(looked.world.settle());
        QVERIFY2(looked.after.layout() != looked.document.layout(), "gaps are closed again");
        QCOMPARE(looked.after.view().zoom, zoom);
        QVERIFY(std::abs(placeOf(nearest).x - was.x) < 2 && std::abs(placeOf(nearest).y - was.y) < 2);
    }

    void aClickHitsWhatIsDrawnWhereGapsAreClosed() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.press(Qt::Key_C);
        QVERIFY(looked.world.settle());
        looked.after.fitAll();
        const std::uint32_t key = looked.world.keyOf("MatMul");
        const Rect box = nodeRect(looked.document.picture()->unionGraph.graph, *looked.after.layout(), key);
        const Point at = worldToView(looked.after.view(), {box.centerX(), box.centerY()});
        QTest::mouseClick(looked.after.viewport(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(at.x), static_cast<int>(at.y)));
        QCOMPARE(looked.world.selection(), std::vector<std::uint32_t>{key});
    }

    void aStepPlaysForAQuarterOfASecond() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.world.action(ActionId::reduceMotion).setChecked(false);
        looked.document.lookAt(0);
        QTRY_VERIFY(!looked.before.motion().isRunning());
        const std::size_t step = looked.removingStep();
        QVERIFY(step > 0);
        looked.document.lookAt(step);
        QVERIFY(looked.before.motion().isRunning());
        QVERIFY(looked.before.motion().counts().removed > 0);
        QCOMPARE(looked.before.motion().counts().moved, std::size_t{0}); // rows are locked
        QElapsedTimer clock;
        clock.start();
        QTRY_VERIFY(!looked.before.motion().isRunning());
        QVERIFY(clock.elapsed() < 1000);
        // What stands then is what stands without a way to it.
        const QImage played = looked.before.viewport()->grab().toImage();
        looked.world.action(ActionId::reduceMotion).setChecked(true);
        looked.document.lookAt(0);
        looked.document.lookAt(step);
        QCOMPARE(looked.before.viewport()->grab().toImage(), played);
    }

    void aStepFadesBetweenItsPictures() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.document.lookAt(0);
        // Scroll bars that opening showed for a moment are gone with the events that wait.
        QTRY_COMPARE(looked.before.viewport()->size(), looked.before.size());
        const QImage first = looked.before.viewport()->grab().toImage();
        const std::size_t step = looked.removingStep();
        looked.document.lookAt(step);
        const QImage last = looked.before.viewport()->grab().toImage();
        looked.document.lookAt(0);
        looked.world.action(ActionId::reduceMotion).setChecked(false);
        looked.document.lookAt(step);
        QCOMPARE(looked.before.viewport()->grab().toImage(), first);
        bool isBetween = false;
        while (looked.before.motion().isRunning()) {
            const QImage now = looked.before.viewport()->grab().toImage();
            isBetween = isBetween || (now != first && now != last);
            QTest::qWait(10);
        }
        QVERIFY(isBetween);
        QCOMPARE(looked.before.viewport()->grab().toImage(), last);
    }

    void closingGapsMovesWhatIsKept() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.world.action(ActionId::reduceMotion).setChecked(false);
        looked.press(Qt::Key_C);
        QVERIFY(QTest::qWaitFor([&] { return looked.after.motion().isRunning(); }, 10000));
        QVERIFY(looked.after.motion().counts().moved > 0);
        QCOMPARE(looked.after.motion().counts().removed, std::size_t{0});
        QVERIFY(!looked.before.motion().isRunning());
        looked.after.viewport()->grab(); // a moment between can be drawn
        QTRY_VERIFY(!looked.after.motion().isRunning());
    }

    void reducedMotionShowsStepsAtOnce() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.world.action(ActionId::reduceMotion).isChecked());
        looked.document.lookAt(0);
        looked.document.lookAt(looked.removingStep());
        QVERIFY(!looked.before.motion().isRunning());
    }

    void aStyleWithoutAnimationsShowsStepsAtOnce() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.document.lookAt(0);
        looked.world.action(ActionId::reduceMotion).setChecked(false);
        StillStyle still;
        looked.before.setStyle(&still);
        looked.document.lookAt(looked.removingStep());
        QVERIFY(!looked.before.motion().isRunning());
        QVERIFY(looked.after.motion().isRunning());
        looked.before.setStyle(nullptr);
    }

    void theWheelsMeaningIsRemembered() {
        QTemporaryDir folder;
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
        for (const bool isOn : {true, false}) {
            {
                MainWindow first{WindowOptions{true}};
                first.actions()[ActionId::wheelZooms]->setChecked(isOn);
                first.actions()[ActionId::reduceMotion]->setChecked(isOn);
                first.close();
            }
            MainWindow second{WindowOptions{true}};
            QCOMPARE(second.compareView().link().wheelZooms(), isOn);
            QCOMPARE(second.compareView().link().isMotionReduced(), isOn);
        }
    }

    void aStepWithThousandsOfChangesIsShownAtOnce() {
        for (const int dead : {100, 2100}) {
            Looked looked;
            QVERIFY(looked.world.openText(deadChain(dead)));
            looked.document.chooseTargets({"y"});
            QVERIFY(looked.world.settle());
            looked.document.setAllExpanded(true);
            QVERIFY(looked.world.settle());
            looked.before.fitAll();
            looked.document.lookAt(0);
            looked.world.action(ActionId::reduceMotion).setChecked(false);
            const std::size_t step = looked.removingStep();
            QVERIFY(step > 0);
            looked.document.lookAt(step);
            QCOMPARE(looked.before.motion().isRunning(), dead < 2000);
        }
    }

    void aStepOutOfSightIsBroughtIntoViewWithoutZooming() {
        Looked looked;
        QVERIFY(looked.world.openText(deadChain(100)));
        looked.document.chooseTargets({"y"});
        QVERIFY(looked.world.settle());
        const std::size_t step = looked.removingStep();
        looked.document.lookAt(0);
        looked.before.zoomBy(4);
        const Rect all = looked.document.layout()->bounds;
        Viewport away = looked.before.view();
        away.origin = {all.right() + 40 / away.zoom, all.y - 40};
        looked.link.setViewport(away);
        looked.document.lookAt(step);
        QCOMPARE(looked.before.view().zoom, away.zoom);
        const Rect seen = worldRect(looked.before.view(), looked.before.paneSize());
        bool isSeen = false;
        const PictureState& state = looked.document.state();
        for (std::uint32_t n = 0; n < state.nodes.size(); ++n)
            if (state.nodes[n].isInSelectedStep)
                isSeen =
                    isSeen ||
                    looked.document.layout()->items[looked.document.layout()->itemOfNode[n]].rect.intersects(
                        seen);
        QVERIFY(isSeen);
    }

    void lettersPan() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.before.zoomBy(4);
        const Viewport start = looked.before.view();
        looked.press(Qt::Key_S);
        QVERIFY(looked.before.view().origin.y > start.origin.y);
        looked.press(Qt::Key_W);
        looked.press(Qt::Key_D);
        QVERIFY(looked.before.view().origin.x > start.origin.x);
        looked.press(Qt::Key_A);
        QVERIFY(qAbs(looked.before.view().origin.x - start.origin.x) < 1e-6);
        QVERIFY(qAbs(looked.before.view().origin.y - start.origin.y) < 1e-6);
    }

    void theWheelChangesItsMeaning() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        const auto turn = [&](Qt::KeyboardModifiers modifiers) {
            const QPointF at(100, 100);
            QWheelEvent event(at, looked.before.viewport()->mapToGlobal(at), QPoint(), QPoint(0, 120),
                              Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
            QApplication::sendEvent(looked.before.viewport(), &event);
        };
        const double zoom = looked.before.view().zoom;
        turn({});
        QCOMPARE(looked.before.view().zoom, zoom);
        looked.world.action(ActionId::wheelZooms).trigger();
        turn({});
        QVERIFY(looked.before.view().zoom > zoom);
        const double zoomed = looked.before.view().zoom;
        turn(Qt::ControlModifier);
        QCOMPARE(looked.before.view().zoom, zoomed);
    }

    void selectedNodesAreCopiedAsText() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        // One that stays and one that is gone at the cursor.
        looked.document.select({looked.world.keyOf("MatMul"), looked.world.keyOf("GeluGrad")});
        looked.before.setFocus();
        looked.world.action(ActionId::copyNodes).trigger();
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.contains(QStringLiteral("MatMul")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("GeluGrad")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("=")), qPrintable(text));
    }

    void aClickDrawsThePathInBothPanesAndEscapeClearsIt() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.before.fitAll();
        for (const bool isKept : {true, false}) {
            const std::uint32_t key = looked.world.keyOf(isKept ? "MatMul" : "GeluGrad");
            const Rect box =
                nodeRect(looked.document.picture()->unionGraph.graph, *looked.document.layout(), key);
            const Point at = worldToView(looked.before.view(), {box.centerX(), box.centerY()});
            QTest::mouseClick(looked.before.viewport(), Qt::LeftButton, {},
                              QPoint(static_cast<int>(at.x), static_cast<int>(at.y)));
            const PathProof& path = looked.document.selectedPath();
            QVERIFY(path.nodes.size() >= 2);
            QCOMPARE(path.end == PathProof::End::target, isKept);
            // The path is more than the ring around what is selected.
            QWidget* after = looked.after.viewport();
            const QImage before = looked.before.viewport()->grab().toImage(), kept = after->grab().toImage();
            looked.world.action(ActionId::showPath).setChecked(false);
            QVERIFY(looked.before.viewport()->grab().toImage() != before);
            QCOMPARE(after->grab().toImage() != kept, isKept); // what is gone has no path in After
            looked.world.action(ActionId::showPath).setChecked(true);
            looked.press(Qt::Key_Escape);
            QVERIFY(looked.document.selectedPath().nodes.empty());
        }
    }

    void aFarPortalIsDrawnWholeForWhatIsSelected() {
        Looked looked;
        // One value with more readers than an edge is drawn to.
        std::string text = "<ir_version: 10, opset_import: [\"\": 21]> net (float[2] x) => (float[2] y) {\n"
                           "[\"hub\"] h = Relu(x)\nr0 = Tanh(h)\n";
        for (int i = 1; i < 20; ++i)
            text += "r" + std::to_string(i) + " = Add(r" + std::to_string(i - 1) + ", h)\n";
        QVERIFY(looked.world.openText(text + "y = Identity(r19)\n}"));
        QVERIFY(!looked.document.layout()->portals.empty());
        looked.before.fitAll();
        const auto accented = [&] {
            const Scene scene{&looked.document.picture()->unionGraph.graph, looked.document.layout().get(),
                              &looked.document.picture()->hierarchy, &looked.document.state()};
            ViewRequest request;
            request.viewport = worldRect(looked.before.view(), looked.before.paneSize());
            request.zoom = looked.before.view().zoom;
            request.pane = Pane::before;
            DisplayList list;
            compose(scene, request, list);
            return std::count_if(list.items.begin(), list.items.end(), [](const DrawItem& item) {
                return item.op == DrawOp::path && item.hasStroke && item.stroke.role == ThemeRole::accent;
            });
        };
        QCOMPARE(accented(), std::ptrdiff_t{0});
        QVERIFY(looked.world.window.selectByName(QStringLiteral("hub")));
        QVERIFY(accented() >= 12);
    }
};

QTEST_MAIN(TestLooks)
#include "tst_looks.moc"
