// SPDX-License-Identifier: Apache-2.0
//
// How long the event loop stands still while a large model is opened, stepped through and selected in.
#include "tests/ui/support/world.h"

#include <QElapsedTimer>
#include <QTimer>

using namespace secateur;
using secateur::testing::World;
using secateur::testing::collectionModel;

namespace {

/// Longest time between two turns of the event loop, in milliseconds.
class Watchdog : public QObject {
  public:
    Watchdog() {
        m_clock.start();
        connect(&m_timer, &QTimer::timeout, this, [this] { m_longest = qMax(m_longest, m_clock.restart()); });
        m_timer.start(0);
    }
    qint64 takeLongest() {
        const qint64 longest = m_longest;
        m_longest = 0;
        m_clock.restart();
        return longest;
    }

  private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

/// Generous against a busy machine; the budget of 50 ms is printed beside what was measured.
constexpr qint64 kFailsAtMs = 1000;

} // namespace

class TestWatchdog : public QObject {
    Q_OBJECT
  private slots:
    void theEventLoopKeepsTurning_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("sample") << QStringLiteral(SECATEUR_SOURCE_DIR "/resources/samples/mlp_gelu.training.onnx");
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
        const qint64 opened = clock.elapsed(), opening = watchdog.takeLongest();
        world.action(ActionId::goStart).trigger();
        QTest::qWait(50);
        world.action(ActionId::goStep).trigger();
        QTest::qWait(50);
        world.action(ActionId::goEnd).trigger();
        QTest::qWait(50);
        const qint64 stepping = watchdog.takeLongest();
        world.document().select({world.document().picture()->unionGraph.graph.nodes.front().key});
        QTest::qWait(50);
        const qint64 selecting = watchdog.takeLongest();
        qInfo("open to picture %lld ms; event loop at most %lld ms while opening, %lld while stepping, %lld while selecting (budget 50)",
              opened, opening, stepping, selecting);
        QVERIFY(qMax(opening, qMax(stepping, selecting)) < kFailsAtMs);
    }
};

QTEST_MAIN(TestWatchdog)
#include "tst_watchdog.moc"
