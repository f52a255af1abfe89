// SPDX-License-Identifier: Apache-2.0
//
// How long the event loop stands still while a large model is opened, stepped through and selected in.
#include "tests/ui/support/world.h"
#include "ui/inspector/find_field.h"
#include "ui/report/nodes_model.h"
#include "ui/report/nodes_panel.h"

#include <QElapsedTimer>
#include <QTableView>
#include <QTimer>

#include <time.h>

using namespace secateur;
using secateur::testing::collectionModel;
using secateur::testing::World;

namespace {

/// Longest stretch between two turns of the event loop in milliseconds: on the clock, and of work of this
/// thread alone, which a busy machine does not lengthen.
struct Longest {
    double wall = 0, work = 0;
};

class Watchdog : public QObject {
  public:
    Watchdog() {
        connect(&m_timer, &QTimer::timeout, this, [this] { turn(); });
        m_timer.start(0);
        restart();
    }
    Longest takeLongest() {
        turn();
        const Longest longest = m_longest;
        m_longest = {};
        return longest;
    }

  private:
    static double threadMs() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }
    void turn() {
        m_longest.wall = qMax(m_longest.wall, static_cast<double>(m_clock.nsecsElapsed()) / 1e6);
        m_longest.work = qMax(m_longest.work, threadMs() - m_workAt);
        restart();
    }
    void restart() {
        m_clock.start();
        m_workAt = threadMs();
    }

    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_workAt = 0;
    Longest m_longest;
};

/// Of a release build. Builds that check or do not optimize take several times that: there the figures are
/// printed only.
constexpr double kBudgetMs = 50;
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kIsRelease = true;
#else
constexpr bool kIsRelease = false;
#endif

} // namespace

class TestWatchdog : public QObject {
    Q_OBJECT
  private:
    /// Prints the longest turn since the last call; in a release build it has to be within the budget.
    static bool isWithinBudget(Watchdog& watchdog, const char* what) {
        const Longest longest = watchdog.takeLongest();
        qInfo("%-22s longest turn of the event loop %4.0f ms of work (%.0f on the clock), budget %.0f", what,
              longest.work, longest.wall, kBudgetMs);
        return !kIsRelease || longest.work <= kBudgetMs;
    }

  private slots:
    void theEventLoopKeepsTurning_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("sample") << QStringLiteral(SECATEUR_SOURCE_DIR
                                                  "/resources/samples/mlp_gelu.training.onnx");
        for (const char* name : {"transformer", "transformer48.adamw.step"})
            if (const QString path = collectionModel(name); !path.isEmpty()) QTest::newRow(name) << path;
    }

    void theEventLoopKeepsTurning() {
        QFETCH(QString, path);
        World world;
        QTest::qWait(20); // the window's own first painting has a budget of its own
        Watchdog watchdog;
        QElapsedTimer clock;
        clock.start();
        QVERIFY(world.open(path));
        qInfo("open to picture %lld ms", clock.elapsed());
        bool isGood = isWithinBudget(watchdog, "opening");
        for (const ActionId id : {ActionId::goStart, ActionId::goStep, ActionId::goEnd}) {
            world.action(id).trigger();
            QTest::qWait(20);
            isGood = isWithinBudget(watchdog, "stepping") && isGood;
        }
        const auto& nodes = world.document().picture()->unionGraph.graph.nodes;
        world.document().select({nodes[nodes.size() / 2].key});
        QTest::qWait(20);
        isGood = isWithinBudget(watchdog, "selecting") && isGood;
        world.before().zoomBy(0.2);
        QTest::qWait(20);
        world.before().fitAll();
        QTest::qWait(20);
        isGood = isWithinBudget(watchdog, "zooming") && isGood;
        for (const char key : {'m', 'a', 't'}) {
            QTest::keyClick(&world.window.findField(), key);
            QTest::qWait(5);
        }
        isGood = isWithinBudget(watchdog, "searching") && isGood;
        NodesPanel& nodesPanel = world.window.nodes();
        nodesPanel.view().sortByColumn(NodesModel::reasonColumn, Qt::DescendingOrder);
        QVERIFY(QTest::qWaitFor([&] { return !nodesPanel.model().isArranging(); }));
        isGood = isWithinBudget(watchdog, "sorting the table") && isGood;
        nodesPanel.model().setFilter(QStringLiteral("matmul removed"));
        QVERIFY(QTest::qWaitFor([&] { return !nodesPanel.model().isArranging(); }));
        isGood = isWithinBudget(watchdog, "filtering the table") && isGood;
        world.document().setAllExpanded(true);
        QVERIFY(world.settle());
        isGood = isWithinBudget(watchdog, "opening all groups") && isGood;
        world.document().setStepOn(0, false);
        QVERIFY(world.settle());
        isGood = isWithinBudget(watchdog, "running the recipe") && isGood;
        world.window.openSample();
        QVERIFY(world.settle());
        isGood = isWithinBudget(watchdog, "closing the model") && isGood;
        QVERIFY2(isGood, "the event loop stood still for longer than the budget: see above");
    }
};

QTEST_MAIN(TestWatchdog)
#include "tst_watchdog.moc"
