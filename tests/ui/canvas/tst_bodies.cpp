// SPDX-License-Identifier: Apache-2.0
//
// Into the bodies of nodes and into functions, and the way back.
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/ir/walk.h"
#endif
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"
#include "ui/outline/outline_model.h"
#include "ui/outline/outline_panel.h"
#include "ui/report/nodes_model.h"
#include "ui/report/nodes_panel.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/palette.h"
#include "ui/window/palette_sources.h"

#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>

using namespace secateur;
using secateur::testing::World;

namespace {

const char* const kBodies = R"(<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
net (float[2] x, bool c) => (float[2] y) {
  ["first"] a = Relu (x)
  ["choice"] b = If (c) <
    then_branch = t () => (float[2] tb) { ["inThen"] tb = Tanh (a) },
    else_branch = e () => (float[2] eb) { ["before"] e1 = Sigmoid (a) ["inElse"] eb = Neg (e1) }>
  ["call"] y = own.Twice (b)
}
<domain: "own", opset_import: ["" : 21]> Twice (v) => (w) { ["inFunction"] w = Add (v, v) })";

/// A window with the model above.
struct Opened {
    World world;
    Document& document = world.document();
    GraphCanvas& canvas = world.before();

    bool open() { return world.openText(kBodies); }
    [[nodiscard]] const Model& model() { return document.original()->file.model; }
    /// Of any graph.
    [[nodiscard]] std::uint32_t keyOfName(const char* name) {
        for (const GraphId graph : allGraphs(model()))
            for (const NodeId node : model().nodes(graph))
                if (model().name(node) == name) return node.index;
        return kNoIndex;
    }
    [[nodiscard]] GraphId graphOf(const char* name) { return model().node(NodeId(keyOfName(name))).graph; }
    [[nodiscard]] QPoint placeOf(std::uint32_t key) {
        const Rect rect = nodeRect(document.picture()->unionGraph.graph, *document.layout(), key);
        const Point at = worldToView(canvas.view(), {rect.centerX(), rect.y + 8});
        return {static_cast<int>(at.x), static_cast<int>(at.y)};
    }
    void press(int key) { QTest::keyClick(&canvas, static_cast<Qt::Key>(key)); }
    [[nodiscard]] QWidget* crumbs() { return world.window.findChild<QWidget*>(QStringLiteral("crumbs")); }
    [[nodiscard]] QMenu* bodiesMenu() { return canvas.findChild<QMenu*>(QStringLiteral("bodies")); }
};

} // namespace

class TestBodies : public QObject {
    Q_OBJECT
  private slots:
    void aDoubleClickOpensTheFunctionThatANodeCalls() {
        Opened opened;
        QVERIFY(opened.open());
        QVERIFY(opened.crumbs()->isHidden());
        QTest::mouseDClick(opened.canvas.viewport(), Qt::LeftButton, {},
                           opened.placeOf(opened.keyOfName("call")));
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inFunction"));
        QVERIFY(opened.document.picture()->unionGraph.graph.find(opened.keyOfName("inFunction")) != kNoIndex);
        QVERIFY(opened.crumbs()->isVisible());
        // Both panes follow: they draw one document.
        QCOMPARE(opened.world.window.compareView().after().layout(), opened.document.layout());
    }

