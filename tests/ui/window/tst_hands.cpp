// SPDX-License-Identifier: Apache-2.0
//
// What a person does around the graph: ticks, links, dialogs, dropped files, lists.
#include "tests/ui/support/world.h"
#include "ui/canvas/target_chooser.h"
#include "ui/inspector/find_field.h"
#include "ui/report/problems_model.h"
#include "ui/report/problems_panel.h"
#include "ui/steps/steps_model.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/message_bar.h"
#include "ui/window/summary_strip.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>

using namespace secateur;
using secateur::testing::dataPath;
using secateur::testing::World;

namespace {

const QString kSample = QStringLiteral(SECATEUR_SOURCE_DIR "/resources/samples/mlp_gelu.training.onnx");

std::size_t stepNamed(World& world, const char* pass) {
    const auto& steps = world.document().session()->recipe().steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].pass == pass) return i;
    return steps.size();
}

/// The place of the tick of a row: at the left of its first line.
void clickTick(QTreeView& view, const QModelIndex& index) {
    view.scrollTo(index);
    const QRect row = view.visualRect(index);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(row.left() + 12, row.top() + 13));
}

/// A file that is dragged over the window and let go. Returns whether it was taken.
bool drop(MainWindow& window, const QList<QUrl>& urls) {
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
    enter.ignore();
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted()) return false;
    QDropEvent let(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(&window, &let);
    return let.isAccepted();
}

std::size_t going(World& world) {
    std::size_t count = 0;
    for (const NodeState& node : world.document().state().nodes)
        count += node.diff == DiffState::willGo ? 1 : 0;
    return count;
}

/// Types a path into the file dialog that is open, and accepts.
bool giveFile(MainWindow& window, const QString& path) {
    auto* dialog = window.findChild<QFileDialog*>();
    if (!dialog || !dialog->isVisible()) return false;
    dialog->findChild<QLineEdit*>()->setText(path);
    QMetaObject::invokeMethod(dialog, "accept");
    return true;
}

} // namespace

