// SPDX-License-Identifier: Apache-2.0
//
// How long the event loop stands still while a large model is opened, stepped through and selected in.
#include "tests/ui/support/world.h"

#include <QElapsedTimer>
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

/// The budget is 50 ms in a release build; builds that check or do not optimize take several times that.
constexpr double kFailsAtMs = 400;

} // namespace

class TestWatchdog : public QObject {
    Q_OBJECT
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
        Watchdog watchdog;
        QElapsedTimer clock;
        clock.start();
        QVERIFY(world.open(path));
        const qint64 opened = clock.elapsed();
        const Longest opening = watchdog.takeLongest();
        for (const ActionId id : {ActionId::goStart, ActionId::goStep, ActionId::goEnd}) {
            world.action(id).trigger();
            QTest::qWait(50);
        }
        const Longest stepping = watchdog.takeLongest();
        world.document().select({world.document().picture()->unionGraph.graph.nodes.front().key});
        QTest::qWait(50);
        const Longest selecting = watchdog.takeLongest();
        qInfo("open to picture %lld ms; longest turn of the event loop, work (clock): opening %.0f (%.0f), "
              "stepping %.0f (%.0f), "
              "selecting %.0f (%.0f) ms, budget 50",
              opened, opening.work, opening.wall, stepping.work, stepping.wall, selecting.work,
              selecting.wall);
        QVERIFY(qMax(opening.work, qMax(stepping.work, selecting.work)) < kFailsAtMs);
    }
};

QTEST_MAIN(TestWatchdog)
#include "tst_watchdog.moc"
