// SPDX-License-Identifier: Apache-2.0
#include "core/picture/export_picture.h"
#include "core/support/printable.h"
#include "tests/temporary_folder.h"
#include "tests/ui/support/world.h"
#include "ui/app_state/node_words.h"
#include "ui/canvas/target_chooser.h"
#include "ui/inspector/inspector_html.h"
#include "ui/report/nodes_model.h"
#include "ui/report/nodes_panel.h"
#include "ui/report/problems_model.h"
#include "ui/report/problems_panel.h"
#include "ui/steps/steps_model.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/message_bar.h"
#include "ui/window/summary_strip.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include <algorithm>
#include <new>
#include <stdexcept>

using namespace secateur;
using secateur::testing::collectionModel;
using secateur::testing::dataPath;
using secateur::testing::World;

namespace {

void collect(const QMenu& menu, QSet<QAction*>& into) {
    for (QAction* action : menu.actions()) {
        into.insert(action);
        if (action->menu()) collect(*action->menu(), into);
    }
}

QString subtitleOf(const QAbstractItemModel& steps, int step) {
    return steps.index(step + 1, 0).data(StepsModel::subtitleRole).toString();
}

std::size_t stepNamed(World& world, const char* pass) {
    const auto& steps = world.document().session()->recipe().steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].pass == pass) return i;
    return steps.size();
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT
  private slots:
    void workThatNeedsMoreMemoryThanThereIsEndsInAMessage() {
        World world;
        QVERIFY(world.openSample());
        bool isDone = false;
        world.document().work().start<int>(
            Work::Kind::exporting, QStringLiteral("Writing huge.png"),
            [](const WorkContext&) -> int { throw std::bad_alloc(); }, [&isDone](int) { isDone = true; });
        QVERIFY(world.settle());
        QVERIFY(!isDone);
        QVERIFY2(world.says("not enough memory") && world.says("huge.png"), qPrintable(world.allSaid()));
        QCOMPARE(world.document().phase(), Document::Phase::ready);
        // An opening that fails so says that, and not that a person cancelled it.
        world.document().work().start<int>(
            Work::Kind::layout, QStringLiteral("Laying out"),
            [](const WorkContext&) -> int { throw std::length_error("too long"); }, [](int) {},
            [&isDone] { isDone = true; });
        QVERIFY(world.settle());
        QVERIFY2(isDone, "what waits for the result hears that there is none");
    }

    void namesKeepTheOrderOfWhatStandsBesideThem() {
        using secateur::nameText;
        QCOMPARE(nameText("plain/name"), QStringLiteral("plain/name"));
        QCOMPARE(nameText("a\u202Eb\u2066c\x1b"), QStringLiteral("a\\u202eb\\u2066c\\x1b"));
        const QString arabic = QString::fromUtf8("\u0637\u0628\u0642\u0629");
        QCOMPARE(nameText(utf8(arabic)), QChar(0x2068) + arabic + QChar(0x2069));
        World world;
        QVERIFY(world.openText(secateur::testing::namesText({"evil\u202Eeman", "plain"})));
        NodesModel& nodes = world.window.nodes().model();
        QVERIFY(QTest::qWaitFor([&] { return !nodes.isArranging(); }));
        QStringList shown;
        for (int row = 0; row < nodes.rowCount(); ++row)
            shown.append(nodes.index(row, NodesModel::nodeColumn).data().toString());
        QVERIFY2(shown.contains(QStringLiteral("evil\\u202eeman")), qPrintable(shown.join(QLatin1Char('|'))));
    }

    void noNumberOfTheSummaryIsCut() {
        World world;
        QVERIFY(world.openSample());
        for (const int width : {640, 800, 1024, 1440}) {
            world.window.resize(width, 600);
            QTest::qWait(20);
            const QRect strip = world.window.summary().rect();
            int shown = 0;
            for (const QLabel* label : world.window.summary().findChildren<QLabel*>()) {
                if (!label->isVisible()) continue;
                ++shown;
                QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
                QVERIFY2(strip.contains(label->geometry()), qPrintable(label->text()));
            }
            QVERIFY(shown >= (width >= 1440 ? 5 : 2));
            QVERIFY(
                world.window.summary().text().contains(QStringLiteral("not measured"))); // said all the same
        }
    }

    void thePanesSayWhichStepTheyShow() {
        World world;
        QVERIFY(world.openSample());
        const auto says = [&](const QString& words) {
            const QList<QLabel*> labels = world.window.compareView().findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().startsWith(words);
            });
        };
        const QString steps = QString::number(world.document().history()->steps().size());
        const auto& all = world.document().history()->steps();
        const auto on = std::count_if(all.begin(), all.end(), [](const Step& step) { return step.isOn; });
        QVERIFY(says(QStringLiteral("After: %1 steps, ").arg(on)));
        world.action(ActionId::beforePrevious).setChecked(true);
        QVERIFY(says(QStringLiteral("Before: original (select a step to see the one before it), ")));
        world.document().lookAt(1);
        QVERIFY(says(QStringLiteral("Before: original (the step before the first), ")));
        QVERIFY(says(QStringLiteral("After: step 1 of %1, ").arg(steps)));
        world.document().lookAt(3);
        QVERIFY(says(QStringLiteral("Before: step 2 of %1, ").arg(steps)));
    }

    void thousandsOfOutputsAreCountedWhereTheyWouldBeListed() {
        constexpr int kMany = 3000;
        std::string outputs, nodes;
        for (int i = 0; i < kMany; ++i) {
            const std::string name = "a" + std::to_string(i);
            outputs += (i == 0 ? "" : ", ") + ("float[2] " + name);
            nodes += name + " = Relu(x)\n";
        }
        World world;
        QVERIFY(world.openText("<ir_version: 10, opset_import: [\"\": 21]> wide (float[2] x) => (" + outputs +
                               ") {\n" + nodes + "}"));
        QVERIFY2(world.says("and 2,992 more"), qPrintable(world.allSaid().left(300)));
        QTest::qWait(50);
        QVERIFY2(world.window.messageBar().height() < 120,
                 qPrintable(QString::number(world.window.messageBar().height())));
        const QAbstractItemModel& steps = world.window.steps().model();
        QVERIFY2(subtitleOf(steps, 0).contains(QStringLiteral("and 2,992 more")),
                 qPrintable(subtitleOf(steps, 0).left(300)));
        const LayoutGraph& graph = world.document().picture()->unionGraph.graph;
        world.document().select({graph.nodes.front().key}); // the input, which all nodes read
        QVERIFY((graph.nodes.front().key & kInputKeyBit) != 0);
        const QString html = inspectorHtml(world.document());
        QVERIFY2(html.size() < 40000, qPrintable(QString::number(html.size())));
        QVERIFY2(html.contains(QStringLiteral("2,960 more")), qPrintable(html.right(300)));
    }

    void aMessageOfAnyLengthLeavesTheWindowItsRoom() {
        World world;
        QVERIFY(world.openSample());
        world.document().say(
            {QStringLiteral("long"),
             BarMessage::Severity::error,
             QStringLiteral("begin ") + QString(50000, QLatin1Char('n')) + QStringLiteral(" end"),
             {}});
        QTest::qWait(50);
        const QString shown = world.window.messageBar().texts().constFirst();
        QVERIFY(shown.startsWith(QStringLiteral("begin ")) && shown.endsWith(QStringLiteral(" end")));
        QVERIFY2(shown.size() <= 600, qPrintable(QString::number(shown.size())));
        QVERIFY(world.before().height() > 200);
    }

    void namesInEveryPlaceAreWrittenOutBeforeTheyAreShown() {
        // Four letters that become a turn of the direction of writing and a letter.
        QByteArray bytes = secateur::testing::bytesOfText(
            "<ir_version: 10, opset_import: [\"\": 21, \"EVIL\": 1]> g (float[EVIL, 2] xEVIL) => "
            "(float[EVIL, 2] yEVIL) {\n[\"/blockEVIL/one\"] h = Relu(xEVIL)\n[\"/blockEVIL/two\"] i = "
            "Tanh(h)\n"
            "[\"EVIL\"] j = EVIL.opEVIL<mode = \"EVIL\", otherEVIL = \"EVIL\">(i)\nyEVIL = Cast<to = "
            "1>(j)\n}");
        QVERIFY(bytes.count("EVIL") > 8);
        bytes.replace("EVIL", "\xE2\x80\xAE"
                              "A");
        World world;
        world.document().openBytes(bytes, QStringLiteral("evil.onnx"));
        QVERIFY(world.settle() && world.document().phase() == Document::Phase::ready);
        const Document& document = world.document();
        const UnionPicture& picture = *document.picture();
        const ExportSource source{picture.unionGraph.graph, picture.hierarchy, document.expanded(),
                                  *document.layout(),       document.state(),  nullptr};
        const DisplayList list = exportList(source, {});
        std::size_t escaped = 0;
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::text) continue;
            const std::string text(list.textOf(item));
            QVERIFY2(printable(text) == text, text.c_str());
            if (text.find("202e") != std::string::npos) ++escaped;
        }
        QVERIFY2(escaped >= 4, "names, types and attributes are in the picture");
        const auto isPlain = [](const QString& text) { return !text.contains(QChar(0x202E)); };
        for (const LayoutNode& node : picture.unionGraph.graph.nodes) {
            world.document().select({node.key});
            QVERIFY2(isPlain(inspectorHtml(document)), node.name.c_str());
            QVERIFY2(isPlain(nodeTip(document, node.key)), node.name.c_str());
            QVERIFY2(isPlain(nodeWords(document, node.key)), node.name.c_str());
        }
        for (const LayoutEdge& edge : picture.unionGraph.graph.edges)
            QVERIFY(isPlain(edgeTip(document, edge)));
        for (std::uint32_t g = 0; g < picture.hierarchy.groups.size(); ++g)
            QVERIFY(isPlain(nodeName(document, kGroupKeyBit | g)));
        QVERIFY(isPlain(world.allSaid()));
        NodesModel& nodes = world.window.nodes().model();
        QVERIFY(QTest::qWaitFor([&] { return !nodes.isArranging(); }));
        for (int row = 0; row < nodes.rowCount(); ++row)
            for (int column = 0; column < nodes.columnCount(); ++column)
                QVERIFY(isPlain(nodes.index(row, column).data().toString()));
    }

    void theSampleShowsBeforeAndAfterWithoutAClick() {
        World world;
        QVERIFY(world.openSample());
        const Document& document = world.document();
        QVERIFY(document.history());
        const std::uint64_t before = document.original()->metrics.nodes,
                            after = document.history()->steps().back().after.nodes;
        QVERIFY(after < before);
        const QString summary = world.window.summary().text();
        const QString wanted = countText(before) + QStringLiteral(" \u2192 ") + countText(after);
        QVERIFY2(summary.contains(wanted), qPrintable(summary));
        QVERIFY(summary.contains(QStringLiteral("not computed yet")));
        QVERIFY(summary.contains(QStringLiteral("not measured")));
        QVERIFY2(world.window.messageBar()
                     .texts()
                     .join(QLatin1Char(' '))
                     .contains(QStringLiteral("the file is unchanged")),
                 qPrintable(world.window.messageBar().texts().join(QLatin1Char('|'))));
    }

    void aTinyChangeIsWrittenWhole() {
        World world;
        const std::string name(80000, 'n');
        QVERIFY(world.openText("<ir_version: 8, opset_import: [\"\": 17, \"ai.onnx.ml\": 2]>\n"
                               "g (float[4] x) => (float[4] y) { [\"" +
                               name + "\"] y = Relu(x) }"));
        const QString summary = world.window.summary().text();
        QVERIFY2(summary.contains(QStringLiteral("(\u2212< 0.1 %)")), qPrintable(summary));
    }

    void twoNearlyEqualTargetsAreAskedFor() {
        World world;
        QVERIFY(world.open(dataPath("two_heads.training.onnx")));
        QVERIFY(world.document().needsTarget());
        QVERIFY(!world.document().history());
        auto* chooser = world.window.findChild<TargetChooser*>();
        QVERIFY(chooser && chooser->isVisible());
        QVERIFY(!world.window.compareView().after().isVisible());
        QVERIFY(chooser->findChildren<QCheckBox*>().size() >= 2);
    }

    void choosingATargetRunsTheRecipe() {
        World world;
        QVERIFY(world.open(dataPath("two_heads.training.onnx")));
        auto* chooser = world.window.findChild<TargetChooser*>();
        chooser->findChildren<QCheckBox*>().front()->setChecked(true);
        chooser->findChild<QPushButton*>(QStringLiteral("useTargets"))->click();
        QVERIFY(world.settle());
        QVERIFY(world.document().history());
        QVERIFY(world.window.compareView().after().isVisible());
        QVERIFY(world.document().session()->canUndo());
    }

    void pointingAtACandidatePreviewsWhatItRemoves() {
        World world;
        QVERIFY(world.open(dataPath("two_heads.training.onnx")));
        const auto& candidates = world.document().original()->targets.candidates;
        QVERIFY(!candidates.empty());
        world.document().previewTarget(candidates.front().value);
        std::size_t going = 0;
        for (const NodeState& node : world.document().state().nodes)
            if (node.diff == DiffState::willGo) ++going;
        QVERIFY(going > 0);
        QVERIFY(!world.document().session()->canUndo());
        world.document().previewTarget(ValueId());
        for (const NodeState& node : world.document().state().nodes)
            QVERIFY(node.diff != DiffState::willGo);
    }

    void modelsKeepTheRulesOfModels() {
        World world;
        const auto fatal = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester steps(&world.window.steps().model(), fatal);
        QAbstractItemModelTester nodes(&world.window.nodes().model(), fatal);
        QAbstractItemModelTester problems(&world.window.problems().model(), fatal);
        QVERIFY(world.openSample());
        world.document().lookAt(1);
        world.document().lookAtEnd();
        QVERIFY(world.window.steps().model().rowCount() > 3);
        QVERIFY(world.window.nodes().model().rowCount() > 3);
    }

    void aSelectionIsEchoedInTheTable() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t key = world.document().picture()->unionGraph.graph.nodes.back().key;
        world.document().select({key});
        const QModelIndexList rows = world.window.nodes().view().selectionModel()->selectedRows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.front().data(NodesModel::kKeyRole).toUInt(), key);
        QVERIFY(world.window.nodes()
                    .view()
                    .visualRect(rows.front())
                    .intersects(world.window.nodes().view().viewport()->rect()));
        // And back: a row selects on the canvas.
        world.window.nodes().view().selectRow(0);
        QCOMPARE(world.document().selection(),
                 std::vector<std::uint32_t>{world.document().picture()->unionGraph.graph.nodes.front().key});
    }

    void removedNodesKeepTheirTypesInTheTable() {
        World world;
        QVERIFY(world.openSample());
        const NodesModel model(world.document());
        int told = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QString makes = model.index(row, NodesModel::makesColumn).data().toString();
            QVERIFY2(makes != "?", qPrintable(model.index(row, 0).data().toString()));
            told += makes.isEmpty() ? 0 : 1;
        }
        QCOMPARE(told, 11);
    }

    void lookingIsNotEditing() {
        World world;
        QVERIFY(world.openSample());
        for (const ActionId id :
             {ActionId::goStart, ActionId::goStep, ActionId::goStep, ActionId::goBack, ActionId::goEnd})
            world.action(id).trigger();
        world.document().select({0});
        world.window.compareView().setOverlay(true);
        QVERIFY(!world.document().session()->canUndo());
        QVERIFY(!world.window.isWindowModified());
        QVERIFY(!world.document().work().isBusy(Work::Kind::model));
    }

    void steppingMovesTheCursor() {
        World world;
        QVERIFY(world.openSample());
        const std::size_t steps = world.document().history()->steps().size();
        QCOMPARE(world.document().cursor(), steps);
        world.action(ActionId::goStart).trigger();
        QCOMPARE(world.document().cursor(), std::size_t{0});
        QVERIFY(!world.action(ActionId::goBack).isEnabled());
        world.action(ActionId::goStep).trigger();
        QCOMPARE(world.document().cursor(), std::size_t{1});
        QCOMPARE(world.document().selectedStep().value_or(99), std::size_t{0});
        world.action(ActionId::goEnd).trigger();
        QCOMPARE(world.document().cursor(), steps);
        QVERIFY(!world.document().selectedStep());
    }

    /// What Ctrl+Z does after each edit: the recipe is what it was, and redo brings the edit back.
    void undoTakesBackEachEdit_data() {
        QTest::addColumn<int>("edit");
        QTest::newRow("skip a step") << 0;
        QTest::newRow("choose a target") << 1;
        QTest::newRow("an option") << 2;
        QTest::newRow("weights") << 3;
        QTest::newRow("keep operators of ONNX Runtime") << 4;
        QTest::newRow("skip a rewrite") << 5;
    }

    void undoTakesBackEachEdit() {
        QFETCH(int, edit);
        World world;
        QVERIFY(world.openSample());
        Document& document = world.document();
        const Recipe original = document.session()->recipe();
        const std::size_t prune = stepNamed(world, "prune-backward");
        QVERIFY(prune < original.steps.size());
        switch (edit) {
        case 0: document.setStepOn(prune, false); break;
        case 1:
            document.chooseTargets({std::string(document.original()->file.model.name(
                document.original()->targets.candidates.front().value))});
            break;
        case 2: document.setOption(stepNamed(world, "freeze-batch-norm"), "batch-norm", "batch"); break;
        case 3: document.setWeights("/nowhere/checkpoint"); break;
        case 4: document.setForOnnxRuntime(true); break;
        default: document.setRewriteOn(prune, "any", false); break;
        }
        const Recipe edited = document.session()->recipe();
        QVERIFY(!(edited == original));
        QVERIFY(world.window.isWindowModified());
        QVERIFY(world.settle());
        QVERIFY(world.action(ActionId::undo).isEnabled());
        world.action(ActionId::undo).trigger();
        QVERIFY(document.session()->recipe() == original);
        QVERIFY(world.settle());
        QVERIFY(!world.action(ActionId::undo).isEnabled());
        QVERIFY(!world.window.isWindowModified());
        world.action(ActionId::redo).trigger();
        QVERIFY(document.session()->recipe() == edited);
        QVERIFY(world.settle());
    }

    void skippingPruneKeepsTheBackwardHalf() {
        World world;
        QVERIFY(world.openSample());
        const std::uint64_t pruned = world.document().history()->steps().back().after.nodes;
        world.document().setStepOn(stepNamed(world, "prune-backward"), false);
        QVERIFY(world.settle());
        QVERIFY(world.document().history()->steps().back().after.nodes > pruned);
    }

    void cancellingARunKeepsWhatIsShown() {
        World world;
        QVERIFY(world.openSample());
        Document& document = world.document();
        const auto picture = document.picture();
        const auto layout = document.layout();
        const History* history = document.history();
        const std::size_t prune = stepNamed(world, "prune-backward");
        document.setStepOn(prune, false);
        world.action(ActionId::cancelWork).trigger();
        QVERIFY(world.settle());
        QVERIFY(document.picture() == picture);
        QVERIFY(document.layout() == layout);
        QVERIFY(document.history() == history);
        QVERIFY(!document.session()->recipe().steps[prune].isOn);
        QVERIFY2(world.says("Cancelled before the steps had run"), qPrintable(world.allSaid()));
        // Steps above the change stand as they were run; it and those below do not.
        const QAbstractItemModel& steps = world.window.steps().model();
        QVERIFY(subtitleOf(steps, 0).contains(QStringLiteral("evidence")));
        QCOMPARE(subtitleOf(steps, static_cast<int>(stepNamed(world, "drop-loss"))),
                 QStringLiteral("not run"));

        QVERIFY(world.window.messageBar().trigger(QStringLiteral("Run it now")));
        QVERIFY(world.settle());
        QVERIFY(document.picture() != picture);
        QVERIFY(document.session()->isCurrent());
        QVERIFY(!world.says("Cancelled before the steps had run"));
    }

    void undoingACancelledChangeNeedsNoRun() {
        World world;
        QVERIFY(world.openSample());
        Document& document = world.document();
        const History* history = document.history();
        document.setStepOn(stepNamed(world, "prune-backward"), false);
        world.action(ActionId::cancelWork).trigger();
        QVERIFY(world.settle());
        QVERIFY(world.window.messageBar().trigger(QStringLiteral("Undo the change")));
        QVERIFY(!document.work().isBusy());
        QVERIFY(document.history() == history);
        QVERIFY(document.session()->isCurrent());
        QVERIFY(!world.says("Cancelled before the steps had run"));
    }

    void cancellingWhileOpeningGoesBackToTheStartPage() {
        World world;
        world.window.openSample();
        world.action(ActionId::cancelWork).trigger();
        QVERIFY(world.settle());
        QCOMPARE(world.document().phase(), Document::Phase::empty);
        QVERIFY(world.window.findChild<QWidget*>(QStringLiteral("startPage"))->isVisible());
        QVERIFY2(world.says("was cancelled"), qPrintable(world.allSaid()));
        QVERIFY(world.window.messageBar().trigger(QStringLiteral("Open it again")));
        QVERIFY(world.settle());
        QCOMPARE(world.document().phase(), Document::Phase::ready);
    }

    void cancellingALayoutKeepsTheGroupsAsTheyWere() {
        World world;
        QVERIFY(world.openText(secateur::testing::blocksText(12)));
        const auto layout = world.document().layout();
        const std::vector<bool> open = world.document().expanded().open;
        QVERIFY(std::count(open.begin(), open.end(), true) > 0);
        world.document().setAllExpanded(false);
        world.action(ActionId::cancelWork).trigger();
        QVERIFY(world.settle());
        QVERIFY(world.document().layout() == layout);
        QVERIFY(world.document().expanded().open == open);
    }

    void aBadFileIsSaidAndTheWindowStays_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("json") << QByteArray("{\"a\": 1}");
        QTest::newRow("noise") << QByteArray(5000, '\xff');
    }

    void aBadFileIsSaidAndTheWindowStays() {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("bad.onnx"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        World world;
        QVERIFY(world.open(path));
        QCOMPARE(world.document().phase(), Document::Phase::failed);
        QVERIFY(world.window.isVisible());
        QCOMPARE(world.window.messageBar().texts().size(), 1);
        QVERIFY(world.window.messageBar().texts().front().size() > 20);
        QVERIFY(world.openSample());
        QCOMPARE(world.document().phase(), Document::Phase::ready);
    }

    void aMissingFileIsSaid() {
        World world;
        QVERIFY(world.open(QStringLiteral("/nowhere/at/all.onnx")));
        QCOMPARE(world.document().phase(), Document::Phase::failed);
        QVERIFY(!world.window.messageBar().texts().isEmpty());
    }

    void everyActionStandsInAMenu() {
        World world;
        QSet<QAction*> reachable;
        for (QAction* menu : world.window.menus().actions())
            collect(*menu->menu(), reachable);
        for (const ActionInfo& info : actionTable()) {
            QAction* action = world.window.actions()[info.id];
            QVERIFY2(reachable.contains(action), info.name);
            QVERIFY2(!action->text().startsWith(QLatin1Char('[')), info.textId);
            QVERIFY2(!action->toolTip().isEmpty(), info.name);
        }
    }

    void actionsThatCannotBeUsedSayWhy() {
        World world;
        for (const ActionId id : {ActionId::goStart, ActionId::goBack, ActionId::goStep, ActionId::goEnd,
                                  ActionId::exportModel, ActionId::undo}) {
            QVERIFY2(!world.action(id).isEnabled(), qPrintable(world.action(id).objectName()));
            QVERIFY(world.action(id).toolTip().contains(QLatin1Char('\n')));
        }
    }

    void noTwoActionsShareAShortcut() {
        World world;
        QHash<QKeySequence, QString> seen;
        for (const ActionInfo& info : actionTable())
            for (const QKeySequence& key : world.window.actions()[info.id]->shortcuts()) {
                QVERIFY2(!seen.contains(key), qPrintable(key.toString() + QLatin1Char(' ') + seen.value(key) +
                                                         QLatin1Char(' ') + QLatin1String(info.name)));
                seen.insert(key, QLatin1String(info.name));
            }
    }

    void aNameSelectsWhatIsDrawnForIt() {
        World world;
        QVERIFY(world.openSample());
        const Model& model = world.document().original()->file.model;
        const LayoutGraph& graph = world.document().picture()->unionGraph.graph;
        // Weights among the inputs are rows of their readers: something drawn is selected for each.
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            QVERIFY(world.window.selectByName(qs(model.name(input))));
            QVERIFY(graph.find(world.document().selection().front()) != kNoIndex);
        }
        const NodeId gelu(world.keyOf("Gelu"));
        QVERIFY(world.window.selectByName(qs(model.name(model.output(gelu, 0)))));
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{gelu.index});
        QVERIFY(!world.window.selectByName(QStringLiteral("NOPE")));
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{gelu.index});
    }

    void resultsOfReplacedWorkAreDropped() {
        World world;
        world.window.openSample();
        world.window.openSample();
        QSignalSpy histories(&world.document(), &Document::historyChanged);
        QVERIFY(world.settle());
        QCOMPARE(histories.size(), 1);
        QCOMPARE(world.document().phase(), Document::Phase::ready);
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
