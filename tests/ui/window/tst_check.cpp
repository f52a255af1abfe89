// SPDX-License-Identifier: Apache-2.0
//
// The check: the result beside the original, in a process of its own, from the window.
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/passes/registry.h"
#include "tests/support/swap_operands_pass.h"
#endif
#include "tests/ui/support/world.h"
#include "ui/app_state/check.h"
#include "ui/report/exports.h"
#include "ui/steps/steps_model.h"
#include "ui/steps/steps_panel.h"
#include "ui/window/message_bar.h"
#include "ui/window/summary_strip.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>
#include <QUrl>

#include <vector>

using namespace secateur;
using secateur::testing::World;

namespace {

/// A graph with a Dropout that draws masks, and a loss.
constexpr const char* kTraining = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 8] x, int64[4] labels) => (float[4, 8] logits, float loss)
<float[8, 8] w = {1,0,0,0,0,0,0,2, 0,1,0,0,0,0,2,0, 0,0,1,0,0,2,0,0, 0,0,0,1,2,0,0,0,
                  0,0,0,2,1,0,0,0, 0,0,2,0,0,1,0,0, 0,2,0,0,0,0,1,0, 2,0,0,0,0,0,0,1}>
{
    half = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()
    h = MatMul(x, w)
    dropped, mask = Dropout<seed = 1>(h, half, on)
    logits = Relu(dropped)
    loss = SoftmaxCrossEntropyLoss(logits, labels)
})";

bool runCheck(World& world) {
    world.action(ActionId::check).trigger();
    return QTest::qWaitFor([&] { return !world.window.check().isRunning(); }, 60000);
}

/// Follows a link of what the check says.
bool follow(World& world, const QString& link) {
    for (const BarMessage& message : world.document().messages()) {
        if (message.key != QStringLiteral("check")) continue;
        for (const auto& each : message.links) {
            if (each.text != link) continue;
            const auto run = each.run; // which may dismiss the message
            run();
            return true;
        }
    }
    return false;
}

/// Until there is a verdict that nobody asked for, or a reason to wait.
bool checkedByItself(World& world) {
    return QTest::qWaitFor(
        [&] { return world.window.check().verdict() || world.window.check().waitsForSeconds() > 0; }, 60000);
}

/// An .npy file of floats.
QString putNumbers(const QTemporaryDir& folder, const char* name, const std::vector<float>& numbers,
                   const QByteArray& shape) {
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header = header.leftJustified(117, ' ') + '\n';
    QFile file(folder.filePath(QLatin1String(name)));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(QByteArray("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header);
    file.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<qint64>(numbers.size() * sizeof(float)));
    return file.fileName();
}

void drop(World& world, const QStringList& paths) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths)
        urls.append(QUrl::fromLocalFile(path));
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(100, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&world.window, &enter);
    QDropEvent event(QPointF(100, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&world.window, &event);
}

std::size_t stepOf(World& world, const char* pass) {
    const auto& steps = world.document().session()->recipe().steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].pass == pass) return i;
    return steps.size();
}

QString stepData(World& world, const char* pass, int role) {
    const int row = static_cast<int>(stepOf(world, pass)) + 1;
    StepsModel& model = world.window.steps().model();
    return model.data(model.index(row, 0), role).toString();
}

} // namespace

