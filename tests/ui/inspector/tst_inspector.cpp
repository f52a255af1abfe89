// SPDX-License-Identifier: Apache-2.0
//
// What the inspector says of a node, and that the table, the picture and the command line say the same.
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/layout/node_metrics.h"
#include "core/messages/messages.h"
#include "core/session/explanation.h"
#endif
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"
#include "ui/inspector/inspector_html.h"
#include "ui/report/nodes_model.h"
#include "ui/report/nodes_panel.h"

#include <QTextDocument>

using namespace secateur;
using secateur::testing::World;

namespace {

QString cliModel(const char* name) {
    return QStringLiteral(SECATEUR_TEST_DATA "/cli/") + QLatin1String(name) + QStringLiteral(".onnx");
}

/// As it is read: without markup, ticks and the places where a name may be broken.
QString plain(const QString& html) {
    QTextDocument text;
    text.setHtml(html);
    return text.toPlainText().remove(QChar(0x200B)).remove(QLatin1Char('`'));
}

QString words(const Reason& reason, const Model& model) {
    return QString::fromStdString(formatReason(reason, model)).remove(QLatin1Char('`'));
}

} // namespace

class TestInspector : public QObject {
    Q_OBJECT
  private slots:
    void everyNodeTellsTheStoryThatExplainTells_data() {
        QTest::addColumn<bool>("isAtEnd");
        QTest::newRow("at the end") << true;
        QTest::newRow("at the start") << false;
    }

    void everyNodeTellsTheStoryThatExplainTells() {
        QFETCH(bool, isAtEnd);
        World world;
        QVERIFY(world.open(cliModel("classifier.training")));
        Document& document = world.document();
        if (!isAtEnd) world.action(ActionId::goStart).trigger();
        const NodesModel& table = world.window.nodes().model();
        const Model& original = document.original()->file.model;
        const Storyteller stories(*document.history());
        bool hasBypassed = false;
        for (const NodeId node : original.nodes(original.mainGraph())) {
            const NodeStory story = stories.tell(node);
            document.select({node.index});
            const QString said = plain(inspectorHtml(document));
            QVERIFY2(said.contains(words(story.why.reason, *story.model)), qPrintable(said));
            const std::size_t edges = story.why.path.size() - 1;
            if (edges > 0) {
                QVERIFY2(said.contains(words(story.why.end, *story.model)), qPrintable(said));
                QVERIFY2(said.contains(QString::number(edges) + QStringLiteral(" edge")), qPrintable(said));
            }
            hasBypassed = hasBypassed || story.why.stoodOnWay;
            // The picture draws this way, and then the output that it leaves through, if any.
            const LayoutGraph& graph = document.picture()->unionGraph.graph;
            const std::vector<std::uint32_t>& drawn = document.selectedPath().nodes;
            QVERIFY(drawn.size() >= story.why.path.size());
            for (std::size_t i = 0; i < story.why.path.size(); ++i)
                QCOMPARE(drawn[i], graph.find(story.why.path[i].index));
            if (!story.why.isKept || story.erasedBy || edges == 0) continue;
            const QString row =
                table.index(table.rowOf(node.index), NodesModel::reasonColumn).data().toString();
            QVERIFY2(row.contains(QStringLiteral(" %1 node").arg(edges)), qPrintable(row));
        }
        QVERIFY(hasBypassed);
    }

    void anInputSaysWhatItIsForAndWhyItStaysOrGoes_data() {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QStringList>("said");
        QTest::addColumn<QString>("role");
        QTest::newRow("labels")
            << QStringLiteral("labels")
            << QStringList{QStringLiteral(
                               "Input of the graph: labels, which the prediction is compared with"),
                           QStringLiteral("Why"), QStringLiteral("Removed by step "),
                           QStringLiteral("ll that read labels is gone")}
            << QStringLiteral("Labels");
        QTest::newRow("data") << QStringLiteral("x")
                              << QStringList{QStringLiteral(
                                                 "Input of the graph: data that the network computes with"),
                                             QStringLiteral("Why"), QStringLiteral("Kept"),
                                             QStringLiteral("Kept: logits needs it, 3 nodes away")}
                              << QStringLiteral("Data");
    }

