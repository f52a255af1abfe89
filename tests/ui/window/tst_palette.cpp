// SPDX-License-Identifier: Apache-2.0
//
// Commands and places by key alone.
#include "tests/ui/support/world.h"
#include "ui/window/fuzzy_match.h"
#include "ui/window/palette.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>

using namespace secateur;
using secateur::testing::World;

namespace {

/// A window with an open palette, and the keys that go to it.
struct Opened {
    World world;
    Palette& palette = world.window.commandPalette();

    bool open(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        world.window.activateWindow();
        if (!QTest::qWaitForWindowActive(&world.window)) return false;
        world.before().setFocus();
        QTest::keyClick(&world.before(), key, modifiers);
        return palette.isVisible() && palette.field().hasFocus();
    }
    bool commands() { return open(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier); }
    bool places() { return open(Qt::Key_G, Qt::ControlModifier); }
    void type(const char* text) { QTest::keyClicks(&palette.field(), QLatin1String(text)); }
    void press(Qt::Key key) { QTest::keyClick(&palette.field(), key); }
    [[nodiscard]] QStringList lines() const {
        QStringList texts;
        for (int i = 0; i < palette.list().count(); ++i)
            texts.append(palette.list().item(i)->text());
        return texts;
    }
    [[nodiscard]] QString spoken(int row) const {
        return palette.list().item(row)->data(Qt::AccessibleTextRole).toString();
    }
};

void collect(const QMenu& menu, QList<QAction*>& into) {
    for (QAction* action : menu.actions()) {
        if (action->menu())
            collect(*action->menu(), into);
        else if (!action->isSeparator())
            into.append(action);
    }
}

} // namespace

class TestPalette : public QObject {
    Q_OBJECT
  private slots:
    void wordsMatchByLettersInOrder_data() {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("matches");
        QTest::newRow("all") << ""
                             << "File: Open" << true;
        QTest::newRow("part") << "open"
                              << "File: Open" << true;
        QTest::newRow("case") << "OPEN"
                              << "File: Open" << true;
        QTest::newRow("initials") << "fo"
                                  << "File: Open" << true;
        QTest::newRow("spread") << "expmod"
                                << "File: Export model" << true;
        QTest::newRow("two words in any order") << "model exp"
                                                << "File: Export model" << true;
        QTest::newRow("wrong order") << "nepo"
                                     << "File: Open" << false;
        QTest::newRow("one word of two") << "open zebra"
                                         << "File: Open" << false;
        QTest::newRow("a letter used once") << "oo"
                                            << "File: Open" << false;
    }

    void wordsMatchByLettersInOrder() {
        QFETCH(QString, query);
        QFETCH(QString, text);
        QFETCH(bool, matches);
        QCOMPARE(fuzzyScore(query, text).has_value(), matches);
    }

    void theBetterAnswerComesFirst() {
        const auto score = [](const char* query, const char* text) {
            return fuzzyScore(QLatin1String(query), QLatin1String(text)).value_or(-1);
        };
        QVERIFY(score("undo", "Edit: Undo") > score("undo", "Window: Dock outline"));
        QVERIFY(score("em", "File: Export model") > score("em", "View: Theme"));
        QVERIFY(score("step", "Run: Step") > score("step", "View: Side by side, top"));
    }

