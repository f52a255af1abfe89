// SPDX-License-Identifier: Apache-2.0
//
// How panes and their legend look when a model has just been opened.
#include "tests/ui/support/world.h"
#include "ui/canvas/colour_legend.h"

using namespace secateur;
using secateur::testing::World;

namespace {

struct Looked {
    World world;
    Document& document = world.document();
    GraphCanvas& before = world.before();
    GraphCanvas& after = world.window.compareView().after();

    [[nodiscard]] QString legend() {
        return world.window.findChild<ColourLegend*>()->words().join(QLatin1Char('\n'));
    }
};

} // namespace

class TestFirstLook : public QObject {
    Q_OBJECT
  private slots:
    void theLegendTakesASecondLineForTheRolesThatFindNoRoomInTheFirst() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        auto* legend = looked.world.window.findChild<ColourLegend*>();
        looked.world.window.resize(1600, 900);
        QTRY_VERIFY(legend->width() > 800);
        const int line = legend->height();
        legend->resize(420, line);
        QVERIFY(legend->height() > line);
        legend->resize(1000, legend->height());
        QCOMPARE(legend->height(), line);
    }

    void theLegendIsWholeAtEveryWidth() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        auto* legend = looked.world.window.findChild<ColourLegend*>();
        for (const ActionId colour : {ActionId::colourKind, ActionId::colourRole, ActionId::colourBytes}) {
            looked.world.action(colour).setChecked(true);
            for (const int width : {260, 340, 500, 800, 1400}) {
                legend->resize(width, legend->height());
                const std::vector<QRect> places = legend->places();
                if (colour != ActionId::colourBytes)
                    QCOMPARE(static_cast<qsizetype>(places.size()), legend->words().size());
                for (std::size_t i = 0; i < places.size(); ++i) {
                    QVERIFY2(legend->rect().contains(places[i]), qPrintable(QString::number(width)));
                    for (std::size_t k = 0; k < i; ++k)
                        QVERIFY(!places[i].intersects(places[k]));
                }
            }
        }
    }

    void theLegendSaysWhatTheColourOfClosedGroupsIs() {
        Looked looked;
        QVERIFY(looked.world.openText(testing::blocksText(20)));
        looked.document.setAllExpanded(false);
        QVERIFY(looked.world.settle());
        QVERIFY2(looked.legend().contains(QStringLiteral("Group")), qPrintable(looked.legend()));
        looked.document.setAllExpanded(true);
        QVERIFY(looked.world.settle());
        QVERIFY2(!looked.legend().contains(QStringLiteral("Group")), qPrintable(looked.legend()));
    }

    /// At step 3 After still shows the loss, and the new output left of where Before begins.
    void afterBeginsAtItsLeftWhereItNearlyFits() {
        Looked looked;
        looked.world.window.resize(1440, 900);
        QVERIFY(looked.world.openSample());
        looked.document.lookAt(3);
        QVERIFY(looked.world.settle());
        QCOMPARE(looked.document.cursor(), std::size_t{3});
        const LayoutGraph& graph = looked.document.picture()->unionGraph.graph;
        QVERIFY(looked.after.contentBounds().width * looked.after.view().zoom + 2 * kFitMargin >
                looked.after.paneSize().width);
        int outputs = 0;
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
            if (graph.nodes[n].name != "logits") continue;
            if (!isPresent(looked.document.state().stateOf(n).diff, Pane::after)) continue;
            const Rect box = nodeRect(graph, *looked.document.layout(), graph.nodes[n].key);
            const Point at = worldToView(looked.after.view(), {box.x, box.y});
            QVERIFY2(at.x >= 0, qPrintable(QString::number(at.x)));
            ++outputs;
        }
        QCOMPARE(outputs, 1);
    }

    void aSmallModelOpensWithTheLabelsOfItsEdges() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        int labels = 0;
        for (GraphCanvas* pane : {&looked.before, &looked.after}) {
            const Scene scene{&looked.document.picture()->unionGraph.graph, looked.document.layout().get(),
                              &looked.document.picture()->hierarchy, &looked.document.state()};
            ViewRequest request;
            request.viewport = worldRect(pane->view(), pane->paneSize());
            request.zoom = pane->view().zoom;
            request.pane = pane->pane();
            DisplayList list;
            compose(scene, request, list);
            for (const DrawItem& item : list.items) {
                if (item.op != DrawOp::text) continue;
                ++labels;
                QVERIFY2(item.rect.x >= 0 && item.rect.right() <= pane->paneSize().width + 1,
                         qPrintable(qs(list.textOf(item))));
            }
        }
        QVERIFY(labels > 40);
    }

    /// Too tall and too wide to open whole, with labels at the left of its lines.
    void aTallModelOpensWithTheLabelsAtItsLeft() {
        const QString path = testing::collectionModel("unet.evalfwd");
        if (path.isEmpty()) QSKIP("no models beside the sources");
        Looked looked;
        QVERIFY(looked.world.open(path));
        QVERIFY(looked.before.contentBounds().height * looked.before.view().zoom >
                looked.before.paneSize().height);
        int atTheLeft = 0;
        for (GraphCanvas* pane : {&looked.before, &looked.after}) {
            const Scene scene{&looked.document.picture()->unionGraph.graph, looked.document.layout().get(),
                              &looked.document.picture()->hierarchy, &looked.document.state()};
            ViewRequest request;
            request.viewport = worldRect(pane->view(), pane->paneSize());
            request.zoom = pane->view().zoom;
            request.pane = pane->pane();
            DisplayList list;
            compose(scene, request, list);
            for (const DrawItem& item : list.items) {
                if (item.op != DrawOp::text || item.rect.x > 200) continue;
                ++atTheLeft;
                QVERIFY2(item.rect.x >= 0, qPrintable(qs(list.textOf(item))));
            }
        }
        QVERIFY(atTheLeft > 10);
    }
};

QTEST_MAIN(TestFirstLook)
#include "tst_first_look.moc"
