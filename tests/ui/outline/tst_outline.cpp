// SPDX-License-Identifier: Apache-2.0
//
// The Outline dock: parts of the network and their nodes as a tree, on the same selection as everything else.
#include "core/picture/blob_text.h"
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"
#include "ui/inspector/inspector_html.h"
#include "ui/outline/outline_model.h"
#include "ui/outline/outline_panel.h"

#include <QAbstractItemModelTester>
#include <QDockWidget>
#include <QScrollBar>
#include <QSet>
#include <QTreeView>

using namespace secateur;
using secateur::testing::blocksText;
using secateur::testing::World;

namespace {

struct Outline {
    World world;
    OutlinePanel& panel = world.window.outline();
    QTreeView& view = panel.view();
    OutlineModel& model = panel.model();

    Outline() { world.window.findChild<QDockWidget*>(QStringLiteral("outlineDock"))->raise(); }
    bool open(int blocks) { return world.openText(blocksText(blocks)) && settle(); }
    bool settle() {
        QTest::qWait(1); // the dock is raised by the event loop
        return world.settle();
    }
    [[nodiscard]] QString name(const QModelIndex& index) const {
        return index.siblingAtColumn(OutlineModel::nameColumn).data().toString();
    }
    [[nodiscard]] QString fate(const QModelIndex& index) const {
        return index.siblingAtColumn(OutlineModel::fateColumn).data().toString();
    }
    /// The first row below `parent` whose name ends so; invalid when there is none.
    [[nodiscard]] QModelIndex find(const char* ending, const QModelIndex& parent = {}) const {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex index = model.index(row, 0, parent);
            if (name(index).endsWith(QLatin1String(ending))) return index;
            if (const QModelIndex below = find(ending, index); below.isValid()) return below;
        }
        return {};
    }
    void click(const QModelIndex& index) {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(index).center());
    }
    void collect(QSet<quint32>& keys, const QModelIndex& parent = {}) const {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex index = model.index(row, 0, parent);
            keys.insert(model.keyOf(index));
            collect(keys, index);
        }
    }
};

} // namespace

