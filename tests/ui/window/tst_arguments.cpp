// SPDX-License-Identifier: Apache-2.0
//
// The command line of the window: what is wrong with it is said, with the exit codes of secateur-cli.
#include <QFileInfo>
#include <QImageReader>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Ran {
    int exit = -1;
    QString out, err;
};

Ran run(const QStringList& words) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    // Without a folder of the session Qt says so on standard error, where only our words are expected.
    const QTemporaryDir session;
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), session.path());
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(SECATEUR_WINDOW), words);
    Ran ran;
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return ran;
    ran.exit = process.exitCode();
    ran.out = QString::fromUtf8(process.readAllStandardOutput());
    ran.err = QString::fromUtf8(process.readAllStandardError());
    return ran;
}

const QString kModel = QStringLiteral(SECATEUR_TEST_DATA "/cli/classifier.training.onnx");

} // namespace

class TestArguments : public QObject {
    Q_OBJECT
  private:
    QTemporaryDir m_folder;
    [[nodiscard]] QString picture() const { return m_folder.filePath(QStringLiteral("picture.png")); }

  private slots:
    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const QStringList& words, int exit, const char* said) {
            QTest::newRow(name) << words << exit << QString::fromUtf8(said);
        };
        const QString shot = QStringLiteral("--screenshot"), png = picture();
        row("unknown option", {"--nope"}, 2, "nope");
        row("missing value", {"--theme"}, 2, "--theme");
        row("unknown theme", {"--theme", "pink", "--sample", shot, png}, 2, "no theme `pink`");
        row("no scale", {"--scale", "abc", "--sample", shot, png}, 2, "`abc` is no scale");
        row("no size", {"--size", "12", "--sample", shot, png}, 2, "`12` is no size");
        row("huge size", {"--size", "1440x900000", "--sample", shot, png}, 2, "at most 16384");
        row("size of no picture", {"--size", "800x600", "--sample"}, 2, "--size belongs to --screenshot");
        row("no step", {"--step", "two", "--sample", shot, png}, 2, "`two` is no number");
        row("late step", {"--step", "99", kModel, shot, png}, 2,
            "no step 99: the recipe of this model has 13");
        row("empty picture", {"--sample", shot, ""}, 2, "--screenshot must not be empty");
        row("empty model", {"", shot, png}, 2, "model must not be empty");
        row("two models", {kModel, kModel, shot, png}, 4, "cannot be compared yet");
        row("model and sample", {kModel, "--sample", shot, png}, 2, "not both");
        row("pose of nothing", {"--select", "fc1", shot, png}, 2, "need a model");
        row("mistyped node", {kModel, "--select", "relu_grd", shot, png}, 2,
            "no node called `relu_grd` in the main graph: the nearest names are `relu_Grad`");
        row("node unlike any", {kModel, "--select", "zzzzzzzzzzzz", shot, png}, 2,
            "no node called `zzzzzzzzzzzz`");
        row("no such file", {"/nowhere/model.onnx", shot, png}, 3, "/nowhere/model.onnx");
        row("picture of another kind", {kModel, shot, "x.jpg"}, 2, "`x.jpg` is no PNG");
        row("no such folder", {kModel, shot, "/nowhere/picture.png"}, 2, "/nowhere/picture.png");
    }

    void whatIsWrongIsSaid() {
        QFETCH(QStringList, words);
        QFETCH(int, exit);
        QFETCH(QString, said);
        const Ran ran = run(words);
        QCOMPARE(ran.exit, exit);
        QVERIFY2(ran.err.startsWith(QStringLiteral("error: ")), qPrintable(ran.err));
        QVERIFY2(ran.err.contains(said), qPrintable(ran.err));
        QCOMPARE(ran.err.count(QLatin1Char('\n')), 1);
        QVERIFY(ran.out.isEmpty());
        QVERIFY2(!QFileInfo::exists(picture()), "nothing is written beside an error");
    }

    void theModelIsNeverReplacedByItsPicture() {
        QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("m.png"));
        QVERIFY(QFile::copy(kModel, model));
        const qint64 size = QFileInfo(model).size();
        const Ran ran = run({model, "--screenshot", model});
        QCOMPARE(ran.exit, 2);
        QVERIFY(ran.err.contains(QStringLiteral("is the model that was opened")));
        QCOMPARE(QFileInfo(model).size(), size);
    }

    void aPictureOfASelectedNodeIsTaken() {
        const Ran ran =
            run({kModel, QStringLiteral("--select"), QStringLiteral("hidden_grad"), QStringLiteral("--step"),
                 QStringLiteral("3"), QStringLiteral("--screenshot"), picture()});
        QVERIFY2(ran.exit == 0, qPrintable(ran.err));
        QVERIFY2(ran.err.isEmpty(), qPrintable(ran.err));
        QVERIFY(QFileInfo::exists(picture()));
    }

    void ofAWindowThatIsTooSmallItIsSaidHowLargeThePictureIs() {
        const Ran ran = run({kModel, QStringLiteral("--size"), QStringLiteral("100x50"),
                             QStringLiteral("--screenshot"), picture()});
        QCOMPARE(ran.exit, 0);
        const QSize size = QImageReader(picture()).size();
        QVERIFY(size.width() > 100 && size.height() > 50);
        QVERIFY2(ran.err.contains(QStringLiteral("100x50")), qPrintable(ran.err));
        QVERIFY2(ran.err.contains(QStringLiteral("%1x%2").arg(size.width()).arg(size.height())),
                 qPrintable(ran.err));
    }

    void aStopSignalEndsTheWindowInAnOrderlyWay() {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QTemporaryDir settings;
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), settings.path());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(SECATEUR_WINDOW), {kModel});
        QVERIFY(process.waitForStarted());
        QTest::qWait(2500); // the window stands
        process.terminate();
        QVERIFY(process.waitForFinished(15000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 128 + 15);
    }

    void helpAndVersionGoToStandardOutput() {
        const Ran help = run({QStringLiteral("--help")});
        QCOMPARE(help.exit, 0);
        for (const char* word : {"--screenshot", "--select", "--sample", "model"})
            QVERIFY2(help.out.contains(QLatin1String(word)), word);
        const Ran version = run({QStringLiteral("--version")});
        QCOMPARE(version.exit, 0);
        QVERIFY(version.out.startsWith(QStringLiteral("secateur ")));
    }
};

QTEST_GUILESS_MAIN(TestArguments)
#include "tst_arguments.moc"
