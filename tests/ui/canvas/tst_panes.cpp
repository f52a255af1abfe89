// SPDX-License-Identifier: Apache-2.0
//
// Both panes together: where they stand, what fits, and where a walk leads them.
#include "tests/ui/support/world.h"
#include "ui/canvas/walk_bar.h"

#include <QScrollBar>
#include <QSlider>

using namespace secateur;
using secateur::testing::blocksText;
using secateur::testing::partsText;
using secateur::testing::World;

namespace {

struct Looked {
    World world;
    Document& document = world.document();
    GraphCanvas& before = world.before();
    GraphCanvas& after = world.window.compareView().after();
    WalkBar& bar = world.window.compareView().walkBar();

    void press(Qt::Key key) { QTest::keyClick(&before, key); }
    [[nodiscard]] QSlider* slider() { return bar.findChild<QSlider*>(QStringLiteral("walkSlider")); }
    bool follow() {
        world.action(ActionId::followWalk).trigger();
        return bar.isVisible() && document.wave().has_value();
    }
};

} // namespace

class TestPanes : public QObject {
    Q_OBJECT
  private slots:
    void identicalGraphsStandAtTheSamePlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isOpen");
        QTest::newRow("small") << QString::fromStdString(secateur::testing::namesText({"a", "b"})) << true;
        QTest::newRow("tall") << QString::fromStdString(blocksText(40)) << true;
        QTest::newRow("groups") << QString::fromStdString(blocksText(40)) << false;
        std::string wide =
            "<ir_version: 10, opset_import: [\"\": 21]> wide (float[2] x) => (float[2] y0, float[2] y1, "
            "float[2] y2, float[2] y3, float[2] y4) {\n";
        for (int i = 0; i < 5; ++i)
            wide += "[\"a_rather_long_name_of_a_node_" + std::to_string(i) + "\"] y" + std::to_string(i) +
                    " = Relu(x)\n";
        QTest::newRow("wide") << QString::fromStdString(wide + "}") << true;
    }

    void identicalGraphsStandAtTheSamePlace() {
        QFETCH(QString, text);
        QFETCH(bool, isOpen);
        Looked looked;
        QVERIFY(looked.world.openText(text.toStdString()));
        looked.document.setAllExpanded(isOpen);
        QVERIFY(looked.world.settle());
        for (const bool fits : {false, true}) {
            if (fits)
                looked.before.fitAll();
            else
                looked.before.showFirstView();
            const Viewport before = looked.before.view(), after = looked.after.view();
            QCOMPARE(after.zoom, before.zoom);
            QVERIFY2(qAbs(after.origin.x - before.origin.x) * before.zoom < 1.5,
                     qPrintable(QStringLiteral("%1 against %2 px")
                                    .arg(before.origin.x * before.zoom)
                                    .arg(after.origin.x * before.zoom)));
            QCOMPARE(after.origin.y, before.origin.y);
        }
    }

    void fitShowsAllOfBothPanes() {
        for (const bool isCompact : {false, true}) {
            Looked looked;
            QVERIFY(looked.world.openSample());
            looked.world.action(ActionId::compact).setChecked(isCompact);
            QVERIFY(looked.world.settle());
            looked.before.zoomBy(3);
            looked.after.zoomBy(2);
            looked.press(Qt::Key_Space);
            QTest::qWait(20);
            for (GraphCanvas* canvas : {&looked.before, &looked.after}) {
                const Rect seen = worldRect(canvas->view(), canvas->paneSize()),
                           &all = canvas->contentBounds();
                QVERIFY(seen.x <= all.x && seen.right() >= all.right());
                QVERIFY(seen.y <= all.y && seen.bottom() >= all.bottom());
                QCOMPARE(canvas->horizontalScrollBar()->maximum(), 0);
                QCOMPARE(canvas->verticalScrollBar()->maximum(), 0);
            }
        }
    }

    void theViewGoesWithTheWalk() {
        Looked looked;
        QVERIFY(looked.world.openText(blocksText(60)));
        looked.document.setAllExpanded(true);
        QVERIFY(looked.world.settle());
        looked.before.resetZoom();
        QVERIFY(looked.follow());
        QTest::keyClick(looked.slider(), Qt::Key_Home);
        const double zoom = looked.before.view().zoom;
        const WalkWaves& waves = *looked.document.waves();
        const LayoutGraph& graph = looked.document.picture()->unionGraph.graph;
        for (std::uint32_t wave = 0; wave < waves.count(); ++wave) {
            looked.document.showWave(wave);
            const Rect seen = worldRect(looked.before.view(), looked.before.paneSize());
            bool isSeen = false;
            for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
                isSeen = isSeen ||
                         (waves.waveOf[n] == wave &&
                          nodeRect(graph, *looked.document.layout(), graph.nodes[n].key).intersects(seen));
            QVERIFY2(isSeen, qPrintable(QString::number(wave)));
        }
        QCOMPARE(looked.before.view().zoom, zoom);
    }

    void closedGroupsCountWhatTheWalkHasReached() {
        Looked looked;
        QVERIFY(looked.world.openText(partsText(12)));
        looked.document.setAllExpanded(false);
        QVERIFY(looked.world.settle());
        QVERIFY(looked.follow());
        const WalkWaves& waves = *looked.document.waves();
        std::uint32_t lastLit = 0;
        for (std::uint32_t wave = 0; wave < waves.count(); ++wave) {
            looked.document.showWave(wave);
            const PictureState& state = looked.document.state();
            std::uint32_t lit = 0, reached = 0;
            for (std::size_t i = 0; i < state.walk.items.size(); ++i) {
                lit += state.walk.items[i].lit;
                QCOMPARE(state.walk.items[i].total, state.items[i].total); // the same nodes as without a walk
            }
            for (std::uint32_t w = 0; w <= wave; ++w)
                reached += waves.sizes[w];
            QCOMPARE(lit, reached); // as the bar of the walk says
            QVERIFY(lit >= lastLit);
            lastLit = lit;
        }
        QCOMPARE(std::uint64_t{lastLit}, looked.document.original()->metrics.nodes); // all lead to the output
    }
};

QTEST_MAIN(TestPanes)
#include "tst_panes.moc"
