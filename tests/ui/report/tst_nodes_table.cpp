// SPDX-License-Identifier: Apache-2.0
//
// The Nodes dock: what its rows say, and how sorting, filtering and selecting behave under mouse and keys.
#include "tests/ui/support/world.h"
#include "ui/app_state/natural_order.h"
#include "ui/report/nodes_model.h"
#include "ui/report/nodes_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>

using namespace secateur;
using secateur::testing::blocksText;
using secateur::testing::World;

namespace {

struct Table {
    World world;
    NodesPanel& panel = world.window.nodes();
    QTableView& view = panel.view();
    NodesModel& model = panel.model();

    [[nodiscard]] QString at(int row, int column) const { return model.index(row, column).data().toString(); }
    void clickHeader(int column) {
        QHeaderView* header = view.horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 20, header->height() / 2));
        QVERIFY(QTest::qWaitFor([this] { return !model.isArranging(); }));
    }
    void clickRow(int row) {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(model.index(row, 0)).center());
    }
    void type(const QString& text) {
        panel.filter().setFocus();
        QTest::keyClicks(&panel.filter(), text);
        QVERIFY(QTest::qWaitFor([this] { return model.rowCount() < model.totalRows(); }));
        QVERIFY(QTest::qWaitFor([this] { return !model.isArranging(); }));
    }
};

} // namespace