    void enterLetsChooseAmongBodiesAndBackspaceGoesUp() {
        Opened opened;
        QVERIFY(opened.open());
        const std::uint32_t choice = opened.keyOfName("choice");
        opened.document.select({choice});
        opened.press(Qt::Key_Return);
        QMenu* menu = opened.bodiesMenu();
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 2);
        QVERIFY(menu->actions()[1]->text().contains(QStringLiteral("else_branch")));
        menu->actions()[1]->trigger();
        menu->close();
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
        opened.press(Qt::Key_Backspace);
        QCOMPARE(opened.document.shownGraph(), GraphId(0U));
        // The node that leads there is selected, in the view that was left.
        QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{choice});
        QVERIFY(opened.crumbs()->isHidden());
    }

    void aDoubleClickOnARowOpensThatBody() {
        Opened opened;
        QVERIFY(opened.open());
        opened.canvas.fitAll();
        const LayoutGraph& graph = opened.document.picture()->unionGraph.graph;
        const std::uint32_t choice = opened.keyOfName("choice");
        const LayoutNode& node = graph.nodes[graph.find(choice)];
        int row = -1;
        for (std::size_t i = 0; i < node.rows.size(); ++i)
            if (node.rows[i].label == "then_branch") row = static_cast<int>(i);
        QVERIFY(row >= 0);
        const Rect rect = nodeRect(graph, *opened.document.layout(), choice);
        const Point at = worldToView(opened.canvas.view(), {rect.centerX(), rect.y + 22 + 18 * row + 12});
        QTest::mouseDClick(opened.canvas.viewport(), Qt::LeftButton, {},
                           QPoint(static_cast<int>(at.x), static_cast<int>(at.y)));
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inThen"));
    }

    void aBodyOpenedWhileTheRecipeRunsStaysOpen() {
        Opened opened;
        QVERIFY(opened.open());
        // Asked for before the run is done: ready after it or before it.
        opened.document.setForOnnxRuntime(true);
        opened.document.showGraph(opened.graphOf("inElse"), {opened.keyOfName("inElse")});
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
        QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{opened.keyOfName("inElse")});
        // One that was drawn before, entered at once.
        opened.document.showGraph(GraphId(0U));
        opened.document.setForOnnxRuntime(false);
        opened.document.showGraph(opened.graphOf("inElse"));
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
    }

    void goToReachesBodiesAndFunctions() {
        Opened opened;
        QVERIFY(opened.open());
        for (const char* name : {"inElse", "inFunction", "first"}) {
            opened.world.action(ActionId::goTo).trigger();
            Palette& palette = opened.world.window.commandPalette();
            QTest::keyClicks(&palette.field(), QString::fromLatin1(name));
            QVERIFY2(palette.list().count() > 0, name);
            QTest::keyClick(&palette.field(), Qt::Key_Return);
            QVERIFY(opened.world.settle());
            const std::uint32_t key = opened.keyOfName(name);
            QCOMPARE(opened.document.shownGraph(), opened.graphOf(name));
            QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{key});
            const QPoint at = opened.placeOf(key);
            QVERIFY2(opened.canvas.viewport()->rect().contains(at), name);
        }
        // Which graph it is in is said.
        const auto places = placesFor(opened.document, QStringLiteral("inElse"), [] {});
        QVERIFY(!places.empty());
        QVERIFY2(places.front().detail.contains(QStringLiteral("else_branch")),
                 qPrintable(places.front().detail));
    }

    void aPartOfTheWayLeadsBack() {
        Opened opened;
        QVERIFY(opened.open());
        const Viewport main = opened.canvas.view();
        opened.document.showGraph(opened.graphOf("inElse"));
        QVERIFY(opened.world.settle());
        const auto parts = opened.crumbs()->findChildren<QToolButton*>();
        QCOMPARE(parts.size(), 2);
        for (const QToolButton* part : parts)
            QVERIFY(part->isVisible() && part->width() > 20 &&
                    opened.crumbs()->rect().contains(part->geometry()));
        parts.front()->click();
        QCOMPARE(opened.document.shownGraph(), GraphId(0U));
        QCOMPARE(opened.canvas.view(), main);
    }

    void findOpensTheBodyOfWhatItFinds() {
        Opened opened;
        QVERIFY(opened.open());
        for (const char* name : {"inElse", "inFunction", "first"}) {
            QVERIFY(opened.world.window.selectByName(QString::fromLatin1(name)));
            QVERIFY(opened.world.settle());
            QCOMPARE(opened.document.shownGraph(), opened.graphOf(name));
            QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{opened.keyOfName(name)});
        }
    }

    void theOutlineListsTheWholeModelAndLeadsIntoBodies() {
        Opened opened;
        QVERIFY(opened.open());
        opened.world.window.outline().parentWidget()->raise();
        QTreeView& view = opened.world.window.outline().view();
        const auto* list = static_cast<OutlineModel*>(view.model());
        const QModelIndex inside = list->indexOf(opened.keyOfName("inElse"));
        QVERIFY(inside.isValid());
        view.setCurrentIndex(inside);
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
        // It still lists the main graph, and leads back.
        const QModelIndex outside = list->indexOf(opened.keyOfName("first"));
        QVERIFY(outside.isValid());
        QVERIFY(list->data(outside, Qt::DisplayRole).toString().contains(QStringLiteral("Relu")));
        view.setCurrentIndex(outside);
        QCOMPARE(opened.document.shownGraph(), GraphId(0U));
        QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{opened.keyOfName("first")});
    }

    void theNodesTableListsWhatIsDrawn() {
        Opened opened;
        QVERIFY(opened.open());
        NodesModel& nodes = opened.world.window.nodes().model();
        QVERIFY(nodes.rowOf(opened.keyOfName("first")) >= 0);
        opened.document.showGraph(opened.graphOf("inElse"));
        QVERIFY(opened.world.settle());
        QVERIFY(nodes.rowOf(opened.keyOfName("inElse")) >= 0);
        QCOMPARE(nodes.rowOf(opened.keyOfName("first")), -1);
    }

    void openingABodyIsNoEditAndAnEditStaysInIt() {
        Opened opened;
        QVERIFY(opened.open());
        opened.document.showGraph(opened.graphOf("inElse"));
        QVERIFY(opened.world.settle());
        QVERIFY(!opened.document.session()->canUndo());
        QVERIFY(!opened.document.session()->isModified());
        opened.document.setStepOn(0, false);
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), opened.graphOf("inElse"));
        opened.press(Qt::Key_Backspace);
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.document.shownGraph(), GraphId(0U));
        QVERIFY(opened.document.picture()->unionGraph.graph.find(opened.keyOfName("first")) != kNoIndex);
    }

    void nestedBodiesOfARealModelOpen() {
        const auto folder = secateur::testing::modelsFolder();
        const QString path = QString::fromStdString((folder / "inference/silero_vad/model.onnx").string());
        if (folder.empty() || !QFileInfo::exists(path)) QSKIP("the folder of models is not here");
        World world;
        QVERIFY(world.open(path));
        const Model& model = world.document().original()->file.model;
        int opened = 0;
        const int width = world.before().width();
        for (const GraphId graph : allGraphs(model)) {
            if (model.graph(graph).kind != GraphKind::subgraph) continue;
            if (++opened > 6) break;
            world.document().showGraph(graph);
            QVERIFY(world.settle());
            QCOMPARE(world.document().shownGraph(), graph);
            QVERIFY(!world.document().layout()->bounds.isEmpty());
            QCOMPARE(world.document().crumbs().back().graph, graph);
            // Long names find room and take none from the panes.
            QTest::qWait(1);
            const auto* crumbs = world.window.findChild<QWidget*>(QStringLiteral("crumbs"));
            for (const QToolButton* part :
                 crumbs->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly))
                QVERIFY(part->isHidden() || crumbs->rect().contains(part->geometry()));
            QVERIFY(qAbs(world.before().width() - width) < width / 2);
            QVERIFY(world.window.steps().width() > 200);
        }
        QVERIFY(opened > 0);
    }
};

QTEST_MAIN(TestBodies)
#include "tst_bodies.moc"