class TestHands : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        QVERIFY(m_settings.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
        QCoreApplication::setOrganizationName(QStringLiteral("secateur-test"));
        QCoreApplication::setApplicationName(QStringLiteral("hands"));
    }

    void aClickOnATickSkipsAStepAndAnotherBringsItBack() {
        World world;
        QVERIFY(world.openSample());
        const std::size_t prune = stepNamed(world, "prune-backward");
        const auto row = [&] { return world.window.steps().model().index(static_cast<int>(prune) + 1, 0); };
        const std::uint64_t pruned = world.document().history()->steps().back().after.nodes;
        clickTick(world.window.steps().view(), row());
        QVERIFY(!world.document().session()->recipe().steps[prune].isOn);
        QVERIFY(world.settle());
        QVERIFY(world.document().history()->steps().back().after.nodes > pruned);
        QCOMPARE(row().data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
        clickTick(world.window.steps().view(), row());
        QVERIFY(world.settle());
        QVERIFY(world.document().session()->recipe().steps[prune].isOn);
        QCOMPARE(world.document().history()->steps().back().after.nodes, pruned);
    }

    void aClickOnAStepLooksAtItWithoutEditing() {
        World world;
        QVERIFY(world.openSample());
        QTreeView& view = world.window.steps().view();
        const QModelIndex index = world.window.steps().model().index(3, 0);
        const QRect row = view.visualRect(index);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(row.left() + 90, row.top() + 13));
        QCOMPARE(world.document().cursor(), std::size_t{3});
        QCOMPARE(world.document().selectedStep().value_or(99), std::size_t{2});
        QVERIFY(!world.document().session()->canUndo());
    }

    void aRewriteBelowAStepIsUntickedByItself() {
        World world;
        QVERIFY(world.openSample());
        const std::size_t prune = stepNamed(world, "prune-backward");
        StepsModel& model = world.window.steps().model();
        const QModelIndex step = model.index(static_cast<int>(prune) + 1, 0);
        world.window.steps().view().setExpanded(step, true);
        QModelIndex rewrite;
        for (int row = 0; row < model.rowCount(step) && !rewrite.isValid(); ++row)
            if (model.kindOf(model.index(row, 0, step)) == StepsModel::Kind::rewrite)
                rewrite = model.index(row, 0, step);
        QVERIFY(rewrite.isValid());
        QVERIFY(rewrite.flags().testFlag(Qt::ItemIsUserCheckable));
        const std::uint64_t all = world.document().history()->steps().back().after.nodes;
        clickTick(world.window.steps().view(), rewrite);
        QVERIFY(world.document().session()->canUndo());
        QVERIFY(world.settle());
        QVERIFY(world.document().session()->recipe().steps[prune].isOn);
        QVERIFY(world.document().history()->steps().back().after.nodes >= all);
        QVERIFY2(world.window.steps().view().isExpanded(
                     world.window.steps().model().index(static_cast<int>(prune) + 1, 0)),
                 "what was unfolded stays unfolded");
    }

    void pointingAtACandidateWithTheMousePreviewsIt() {
        World world;
        QVERIFY(world.open(dataPath("two_heads.training.onnx")));
        auto& chooser = world.window.compareView().chooser();
        QVERIFY(chooser.isVisible());
        const auto rows = chooser.findChildren<QFrame*>(QStringLiteral("candidate"));
        QVERIFY(rows.size() >= 2);
        QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), rows[0]->mapToGlobal(QPointF(5, 5)));
        QApplication::sendEvent(rows[0], &enter);
        const std::size_t first = going(world);
        QVERIFY(first > 0);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(rows[0], &leave);
        QCOMPARE(going(world), std::size_t{0});
        QVERIFY2(!world.document().session()->canUndo(), "pointing is looking");
    }

    void aTypedTargetIsTakenAndAMistypedOneIsNot() {
        World world;
        QVERIFY(world.open(dataPath("two_heads.training.onnx")));
        auto& chooser = world.window.compareView().chooser();
        auto* field = chooser.findChild<QLineEdit*>();
        auto* use = chooser.findChild<QPushButton*>(QStringLiteral("useTargets"));
        QTest::keyClicks(field, QStringLiteral("no_such_value"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(world.document().needsTarget());
        bool isSaid = false;
        for (const auto* label : chooser.findChildren<QLabel*>())
            isSaid =
                isSaid || (label->isVisible() && label->text().contains(QStringLiteral("no_such_value")));
        QVERIFY(isSaid);
        field->clear();
        const Model& model = world.document().original()->file.model;
        const ValueId head = world.document().original()->targets.candidates.front().value;
        QTest::keyClicks(field, qs(model.name(head)));
        QVERIFY(use->isEnabled());
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(world.settle());
        QVERIFY(world.document().history());
        QVERIFY(world.window.compareView().after().isVisible());
    }

    void aLinkOfAMessageIsFollowedByKey() {
        World world;
        QVERIFY(world.openSample());
        world.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&world.window));
        QTest::qWait(1); // lines are laid out when the event loop turns
        QLabel* line = nullptr;
        for (auto* label : world.window.messageBar().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QStringLiteral("Step through"))) line = label;
        QVERIFY(line);
        line->setFocus(Qt::TabFocusReason);
        QTest::keyClick(line, Qt::Key_Tab); // to its first link
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_VERIFY(world.document().selectedStep().has_value());
        QVERIFY(!world.document().session()->canUndo());
    }

    void theCrossOfAMessageTakesItAway() {
        World world;
        QVERIFY(world.openSample());
        QTest::qWait(1);
        const QStringList before = world.window.messageBar().texts();
        QVERIFY(!before.isEmpty());
        QToolButton* cross = nullptr;
        for (auto* button : world.window.messageBar().findChildren<QToolButton*>())
            if (button->isVisible() && !cross) cross = button;
        QVERIFY(cross);
        QTest::mouseClick(cross, Qt::LeftButton);
        QTRY_VERIFY(!world.window.messageBar().texts().contains(before.front()));
    }

    void aDroppedFileOpens() {
        World world;
        QVERIFY(drop(world.window, {QUrl::fromLocalFile(kSample)}));
        QVERIFY(world.settle());
        QCOMPARE(world.document().phase(), Document::Phase::ready);
        QCOMPARE(world.document().path(), kSample);
    }

    void aDroppedFolderWithOneModelOpensIt() {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(kSample, folder.filePath(QStringLiteral("only.onnx"))));
        World world;
        QVERIFY(drop(world.window, {QUrl::fromLocalFile(folder.path())}));
        QVERIFY(world.settle());
        QCOMPARE(world.document().path(), folder.filePath(QStringLiteral("only.onnx")));
    }

    void whatIsNoFileIsNotTaken() {
        World world;
        QVERIFY(!drop(world.window, {QUrl(QStringLiteral("https://example.org/model.onnx"))}));
        QVERIFY(!drop(world.window, {}));
        QCOMPARE(world.document().phase(), Document::Phase::empty);
    }

    void aDropOnUnsavedWorkOpensAnotherWindow() {
        World world;
        QVERIFY(world.openSample());
        world.document().setForOnnxRuntime(true);
        QVERIFY(world.settle());
        const Recipe edited = world.document().session()->recipe();
        QVERIFY(drop(world.window, {QUrl::fromLocalFile(kSample)}));
        MainWindow* other = nullptr;
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* window = qobject_cast<MainWindow*>(widget); window && window != &world.window)
                other = window;
        QVERIFY(other);
        QVERIFY(QTest::qWaitFor([&] { return other->document().isSettled(); }, 60000));
        QCOMPARE(other->document().path(), kSample);
        QVERIFY(world.document().session()->recipe() == edited);
        delete other;
    }

    void theOpenDialogOpensWhatIsTyped() {
        World world;
        world.action(ActionId::open).trigger();
        QVERIFY(giveFile(world.window, kSample));
        QVERIFY(world.settle());
        QCOMPARE(world.document().path(), kSample);
        QCOMPARE(world.document().phase(), Document::Phase::ready);
    }

    void recentFilesAreKeptNewestFirstAndCanBeForgotten() {
        QTemporaryDir folder;
        const QString a = folder.filePath(QStringLiteral("a.onnx")),
                      b = folder.filePath(QStringLiteral("b.onnx"));
        QVERIFY(QFile::copy(kSample, a) && QFile::copy(kSample, b));
        QSettings().clear();
        MainWindow window{WindowOptions{true, false}};
        const auto settle = [&] {
            return QTest::qWaitFor([&] { return window.document().isSettled(); }, 60000);
        };
        const auto recent = [&] {
            QStringList paths;
            QMenu* menu = nullptr;
            for (QMenu* one : window.menus().findChildren<QMenu*>())
                if (one->title() == tx("ui.menu.recent")) menu = one;
            for (QAction* action : menu ? menu->actions() : QList<QAction*>())
                paths.append(action->text());
            return paths;
        };
        QCOMPARE(recent(), QStringList{tx("ui.menu.recent-none")});
        for (const QString& path : {a, b, a}) {
            window.openFile(path);
            QVERIFY(settle());
        }
        QCOMPARE(recent().mid(0, 2), (QStringList{a, b}));
        for (QMenu* menu : window.menus().findChildren<QMenu*>())
            if (menu->title() == tx("ui.menu.recent")) menu->actions().at(1)->trigger();
        QVERIFY(settle());
        QCOMPARE(window.document().path(), b);
        QCOMPARE(recent().front(), b);
        MainWindow next{WindowOptions{true}};
        QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList(), (QStringList{b, a}));
        for (QMenu* menu : window.menus().findChildren<QMenu*>())
            if (menu->title() == tx("ui.menu.recent")) menu->actions().last()->trigger();
        QCOMPARE(recent(), QStringList{tx("ui.menu.recent-none")});
    }

    void aClickOnAProblemSelectsItsNode() {
        World world;
        QVERIFY(world.open(QStringLiteral(SECATEUR_TEST_DATA "/cli/duplicate_value.onnx")));
        world.window.findChild<QDockWidget*>(QStringLiteral("problemsDock"))->raise();
        QTest::qWait(1);
        QListView& view = world.window.problems().view();
        const QAbstractItemModel& model = *view.model();
        for (int row = 0; row < model.rowCount(); ++row) {
            const QVariant key = model.index(row, 0).data(ProblemsModel::kKeyRole);
            if (!key.isValid()) continue;
            QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                              view.visualRect(model.index(row, 0)).center());
            QCOMPARE(world.selection(), std::vector<std::uint32_t>{key.toUInt()});
            return;
        }
        QFAIL("no problem is about a node");
    }

    void f8WalksWhatChangesAndShiftF8Back() {
        World world;
        QVERIFY(world.openSample());
        world.action(ActionId::nextChange).trigger();
        const auto first = world.selection();
        QCOMPARE(first.size(), std::size_t{1});
        world.action(ActionId::nextChange).trigger();
        QVERIFY(world.selection() != first);
        world.action(ActionId::previousChange).trigger();
        QCOMPARE(world.selection(), first);
    }

    void f3WalksTheHits() {
        World world;
        QVERIFY(world.openSample());
        QTest::keyClicks(&world.window.findField(), QStringLiteral("matmul"));
        world.action(ActionId::findNext).trigger();
        const auto first = world.selection();
        world.action(ActionId::findNext).trigger();
        const auto second = world.selection();
        QVERIFY(!first.empty() && !second.empty() && first != second);
        world.action(ActionId::findPrevious).trigger();
        QCOMPARE(world.selection(), first);
    }

    void namesAndTheSummaryAreCopied() {
        World world;
        QVERIFY(world.openSample());
        const std::uint32_t key = world.keyOf("Gelu");
        world.document().select({key});
        world.action(ActionId::copyName).trigger();
        QCOMPARE(QApplication::clipboard()->text(),
                 qs(world.document().original()->file.model.name(NodeId(key))));
        world.action(ActionId::copySummary).trigger();
        QCOMPARE(QApplication::clipboard()->text(), world.window.summary().text());
    }

    void theThemeIsChangedFromTheMenu() {
        World world;
        QVERIFY(world.openSample());
        world.action(ActionId::themeDark).trigger();
        QCOMPARE(currentTheme(), ThemeKind::dark);
        const QImage image = world.window.grab().toImage();
        QCOMPARE(
            image.pixelColor(world.before().mapTo(&world.window, QPoint(4, world.before().height() / 2))),
            themeColorOf(ThemeKind::dark, {ThemeRole::canvas, Shade::solid}));
        world.action(ActionId::themeLight).trigger();
        QCOMPARE(currentTheme(), ThemeKind::light);
    }

    void closedDocksComeBackWithTheLayout() {
        World world;
        QVERIFY(world.openSample());
        auto* dock = world.window.findChild<QDockWidget*>(QStringLiteral("stepsDock"));
        dock->toggleViewAction()->trigger();
        QVERIFY(!dock->isVisible());
        world.action(ActionId::resetLayout).trigger();
        QTRY_VERIFY(dock->isVisible());
    }

  private:
    QTemporaryDir m_settings;
};

QTEST_MAIN(TestHands)
#include "tst_hands.moc"