    void everyCommandOfTheMenusIsThereWithItsShortcut() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        QList<QAction*> actions;
        for (QAction* top : opened.world.window.menus().actions())
            if (top->menu()) collect(*top->menu(), actions);
        QCOMPARE(opened.palette.list().count(), static_cast<int>(actions.size()));
        for (const ActionInfo& info : actionTable()) {
            QAction* action = opened.world.window.actions()[info.id];
            const auto row = static_cast<int>(actions.indexOf(action));
            QVERIFY2(row >= 0, info.name);
            const QString key = action->shortcut().toString(QKeySequence::NativeText);
            QVERIFY2(opened.spoken(row).contains(key), qPrintable(opened.spoken(row)));
        }
        // Docks are commands as well.
        QVERIFY(!opened.lines().filter(QStringLiteral("Outline")).isEmpty());
    }

    void enterRunsTheFirstAnswerAndGivesTheFocusBack() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        opened.type("overl");
        opened.press(Qt::Key_Return);
        QVERIFY(opened.world.window.compareView().isOverlay());
        QVERIFY(!opened.palette.isVisible());
        QVERIFY(opened.world.before().hasFocus());
    }

    void arrowsWalkAndStopAtTheEnds() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        const QListWidget& list = opened.palette.list();
        QCOMPARE(list.currentRow(), 0);
        opened.press(Qt::Key_Up);
        QCOMPARE(list.currentRow(), 0);
        opened.press(Qt::Key_Down);
        opened.press(Qt::Key_Down);
        QCOMPARE(list.currentRow(), 2);
        for (int i = 0; i < 20; ++i)
            opened.press(Qt::Key_PageDown);
        QCOMPARE(list.currentRow(), list.count() - 1);
        QVERIFY(opened.palette.field().hasFocus());
        // What is current can be seen.
        QVERIFY(list.viewport()->rect().intersects(list.visualItemRect(list.currentItem())));
    }

    void escapeRunsNothing() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        opened.type("overlay");
        opened.press(Qt::Key_Escape);
        QVERIFY(!opened.palette.isVisible());
        QVERIFY(!opened.world.window.compareView().isOverlay());
        QVERIFY(opened.world.before().hasFocus());
    }

    void whatIsOffSaysWhyAndIsNotRun() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        opened.type("undo");
        QVERIFY(!opened.world.action(ActionId::undo).isEnabled());
        const QString reason = opened.world.action(ActionId::undo).toolTip().section(QLatin1Char('\n'), 1);
        QVERIFY(!reason.isEmpty());
        QVERIFY2(opened.spoken(0).contains(reason), qPrintable(opened.spoken(0)));
        opened.press(Qt::Key_Return);
        QVERIFY2(opened.palette.isVisible(), "the reason can be read");
    }

    void ofEqualAnswersTheUsableComeFirst() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        opened.type("step");
        QVERIFY(!opened.world.action(ActionId::goStep).isEnabled());
        bool isOff = false;
        for (int row = 0; row < opened.palette.list().count(); ++row) {
            if (!opened.lines()[row].contains(QStringLiteral("Step"), Qt::CaseInsensitive)) break;
            const bool isUnavailable = opened.spoken(row).contains(QStringLiteral("not available"));
            QVERIFY2(!isOff || isUnavailable, qPrintable(opened.spoken(row)));
            isOff = isUnavailable;
        }
        QVERIFY(isOff);
    }

    void withoutAModelThereIsStillOpening() {
        Opened opened;
        opened.world.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&opened.world.window));
        opened.world.action(ActionId::commands).trigger();
        QVERIFY(opened.palette.isVisible());
        opened.type("sample");
        opened.press(Qt::Key_Return);
        QVERIFY(opened.world.settle());
        QCOMPARE(opened.world.document().phase(), Document::Phase::ready);
    }

    void aNameGoesToItsNode() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.places());
        QCOMPARE(opened.palette.list().count(), 0);
        opened.type("gelugrad");
        opened.press(Qt::Key_Return);
        const std::uint32_t key = opened.world.keyOf("GeluGrad");
        QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{key});
        const Document& document = opened.world.document();
        const Rect rect = nodeRect(document.picture()->unionGraph.graph, *document.layout(), key);
        const Point at = worldToView(opened.world.before().view(), {rect.centerX(), rect.centerY()});
        QVERIFY(opened.world.before().viewport()->rect().contains(static_cast<int>(at.x),
                                                                  static_cast<int>(at.y)));
    }

    void aNumberGoesToTheNodeAtThatPlaceOfTheFile() {
        Opened opened;
        QVERIFY(opened.world.openSample());
        const Model& model = opened.world.document().original()->file.model;
        std::vector<std::uint32_t> order;
        for (const NodeId id : model.nodes(model.mainGraph()))
            order.push_back(id.index);
        for (const char* typed : {"3", "#3"}) {
            QVERIFY(opened.places());
            opened.type(typed);
            opened.press(Qt::Key_Return);
            QCOMPARE(opened.world.selection(), std::vector<std::uint32_t>{order[2]});
            opened.world.document().select({});
        }
        QVERIFY(opened.places());
        opened.type("#99999");
        QCOMPARE(opened.palette.list().count(), 0);
        opened.press(Qt::Key_Return);
        QVERIFY(opened.palette.isVisible());
    }

    void aSmallWindowHoldsItWhole() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        opened.world.window.resize(640, 420);
        QTest::qWait(1);
        QVERIFY(opened.world.window.rect().contains(opened.palette.geometry()));
    }

    void aClickElsewhereClosesIt() {
        Opened opened;
        QVERIFY(opened.world.openSample() && opened.commands());
        const QWidget* canvas = opened.world.before().viewport();
        QTest::mouseClick(opened.world.before().viewport(), Qt::LeftButton, {},
                          QPoint(5, canvas->height() - 20));
        QVERIFY(!opened.palette.isVisible());
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
