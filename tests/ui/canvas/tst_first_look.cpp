// SPDX-License-Identifier: Apache-2.0
//
// How panes and their legend look when a model has just been opened.
#include "tests/ui/support/world.h"
#include "ui/canvas/colour_legend.h"

#include <QLabel>

#include <algorithm>

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
    void theLegendExplainsAllSignsThatOccur() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        looked.world.window.resize(1600, 1000);
        auto* legend = looked.world.window.findChild<ColourLegend*>();
        QTRY_VERIFY(legend->width() > 800);
        for (const char* words : {"removed", "was here before", "gradient", "kept for the backward half",
                                  "selected", "of the selected step"})
            QVERIFY2(legend->words().contains(QLatin1String(words)) ||
                         legend->words().join(QLatin1Char('\n')).contains(QLatin1String(words)),
                     words);
        QVERIFY(!legend->words().contains(QStringLiteral("failed a check")));
        // Identity steers nothing.
        QVERIFY(looked.world.openText("<ir_version: 10, opset_import: [\"\": 21]> g (float[2] x) => "
                                      "(float[2] y) {\na = Relu(x)\ny = Identity(a)\n}"));
        QVERIFY2(!looked.legend().contains(QStringLiteral("Control flow")), qPrintable(looked.legend()));
    }

    void thePaneSaysHowManyStepsAreOn() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        const auto& steps = looked.document.history()->steps();
        const auto on = std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.isOn; });
        QVERIFY(on < static_cast<std::ptrdiff_t>(steps.size()));
        const auto labels = looked.world.window.compareView().findChildren<QLabel*>();
        const auto saying = [&](const QString& words) {
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(words); });
        };
        QVERIFY(saying(QStringLiteral("After: %1 steps").arg(on)));
    }

    void ofAModelWhoseOutputsHaveNoShapesItIsSaidWhyItGrows() {
        Looked looked;
        QVERIFY(looked.world.openText("<ir_version: 10, opset_import: [\"\": 21]> g (float[2] x) => "
                                      "(float[] y, float[] z) {\ny = Relu(x)\nz = Abs(x)\n}"));
        QVERIFY2(looked.world.says("it says the shapes of 2 outputs"), qPrintable(looked.world.allSaid()));
        QVERIFY(looked.world.openText("<ir_version: 10, opset_import: [\"\": 21]> g (float[2] x) => "
                                      "(float[2] y) {\ny = Relu(x)\n}"));
        QVERIFY(!looked.world.says("larger all the same"));
    }

    void aSelectedNodeThatIsGoneIsSaidToBeSoAndAfterStaysWhereItIs() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        QVERIFY(looked.after.absenceNote().isEmpty());
        for (const char* op : {"GeluGrad", "SoftmaxCrossEntropyLoss"}) {
            const std::uint32_t key = looked.world.keyOf(op);
            if (key == kNoIndex) continue;
            looked.document.select({key});
            const QString note = looked.after.absenceNote();
            QVERIFY2(note.contains(QLatin1String("is not in After: removed by step")), qPrintable(note));
            QVERIFY(looked.before.absenceNote().isEmpty());
            QVERIFY(looked.after.accessibleName().contains(note));
            const Rect seen = worldRect(looked.after.view(), looked.after.paneSize());
            QVERIFY(seen.intersects(looked.after.contentBounds()));
        }
        looked.document.select({looked.world.keyOf("Gelu")});
        QVERIFY(looked.after.absenceNote().isEmpty());
        // Looked at before the step that removes it, it is there.
        looked.document.select({looked.world.keyOf("GeluGrad")});
        looked.document.lookAt(0);
        QVERIFY(looked.after.absenceNote().isEmpty());
    }

    void ofAModelThatCannotBeConvertedNothingIsShownAsCut() {
        Looked looked;
        // Two nodes in a circle, and two results of one name.
        const char* const broken[] = {
            "<ir_version: 10, opset_import: [\"\": 21]> g (float[2] x) => (float[2] y) {\n"
            "a = Add(x, b)\nb = Neg(a)\ny = Identity(a)\n}",
            "<ir_version: 10, opset_import: [\"\": 21]> g (float[2] x) => (float[2] z) {\n"
            "y = Relu(x)\ny = Neg(x)\nz = Abs(y)\n}"};
        for (const char* text : broken) {
            QVERIFY(looked.world.openText(text));
            QVERIFY(looked.document.refusal());
            QVERIFY(!looked.document.history());
            QVERIFY(!looked.document.needsTarget());
            QVERIFY(looked.world.says("nothing can be cut"));
            for (const BarMessage& message : looked.document.messages())
                for (const BarMessage::Link& link : message.links)
                    QVERIFY2(link.text == tx("ui.link.problems"), qPrintable(link.text));
            auto* words = looked.world.window.findChild<QLabel*>(QStringLiteral("afterRefused"));
            QVERIFY(words && words->isVisible());
            QVERIFY(!looked.after.isVisible());
            looked.document.setStepOn(12, true); // Simplify
            QVERIFY(looked.world.settle());
            QVERIFY(!looked.document.history());
            const auto& problems = looked.document.original()->file.problems;
            const auto& types = looked.document.original()->types.problems();
            QVERIFY(looked.world.says(
                qPrintable(QString::number(problems.size() + types.size()) + QStringLiteral(" problem"))));
        }
        QVERIFY(looked.world.openSample());
        QVERIFY(!looked.document.refusal() && looked.after.isVisible());
    }

    void theLegendTakesASecondLineForTheRolesThatFindNoRoomInTheFirst() {
        Looked looked;
        QVERIFY(looked.world.openSample());
        auto* legend = looked.world.window.findChild<ColourLegend*>();
        looked.world.window.resize(1600, 900);
        QTRY_VERIFY(legend->width() > 800);
        const int lines = legend->height();
        legend->resize(640, lines);
        QVERIFY(legend->height() > lines);
        legend->resize(1000, legend->height());
        QCOMPARE(legend->height(), lines);
        // Where they would take too many lines the signs are told by the tooltip alone.
        legend->resize(300, legend->height());
        QVERIFY(!legend->words().contains(QStringLiteral("selected")));
        QVERIFY(legend->toolTip().contains(QStringLiteral("selected")));
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
        QVERIFY2(looked.legend().contains(QStringLiteral("closed group")), qPrintable(looked.legend()));
        looked.document.setAllExpanded(true);
        QVERIFY(looked.world.settle());
        QVERIFY2(!looked.legend().contains(QStringLiteral("closed group")), qPrintable(looked.legend()));
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