class TestNodesTable : public QObject {
    Q_OBJECT
  private slots:
    void numbersInNamesAreComparedAsNumbers_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::newRow("digits") << "n2"
                                << "n10";
        QTest::newRow("inside") << "b.2.fc"
                                << "b.10.attn";
        QTest::newRow("leading zeros") << "n007"
                                       << "n8";
        QTest::newRow("shorter") << "relu"
                                 << "relu_1";
        QTest::newRow("longer than any integer") << "n99999999999999999998"
                                                 << "n99999999999999999999";
        QTest::newRow("a digit before a letter") << "n1"
                                                 << "na";
    }

    void numbersInNamesAreComparedAsNumbers() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QVERIFY(naturalKey(first) < naturalKey(second));
        QVERIFY(!(naturalKey(second) < naturalKey(first)));
    }

    void everyRowSaysWhyItStaysOrGoes() {
        Table table;
        QVERIFY(table.world.openSample());
        for (int row = 0; row < table.model.rowCount(); ++row) {
            const QString name = table.at(row, NodesModel::nodeColumn),
                          state = table.at(row, NodesModel::stateColumn),
                          reason = table.at(row, NodesModel::reasonColumn);
            QVERIFY2(!reason.isEmpty(), qPrintable(name + QLatin1Char(' ') + state));
            QVERIFY2(state != QStringLiteral("kept") || reason.startsWith(QStringLiteral("Kept: ")),
                     qPrintable(name + QLatin1Char(' ') + reason));
        }
        // x -> MatMul -> Gelu -> MatMul -> logits.
        QCOMPARE(table.at(table.model.rowOf(table.world.keyOf("Gelu")), NodesModel::reasonColumn),
                 QStringLiteral("Kept: logits needs it, 1 node away"));
        QCOMPARE(table.at(0, NodesModel::nodeColumn), QStringLiteral("x"));
        QCOMPARE(table.at(0, NodesModel::reasonColumn),
                 QStringLiteral("Kept: logits needs it, 3 nodes away"));
    }

    void whatGoesLaterIsSaidToGo() {
        Table table;
        QVERIFY(table.world.openSample());
        const int row = table.model.rowOf(table.world.keyOf("GeluGrad"));
        QVERIFY(table.at(row, NodesModel::stateColumn).startsWith(QStringLiteral("removed by step")));
        const QString reason = table.at(row, NodesModel::reasonColumn);
        table.world.action(ActionId::goStart).trigger();
        QVERIFY2(table.at(row, NodesModel::stateColumn).startsWith(QStringLiteral("goes in step")),
                 qPrintable(table.at(row, NodesModel::stateColumn)));
        QCOMPARE(table.at(row, NodesModel::reasonColumn), reason);
    }

    void theReasonHasTheRestOfTheWidth() {
        Table table;
        QVERIFY(table.world.openSample());
        int others = 0;
        for (int column = 0; column < NodesModel::reasonColumn; ++column)
            others += table.view.columnWidth(column);
        QCOMPARE(table.view.columnWidth(NodesModel::reasonColumn), table.view.viewport()->width() - others);
        QVERIFY(table.view.columnWidth(NodesModel::reasonColumn) > 300);
        QCOMPARE(table.view.textElideMode(), Qt::ElideMiddle);
        const QModelIndex cell = table.model.index(1, NodesModel::reasonColumn);
        QCOMPARE(cell.data(Qt::ToolTipRole), cell.data());
    }

    void aClickOnAHeaderSortsAndKeepsTheSelection() {
        Table table;
        QVERIFY(table.world.openText(blocksText(12)));
        table.world.document().select({table.world.keyOf("Tanh")});
        table.clickHeader(NodesModel::nodeColumn);
        for (int row = 1; row < table.model.rowCount(); ++row)
            QVERIFY2(!(naturalKey(table.at(row, 0)) < naturalKey(table.at(row - 1, 0))),
                     qPrintable(table.at(row, 0)));
        QCOMPARE(table.world.selection(), std::vector<std::uint32_t>{table.world.keyOf("Tanh")});
        const QModelIndexList rows = table.view.selectionModel()->selectedRows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.front().row(), table.model.rowOf(table.world.keyOf("Tanh")));
        table.clickHeader(NodesModel::nodeColumn);
        QVERIFY(naturalKey(table.at(table.model.rowCount() - 1, 0)) < naturalKey(table.at(0, 0)));
        // A third click goes back to program order.
        table.clickHeader(NodesModel::nodeColumn);
        QCOMPARE(table.at(0, 0), QStringLiteral("x"));
    }

    void typingFiltersAndEscapeEndsIt() {
        Table table;
        QVERIFY(table.world.openText(blocksText(12)));
        const int all = table.model.rowCount();
        table.world.document().select({table.world.keyOf("Tanh")});
        table.type(QStringLiteral("blocks.3/ MUL"));
        QCOMPARE(table.model.rowCount(), 1);
        QCOMPARE(table.at(0, NodesModel::opColumn), QStringLiteral("Mul"));
        // What is filtered away stays selected.
        QCOMPARE(table.world.selection(), std::vector<std::uint32_t>{table.world.keyOf("Tanh")});
        QTest::keyClick(&table.panel.filter(), Qt::Key_Escape);
        QVERIFY(QTest::qWaitFor([&] { return table.model.rowCount() == all; }));
        QCOMPARE(table.view.selectionModel()->selectedRows().size(), 1);
    }

    void theArrowKeyGoesFromTheFilterToTheRows() {
        Table table;
        QVERIFY(table.world.openText(blocksText(3)));
        table.type(QStringLiteral("tanh"));
        QTest::keyClick(&table.panel.filter(), Qt::Key_Down);
        QVERIFY(table.view.hasFocus());
        QTest::keyClick(&table.view, Qt::Key_Down);
        QCOMPARE(table.world.selection().size(), std::size_t{1});
        QVERIFY(table.at(table.view.currentIndex().row(), NodesModel::opColumn) == QStringLiteral("Tanh"));
    }

    void aClickSelectsEverywhereAndDoesNotScrollTheTable() {
        Table table;
        QVERIFY(table.world.openText(blocksText(12)));
        table.view.scrollToTop();
        table.clickRow(2);
        QCOMPARE(table.world.selection(), std::vector<std::uint32_t>{table.model.keyOf(2)});
        QCOMPARE(table.view.verticalScrollBar()->value(), 0);
        // The canvas shows it.
        const Rect rect = nodeRect(table.world.document().picture()->unionGraph.graph,
                                   *table.world.document().layout(), table.model.keyOf(2));
        const Rect seen =
            worldRect(table.world.window.compareView().link().viewport(), table.world.before().paneSize());
        QVERIFY(seen.intersects(rect));
    }

    void aSelectionElsewhereScrollsToItsRow() {
        Table table;
        QVERIFY(table.world.openText(blocksText(12)));
        table.view.scrollToTop();
        const quint32 key = table.model.keyOf(table.model.rowCount() - 2);
        table.world.document().select({key});
        QVERIFY(table.view.viewport()->rect().contains(
            table.view.visualRect(table.model.index(table.model.rowOf(key), 0)).center()));
    }

    void controlClickAddsARow() {
        Table table;
        QVERIFY(table.world.openText(blocksText(3)));
        table.view.scrollToTop();
        table.clickRow(1);
        QTest::mouseClick(table.view.viewport(), Qt::LeftButton, Qt::ControlModifier,
                          table.view.visualRect(table.model.index(3, 0)).center());
        QCOMPARE(table.world.selection().size(), std::size_t{2});
    }

    void enterShowsTheNodeInTheGraph() {
        Table table;
        QVERIFY(table.world.openText(blocksText(12)));
        table.world.document().setAllExpanded(false);
        QVERIFY(table.world.settle());
        const std::uint32_t key = table.world.keyOf("Tanh");
        table.world.document().select({key});
        const auto itemOf = [&] {
            const std::uint32_t node = table.world.document().picture()->unionGraph.graph.find(key);
            return table.world.document()
                .layout()
                ->items[table.world.document().layout()->itemOfNode[node]]
                .node;
        };
        QCOMPARE(itemOf(), kNoIndex); // it lies in a closed group
        table.view.setFocus();
        QTest::keyClick(&table.view, Qt::Key_Return);
        QVERIFY(table.world.settle());
        QVERIFY(itemOf() != kNoIndex);
        const Rect rect = nodeRect(table.world.document().picture()->unionGraph.graph,
                                   *table.world.document().layout(), key);
        const Rect seen =
            worldRect(table.world.window.compareView().link().viewport(), table.world.before().paneSize());
        QVERIFY(seen.contains({rect.centerX(), rect.centerY()}));
    }

    void whatTheStripCountsAndNoRowHasIsSaid() {
        Table table;
        // A Constant and a Shape are lines of their readers.
        QVERIFY(table.world.openText(R"(<ir_version: 8, opset_import: ["": 17]>
g (float[2, 4] x, float[4, 2] shaped) => (float[4, 2] y)
{
  [relu] r = Relu (x)
  [sizes] s = Shape (shaped)
  [reshape] z = Reshape (r, s)
  [two] t = Constant <value = float {2}> ()
  [double] y = Mul (z, t)
})"));
        const NodesModel::Reckoning is = table.model.reckoning();
        QCOMPARE(is.model, table.world.document().original()->metrics.nodes);
        QCOMPARE(is.model, std::uint64_t{5});
        QCOMPARE(is.listed, std::uint64_t{3});
        QCOMPARE(is.lines, std::uint64_t{2});
        QCOMPARE(is.inputs + is.outputs, std::uint64_t{3});
        QCOMPARE(static_cast<std::uint64_t>(table.model.totalRows()),
                 is.listed + is.made + is.inputs + is.outputs);
        const auto labels = table.panel.findChildren<QLabel*>();
        const auto at = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QStringLiteral("6 rows; 2 of 5 nodes have none of their own");
        });
        QVERIFY(at != labels.end());
        QVERIFY2((*at)->toolTip().contains(QStringLiteral("2 constants and size computations are lines")),
                 qPrintable((*at)->toolTip()));
    }

    void rowsAreSaidInWords() {
        Table table;
        QVERIFY(table.world.openSample());
        const int row = table.model.rowOf(table.world.keyOf("GeluGrad"));
        const QString words = table.model.index(row, 0).data(Qt::AccessibleTextRole).toString();
        QVERIFY2(words.startsWith(QStringLiteral("GeluGrad")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("backward, removed by step")), qPrintable(words));
    }
};

QTEST_MAIN(TestNodesTable)
#include "tst_nodes_table.moc"