class TestCheck : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        static const testing::SwapOperandsPass kWrong(false);
        registerPass(kWrong);
        qputenv("SECATEUR_PYTHON", "/nonexistent/python"); // the same on every machine
    }

    void beforeAnyModelItCannotBeAsked() {
        World world;
        QVERIFY(!world.action(ActionId::check).isEnabled());
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check not run")));
    }

    void theVerdictStandsInTheSummary() {
        World world;
        QVERIFY(world.openText(kTraining));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check now")));
        QVERIFY(runCheck(world));
        QVERIFY2(world.window.summary().text().contains(QStringLiteral("Same bits on 9 inputs")),
                 qPrintable(world.window.summary().text()));
        QVERIFY(world.window.check().details().contains(QStringLiteral("the original in evaluation mode")));
    }

    void eachStepThatChangedSomethingShowsItsVerdict() {
        World world;
        QVERIFY(world.openText(kTraining));
        QCOMPARE(stepData(world, "bypass-dropout", StepsModel::verdictRole), QString());
        QVERIFY(runCheck(world));
        QCOMPARE(stepData(world, "bypass-dropout", StepsModel::verdictRole),
                 QStringLiteral("Same bits on 9 inputs"));
        QCOMPARE(stepData(world, "drop-loss", StepsModel::verdictRole), QStringLiteral("Exact by rule"));
        QCOMPARE(stepData(world, "drop-optimizer", StepsModel::verdictRole), QString());
        const QString tip = stepData(world, "bypass-dropout", Qt::ToolTipRole);
        QVERIFY2(tip.contains(QStringLiteral("Secateur reference kernels")) &&
                     tip.contains(QStringLiteral("the original in evaluation mode")),
                 qPrintable(tip));
        QVERIFY(stepData(world, "bypass-dropout", Qt::AccessibleTextRole)
                    .contains(QStringLiteral("Same bits on 9 inputs")));
        QVERIFY(world.window.check().details().contains(
            QStringLiteral("the change from training to evaluation mode moves outputs by up to")));
        QVERIFY(world.window.check().details().contains(QStringLiteral("/nonexistent/python")));
        world.document().setStepOn(stepOf(world, "drop-loss"), false);
        QVERIFY(world.settle());
        QCOMPARE(stepData(world, "bypass-dropout", StepsModel::verdictRole), QString());
    }

    void aWrongStepIsMarked() {
        World world;
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["" : 17]>
            g (float[4] x, float[4] z) => (float[4] y) { b = Sub(x, z) y = Neg(b) })"));
        world.document().setStepOn(stepOf(world, "swap-operands"), true);
        QVERIFY(world.settle());
        QVERIFY(runCheck(world));
        QVERIFY(stepData(world, "swap-operands", StepsModel::verdictRole)
                    .startsWith(QStringLiteral("Differs at `b`")));
        QCOMPARE(stepData(world, "swap-operands", StepsModel::verdictMarkRole).toInt(),
                 static_cast<int>(StepsModel::Mark::differs));
    }

    void aModelThatFailedItsCheckIsOnlyWrittenWhenAsked() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["" : 17]>
            g (float[4] x, float[4] z) => (float[4] y) { b = Sub(x, z) y = Neg(b) })"));
        world.document().setStepOn(stepOf(world, "swap-operands"), true);
        QVERIFY(world.settle());
        const QString path = folder.filePath(QStringLiteral("wrong.onnx"));
        const Check& check = world.window.check();
        exportModel(world.document(), path, check.verdictAtCursor());
        QVERIFY(world.settle());
        QVERIFY2(world.says("Not checked"), qPrintable(world.allSaid()));
        QVERIFY(QFile::remove(path));
        QVERIFY(runCheck(world));
        exportModel(world.document(), path, check.verdictAtCursor());
        QVERIFY(world.settle());
        QVERIFY2(!QFile::exists(path), "nothing is written before somebody says so");
        QVERIFY2(world.says("The check of this model failed: Differs at") && world.says("was not written"),
                 qPrintable(world.allSaid()));
        // The question is about the model that was checked: it does not wait for another one.
        world.document().lookAt(0);
        QVERIFY2(!world.says("was not written"), qPrintable(world.allSaid()));
        world.document().lookAtEnd();
        exportModel(world.document(), path, check.verdictAtCursor());
        QVERIFY(world.settle());
        QVERIFY(world.window.messageBar().trigger(QStringLiteral("Write it all the same")));
        QVERIFY(world.settle());
        QVERIFY(QFile::exists(path));
        QVERIFY2(world.says("IR 8. Differs at") && !world.says("was not written"),
                 qPrintable(world.allSaid()));
    }

    void whatTheCheckFoundIsSaidWithTheExport() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openText(kTraining));
        QVERIFY(runCheck(world));
        exportModel(world.document(), folder.filePath(QStringLiteral("right.onnx")),
                    world.window.check().verdictAtCursor());
        QVERIFY(world.settle());
        QVERIFY2(world.says("Same bits on 9 inputs."), qPrintable(world.allSaid()));
        world.document().lookAt(0); // the original, which nothing was held against
        QVERIFY(!world.window.check().verdictAtCursor());
    }

    void aSmallModelIsCheckedByItselfAndAgainAfterAnEdit() {
        World world(true);
        QVERIFY(world.action(ActionId::autoCheck).isChecked());
        QVERIFY(world.openText(kTraining));
        QVERIFY(checkedByItself(world));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Same bits on 9 inputs")));
        world.document().setStepOn(stepOf(world, "bypass-dropout"), false);
        QVERIFY(!world.window.check().verdict());
        QVERIFY(world.settle());
        QVERIFY(checkedByItself(world));
        QVERIFY(world.says("Differs at `dropped`"));
        world.document().undo();
        QVERIFY(world.settle());
        QVERIFY(checkedByItself(world));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Same bits on 9 inputs")));
    }

    void theMenuTurnsItOff() {
        World world(true);
        world.action(ActionId::autoCheck).setChecked(false);
        QVERIFY(world.openText(kTraining));
        QTest::qWait(800); // longer than a check waits for quiet
        QVERIFY(!world.window.check().isRunning() && !world.window.check().verdict());
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check now")));
    }

    void anEditEndsACheckThatBeganByItself() {
        World world(true);
        QVERIFY(world.openText(kTraining));
        QVERIFY(QTest::qWaitFor([&] { return world.window.check().isRunning(); }, 10000));
        world.document().setStepOn(stepOf(world, "drop-loss"), false);
        QVERIFY(!world.window.check().isRunning());
        QVERIFY(!world.window.check().verdict());
    }

    void aLargeModelSaysWhyItWaits() {
        World world(true);
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["" : 17]>
            g (float[2000, 2000] x, int64[2000] labels) => (float[2000, 2000] logits, float loss) {
                half = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()
                a = MatMul(x, x)
                d, m = Dropout<seed = 1>(a, half, on)
                logits = Relu(d)
                loss = SoftmaxCrossEntropyLoss(logits, labels)
            })"));
        QVERIFY(checkedByItself(world));
        QVERIFY(!world.window.check().verdict());
        const QString strip = world.window.summary().text();
        QVERIFY2(strip.contains(QStringLiteral("Check not run, about ")), qPrintable(strip));
        QVERIFY(strip.contains(QStringLiteral("Check now")));
        QVERIFY(world.window.check().details().contains(QStringLiteral("is estimated to take")));
    }

    void droppedInputsAreCheckedOn() {
        World world;
        QVERIFY(world.openText(kTraining));
        QTemporaryDir folder;
        drop(world, {putNumbers(folder, "x.npy", std::vector<float>(32, 1.5F), "(4, 8)")});
        QVERIFY2(world.says("Checks run on your own inputs, too: `x`"), qPrintable(world.allSaid()));
        QVERIFY(QTest::qWaitFor([&] { return !world.window.check().isRunning(); }, 60000));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Same bits on 10 inputs")));
        QVERIFY(world.window.check().details().contains(QStringLiteral("own inputs: `x`")));
    }

    void droppedInputsThatDoNotFitAreAnsweredInWords() {
        World world;
        QVERIFY(world.openText(kTraining));
        QTemporaryDir folder;
        drop(world, {putNumbers(folder, "cat.npy", {1, 2}, "(2,)")});
        QVERIFY(world.says("cat.npy") && world.says("`x`") && world.says("`labels`"));
        drop(world, {putNumbers(folder, "x.npy", {1, 2}, "(2,)")});
        QVERIFY(QTest::qWaitFor([&] { return !world.window.check().isRunning(); }, 60000));
        QVERIFY(world.says("could not be checked"));
        QVERIFY(world.says("float[4,8]") && world.says("float[2]"));
    }

    void anEditOfTheRecipeForgetsTheVerdict() {
        World world;
        QVERIFY(world.openText(kTraining));
        QVERIFY(runCheck(world));
        QVERIFY(world.window.check().verdict());
        world.document().setStepOn(stepOf(world, "drop-loss"), false);
        QVERIFY(!world.window.check().verdict());
        QVERIFY(world.settle());
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check not run")));
    }

    void aResultThatStillDrawsMasksIsCaughtAndLocated() {
        World world;
        QVERIFY(world.openText(kTraining));
        world.document().setStepOn(stepOf(world, "bypass-dropout"), false);
        QVERIFY(world.settle());
        QVERIFY(runCheck(world));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Differs at `dropped`")));
        QVERIFY(world.says("Differs at `dropped`"));
        for (const BarMessage& message : world.document().messages())
            if (message.key == QStringLiteral("check")) message.links.front().run();
        QCOMPARE(world.selection(), std::vector<std::uint32_t>{world.keyOf("Dropout")});
    }

    void aWrongRewriteIsFoundAndLeftOutAndCanBePutBack() {
        World world;
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["" : 17]>
            g (float[4] x, float[4] z) => (float[4] y) {
                a = Add(x, z)
                b = Sub(a, z)
                y = Mul(a, b)
            })"));
        const std::size_t wrong = stepOf(world, "swap-operands");
        world.document().setStepOn(wrong, true);
        QVERIFY(world.settle());
        QVERIFY(runCheck(world));
        QVERIFY(world.says("Differs at `b`"));
        QVERIFY(follow(world, QStringLiteral("Find the rewrite")));
        QVERIFY(QTest::qWaitFor([&] { return !world.window.check().isRunning(); }, 60000));
        QVERIFY(world.settle());
        QVERIFY(world.says("Left out now, and checked again: Same bits on 9 inputs"));
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Same bits on 9 inputs")));
        const auto& skipped = world.document().session()->recipe().steps[wrong].skippedRewrites;
        QCOMPARE(skipped.size(), std::size_t{1});
        QVERIFY2(skipped.begin()->find("b") != std::string::npos, skipped.begin()->c_str());
        QVERIFY(follow(world, QStringLiteral("Put it back")));
        QVERIFY(world.settle());
        QVERIFY(world.document().session()->recipe().steps[wrong].skippedRewrites.empty());
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check not run")));
    }

    void aReportTellsTheVerdict() {
        World world;
        QVERIFY(world.openText(kTraining));
        QVERIFY(runCheck(world));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("r.md"));
        exportReport(world.document(), path, world.window.check().verdict());
        QVERIFY(QTest::qWaitFor([&] { return world.document().isSettled() && QFile::exists(path); }, 20000));
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray text = written.readAll();
        QVERIFY(text.contains("Same bits on 9 inputs"));
        QVERIFY(!text.contains("Not checked"));
    }

    void whatCannotRunSaysWhy() {
        World world;
        QVERIFY(world.openText(R"(<ir_version: 8, opset_import: ["" : 17, "strange" : 1]>
            g (float[4] x) => (float[4] y) { y = strange.Thing(x) })"));
        QVERIFY(runCheck(world));
        QVERIFY(world.window.check().verdict());
        QCOMPARE(world.window.check().verdict()->status, Verification::Status::notChecked);
        QVERIFY(world.says("could not be checked"));
        QVERIFY(world.says("strange.Thing"));
    }

    void cancellingLeavesNoVerdict() {
        World world;
        QVERIFY(world.openSample()); // large enough to take seconds
        world.action(ActionId::check).trigger();
        QVERIFY(world.window.check().isRunning());
        QVERIFY(world.window.summary().text().contains(QStringLiteral("Check running")));
        QTest::qWait(200);
        world.action(ActionId::cancelWork).trigger();
        QVERIFY(QTest::qWaitFor([&] { return !world.window.check().isRunning(); }, 5000));
        QVERIFY(!world.window.check().verdict());
    }
};

QTEST_MAIN(TestCheck)
#include "tst_check.moc"