class TestOutline : public QObject {
    Q_OBJECT
  private slots:
    void keepsTheRulesOfModels() {
        Outline outline;
        QAbstractItemModelTester tester(&outline.model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(outline.open(4));
        QVERIFY(outline.world.openSample());
        outline.world.document().lookAt(1);
        QVERIFY(outline.model.rowCount() > 0);
    }

    void everyNodeAndGroupStandsInItOnce() {
        Outline outline;
        QVERIFY(outline.open(6));
        const auto& picture = outline.world.document().picture();
        QVERIFY(picture->hierarchy.groups.size() >= 6);
        QSet<quint32> keys;
        outline.collect(keys);
        const auto all =
            static_cast<qsizetype>(picture->unionGraph.graph.nodes.size() + picture->hierarchy.groups.size() +
                                   picture->unionGraph.graph.folded.size());
        QCOMPARE(keys.size(), all);
        for (const LayoutNode& node : picture->unionGraph.graph.nodes) {
            const QModelIndex index = outline.model.indexOf(node.key);
            QVERIFY(index.isValid());
            QCOMPARE(outline.model.keyOf(index), node.key);
        }
    }

    void rowsStandInProgramOrder() {
        Outline outline;
        QVERIFY(outline.open(11));
        const QModelIndex second = outline.find("blocks.2"), tenth = outline.find("blocks.10");
        QVERIFY(second.isValid() && tenth.isValid());
        QVERIFY(second.row() < tenth.row());
    }

    void theForwardHalfStandsFirst() {
        Outline outline;
        QVERIFY(outline.world.openSample() && outline.settle());
        const auto rowOf = [&](const char* op) {
            return outline.model.indexOf(outline.world.keyOf(op)).row();
        };
        QVERIFY(rowOf("Gelu") < rowOf("GeluGrad"));
        QVERIFY(rowOf("SoftmaxCrossEntropyLoss") < rowOf("GeluGrad"));
    }

    void groupsSayHowManyNodesAreLeft() {
        Outline outline;
        QVERIFY(outline.world.openSample() && outline.settle());
        const QModelIndex gone = outline.model.indexOf(outline.world.keyOf("GeluGrad")),
                          kept = outline.model.indexOf(outline.world.keyOf("Gelu"));
        QCOMPARE(outline.fate(gone), QStringLiteral("removed"));
        QCOMPARE(outline.fate(kept), QString());
        QVERIFY(gone.data(Qt::FontRole).value<QFont>().strikeOut());
        outline.world.action(ActionId::goStart).trigger();
        QCOMPARE(outline.fate(outline.model.indexOf(outline.world.keyOf("GeluGrad"))), QString());
    }

    void aClickSelectsAndDoesNotScrollTheTree() {
        Outline outline;
        QVERIFY(outline.open(30));
        const QModelIndex group = outline.find("blocks.1");
        outline.view.expand(group);
        const int scrolled = outline.view.verticalScrollBar()->value();
        outline.click(group);
        QCOMPARE(outline.world.selection(), std::vector<std::uint32_t>{outline.model.keyOf(group)});
        QCOMPARE(outline.view.verticalScrollBar()->value(), scrolled);
    }

    void keysUnfoldAndWalk() {
        Outline outline;
        QVERIFY(outline.open(6));
        const QModelIndex group = outline.find("blocks.1");
        outline.click(group);
        outline.view.collapse(group);
        QTest::keyClick(&outline.view, Qt::Key_Right);
        QVERIFY(outline.view.isExpanded(group));
        QTest::keyClick(&outline.view, Qt::Key_Down);
        QCOMPARE(outline.world.selection(),
                 std::vector<std::uint32_t>{outline.model.keyOf(outline.model.index(0, 0, group))});
    }

    void aSelectionElsewhereUnfoldsWhatItStandsIn() {
        Outline outline;
        QVERIFY(outline.open(30));
        const std::uint32_t key = outline.world.document().picture()->unionGraph.graph.nodes[120].key;
        outline.world.document().select({key});
        const QModelIndex index = outline.model.indexOf(key);
        QVERIFY(index.parent().isValid());
        QVERIFY(outline.view.isExpanded(index.parent()));
        QVERIFY(outline.view.viewport()->rect().contains(outline.view.visualRect(index).center()));
        QCOMPARE(outline.view.selectionModel()->selectedRows(), QModelIndexList{index});
    }

    void enterOpensTheGroupAroundANodeInTheGraph() {
        Outline outline;
        QVERIFY(outline.open(30));
        outline.world.document().setAllExpanded(false);
        QVERIFY(outline.world.settle());
        const std::uint32_t node = 120,
                            key = outline.world.document().picture()->unionGraph.graph.nodes[node].key;
        outline.world.document().select({key});
        outline.view.setFocus();
        QTest::keyClick(&outline.view, Qt::Key_Return);
        QVERIFY(outline.world.settle());
        const auto& layout = *outline.world.document().layout();
        QCOMPARE(layout.items[layout.itemOfNode[node]].node, node);
    }

    void rowsAreSaidInWords() {
        Outline outline;
        QVERIFY(outline.open(4));
        const QString words = outline.find("blocks.1").data(Qt::AccessibleTextRole).toString();
        QVERIFY2(words.contains(QStringLiteral("group of 5 nodes")), qPrintable(words));
    }

    void everyViewCountsTheNodesOfAGroupAlike() {
        Outline outline;
        QVERIFY(outline.world.openText(secateur::testing::partsText(12)) && outline.settle());
        Document& document = outline.world.document();
        document.setAllExpanded(false);
        QVERIFY(outline.settle());
        const QModelIndex part = outline.find("parts.3");
        QVERIFY(part.isValid());
        const std::uint32_t key = outline.model.keyOf(part), group = key & ~kGroupKeyBit;
        // Six nodes of the model, of which one is a row and one is gone.
        QCOMPARE(outline.fate(part), QStringLiteral("5 of 6"));
        const std::uint32_t item = document.layout()->itemOfGroup[group];
        QVERIFY(item != kNoIndex);
        QCOMPARE(blobText(document.state().items[item], Pane::before), std::string("1 of 6 removed"));
        document.select({key});
        const QString html = inspectorHtml(document);
        QVERIFY2(html.contains(QStringLiteral("Group of 6 nodes")), qPrintable(html));
        QVERIFY2(html.contains(QStringLiteral("1 of 6 removed")), qPrintable(html));
        QVERIFY2(html.contains(QStringLiteral(">6</span>")), "six of the forward half");
        QVERIFY(nodeWords(document, key).contains(QStringLiteral("group of 6 nodes, 1 of 6 removed")));
        document.lookAt(0);
        QCOMPARE(outline.fate(part), QStringLiteral("6"));
        QVERIFY(nodeWords(document, key).endsWith(QStringLiteral("group of 6 nodes")));
    }

    void nodesDrawnAsRowsStandBelowTheirNode() {
        const QString path = testing::collectionModel("transformer");
        if (path.isEmpty()) QSKIP("the collection of models is not at hand: set SECATEUR_MODELS");
        Outline outline;
        QVERIFY(outline.world.open(path) && outline.settle());
        const LayoutGraph& graph = outline.world.document().picture()->unionGraph.graph;
        QVERIFY(!graph.folded.empty());
        const FoldedNode& folded = graph.folded.front();
        const QModelIndex index = outline.model.indexOf(folded.key);
        QCOMPARE(outline.model.keyOf(index), folded.key);
        QCOMPARE(outline.model.keyOf(index.parent()), graph.nodes[folded.host].key);
    }
};

QTEST_MAIN(TestOutline)
#include "tst_outline.moc"