    void anInputSaysWhatItIsForAndWhyItStaysOrGoes() {
        QFETCH(QString, input);
        QFETCH(QStringList, said);
        QFETCH(QString, role);
        World world;
        QVERIFY(world.open(cliModel("classifier.training")));
        const Model& model = world.document().original()->file.model;
        const std::uint32_t key =
            kInputKeyBit | model.findValue(input.toStdString(), model.mainGraph()).index;
        world.document().select({key});
        const QString shown = plain(inspectorHtml(world.document()));
        for (const QString& words : said)
            QVERIFY2(shown.contains(words), qPrintable(shown));
        const NodesModel& table = world.window.nodes().model();
        QCOMPARE(table.index(table.rowOf(key), NodesModel::roleColumn).data().toString(), role);
    }

    void anOutputSaysWhyItStaysOrGoes() {
        World world;
        QVERIFY(world.open(cliModel("classifier.training")));
        const auto& names = world.document().picture()->unionGraph.outputNames;
        for (std::uint32_t i = 0; i < names.size(); ++i) {
            world.document().select({kOutputKeyBit | i});
            const QString shown = plain(inspectorHtml(world.document()));
            QVERIFY2(shown.contains(QStringLiteral("Why")), qPrintable(shown));
            QVERIFY2(shown.contains(names[i] == "logits" ? QStringLiteral("Kept: it is a target")
                                                         : QStringLiteral("Removed by step ")),
                     qPrintable(shown));
        }
    }

    void aClickOnAChipShowsTheNodeThatIsDrawnAsIt() {
        World world;
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["": 17]>
g (float[2, 4] x, float[4, 2] shaped) => (float[4, 2] y)
{
  [relu] r = Relu (x)
  [sizes] s = Shape (shaped)
  [reshape] y = Reshape (r, s)
})"));
        Document& document = world.document();
        const LayoutGraph& graph = document.picture()->unionGraph.graph;
        const std::uint32_t shape = world.keyOf("Shape"), host = world.keyOf("Reshape");
        const std::uint32_t folded = graph.foldedAt(shape);
        QVERIFY(folded != kNoIndex);
        QCOMPARE(graph.nodes[graph.folded[folded].host].key, host);
        const Viewport view = world.before().view();
        const Rect rect = nodeRect(graph, *document.layout(), host);
        const auto clickAt = [&](double y) {
            const Point at = worldToView(view, {rect.centerX(), y});
            QTest::mouseClick(world.before().viewport(), Qt::LeftButton, {},
                              QPoint(static_cast<int>(at.x), static_cast<int>(at.y)));
        };
        clickAt(rect.y + node_metrics::kTitleHeight + node_metrics::kBodyPadding / 2 +
                (graph.folded[folded].row + 0.5) * node_metrics::kRowHeight);
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{shape});
        const QString shown = plain(inspectorHtml(document));
        QVERIFY2(shown.startsWith(QStringLiteral("Shape")), qPrintable(shown));
        QVERIFY2(shown.contains(QStringLiteral("Reshape reshape reads what Shape sizes makes")),
                 qPrintable(shown));
        clickAt(rect.y + node_metrics::kTitleHeight / 2);
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{host});
    }

    void aLineOfAnotherNodeHasItsOwnRole() {
        World world;
        QVERIFY(world.open(cliModel("classifier.training")));
        Document& document = world.document();
        const LayoutGraph& graph = document.picture()->unionGraph.graph;
        const Model& original = document.original()->file.model;
        for (const FoldedNode& folded : graph.folded) {
            if (folded.key >= original.nodeIdCount()) continue;
            const QString role =
                QString::fromLatin1(roleName(document.history()->roles()->of(NodeId(folded.key))).data());
            QCOMPARE(keyRoleWords(document, folded.key).toLower(), role);
        }
    }
};

QTEST_MAIN(TestInspector)
#include "tst_inspector.moc"
