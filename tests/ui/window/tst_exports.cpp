// SPDX-License-Identifier: Apache-2.0
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/ir/walk.h"
#include "core/onnx/load.h"
#include "core/picture/export_picture.h"
#include "core/report/pictures.h"
#include "core/session/history.h"
#endif
#include "core/support/file_names.h"
#include "tests/ui/support/world.h"
#include "ui/report/exports.h"
#include "ui/window/message_bar.h"

#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace secateur;
using secateur::testing::World;

namespace {

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestExports : public QObject {
    Q_OBJECT
  private slots:
    void theExportedModelHasTheNodesThatTheSummaryPromises() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        const QString path = folder.filePath(QStringLiteral("out.inference.onnx"));
        exportModel(world.document(), path);
        QVERIFY(world.settle());
        const auto loaded = loadModel(path.toStdString());
        QVERIFY(loaded.ok());
        QCOMPARE(countNodes(loaded->model), world.document().history()->steps().back().after.nodes);
        QVERIFY(world.window.messageBar()
                    .texts()
                    .join(QLatin1Char(' '))
                    .contains(QStringLiteral("out.inference.onnx")));
    }

    void exportInTheMiddleWritesThatMoment() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        world.document().lookAt(0);
        const QString path = folder.filePath(QStringLiteral("start.onnx"));
        exportModel(world.document(), path);
        QVERIFY(world.settle());
        QCOMPARE(contents(path).size() > 0, true);
        const auto loaded = loadModel(path.toStdString());
        QVERIFY(loaded.ok());
        QCOMPARE(countNodes(loaded->model), world.document().original()->metrics.nodes);
    }

    void theOpenedFileIsNeverWritten() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("model.onnx"));
        QVERIFY(QFile::copy(QStringLiteral(SECATEUR_SOURCE_DIR "/resources/samples/mlp_gelu.training.onnx"),
                            path));
        World world;
        QVERIFY(world.open(path));
        const QByteArray before = contents(path);
        exportModel(world.document(), path);
        QVERIFY(world.settle());
        QCOMPARE(contents(path), before);
        QVERIFY(world.window.messageBar().texts().front().contains(QStringLiteral("never written")));
    }

    void whatHasTwoMeaningsIsShownAndNotExported() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.open(QStringLiteral(SECATEUR_TEST_DATA "/cli/duplicate_value.onnx")));
        QVERIFY(world.document().picture());
        const QString path = folder.filePath(QStringLiteral("out.onnx"));
        exportModel(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(!QFile::exists(path));
        QVERIFY(world.window.messageBar()
                    .texts()
                    .join(QLatin1Char(' '))
                    .contains(QStringLiteral("is defined twice")));
    }

    void thePictureIsAnSvgOfThePane() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        const QString path = folder.filePath(QStringLiteral("picture.svg"));
        exportPicture(world.document(), path, Pane::before, ColorMode::kind);
        QVERIFY(world.settle());
        const QByteArray svg = contents(path);
        QVERIFY(svg.contains("<svg"));
        QVERIFY(svg.contains("MatMul"));
    }

    void thePictureIsPaintedAsPixelsOrPagesByItsEnding() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        const QString png = folder.filePath(QStringLiteral("p.png")),
                      pdf = folder.filePath(QStringLiteral("p.pdf"));
        exportPicture(world.document(), png, Pane::before, ColorMode::kind);
        QVERIFY(world.settle());
        QVERIFY(QImage(png).width() > 100);
        exportPicture(world.document(), pdf, Pane::before, ColorMode::kind);
        QVERIFY(world.settle());
        QVERIFY(contents(pdf).startsWith("%PDF-"));
    }

    void thePictureHasTheBytesThatTheCommandLineWrites() {
        QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("sample.onnx"));
        QVERIFY(QFile::copy(QStringLiteral(SECATEUR_SOURCE_DIR "/resources/samples/mlp_gelu.training.onnx"),
                            model));
        World world;
        QVERIFY(world.open(model));
        const auto original = openOriginal(model.toStdString());
        QVERIFY(original.ok());
        auto history = History::run(*original, conversionRecipe());
        QVERIFY(history.ok());
        const GraphPicture picture(**original, &*history);
        for (const Pane pane : {Pane::before, Pane::after, Pane::overlay}) {
            const QString path = folder.filePath(QStringLiteral("p.svg"));
            world.document().select({3}); // looking at something does not change the picture
            exportPicture(world.document(), path, pane, ColorMode::kind);
            QVERIFY(world.settle());
            ExportOptions options;
            options.pane = pane;
            options.title = modelTitle(model.toStdString());
            QCOMPARE(contents(path), QByteArray::fromStdString(picture.svg(options)));
            const QString dot = folder.filePath(QStringLiteral("p.dot"));
            exportPicture(world.document(), dot, pane, ColorMode::kind);
            QVERIFY(world.settle());
            QCOMPARE(contents(dot), QByteArray::fromStdString(picture.dot(options)));
        }
    }

    void theWholePictureHasEveryGroupOpen() {
        QTemporaryDir folder;
        const QString model = testing::collectionModel("transformer48.exported");
        if (model.isEmpty()) QSKIP("no models beside the sources");
        World world;
        QVERIFY(world.open(model));
        const QString shown = folder.filePath(QStringLiteral("shown.svg")),
                      whole = folder.filePath(QStringLiteral("whole.svg"));
        exportPicture(world.document(), shown, Pane::before, ColorMode::kind);
        QVERIFY(world.settle());
        exportPicture(world.document(), whole, Pane::before, ColorMode::kind, true);
        QVERIFY(world.settle());
        QVERIFY(!contents(shown).contains(">Softmax<"));
        const auto original = openOriginal(model.toStdString());
        QVERIFY(original.ok());
        auto history = History::run(*original, conversionRecipe());
        QVERIFY(history.ok());
        GraphPicture picture(**original, &*history);
        QVERIFY(picture.open({"all"}).ok());
        ExportOptions options;
        options.title = modelTitle(model.toStdString());
        QCOMPARE(contents(whole), QByteArray::fromStdString(picture.svg(options)));
        QVERIFY(contents(whole).contains(">Softmax<"));
    }

    void anEndingThatIsNoPictureIsRefused() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        for (const char* name : {"p.gif", "p"}) {
            exportPicture(world.document(), folder.filePath(QLatin1String(name)), Pane::before,
                          ColorMode::kind);
            QVERIFY(world.settle());
            QVERIFY(!QFile::exists(folder.filePath(QLatin1String(name))));
            QVERIFY(world.says("give the file one of these endings"));
        }
    }

    void theExportedAfterHasNoHoles() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        const QString path = folder.filePath(QStringLiteral("p.svg"));
        exportPicture(world.document(), path, Pane::after, ColorMode::kind);
        QVERIFY(world.settle());
        QVERIFY(contents(path).contains("<svg"));
        QVERIFY(!contents(path).contains("stroke-dasharray:1 3"));
    }

    /// What the dialog of an action gives, typed as a person does: the export happens, and says so.
    void theMenuAsksForAFileAndWritesIt_data() {
        QTest::addColumn<int>("action");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("written");
        const QString none;
        const auto id = [](ActionId action) { return static_cast<int>(action); };
        QTest::newRow("model") << id(ActionId::exportModel) << "m" << none << "m.onnx";
        QTest::newRow("picture") << id(ActionId::exportPicture) << "p" << none << "p.svg";
        QTest::newRow("pdf") << id(ActionId::exportPicture) << "p"
                             << "PDF (*.pdf)"
                             << "p.pdf";
        QTest::newRow("png") << id(ActionId::exportPicture) << "p"
                             << "PNG pictures (*.png)"
                             << "p.png";
        QTest::newRow("dot") << id(ActionId::exportPicture) << "p"
                             << "Graphviz (*.dot)"
                             << "p.dot";
        QTest::newRow("dot by name") << id(ActionId::exportPicture) << "q.dot" << none << "q.dot";
        QTest::newRow("report") << id(ActionId::exportReport) << "r" << none << "r.html";
        QTest::newRow("markdown") << id(ActionId::exportReport) << "r"
                                  << "Markdown (*.md)"
                                  << "r.md";
        QTest::newRow("recipe") << id(ActionId::saveRecipe) << "r" << none << "r.recipe.json";
    }

    void theMenuAsksForAFileAndWritesIt() {
        QFETCH(int, action);
        QFETCH(QString, typed);
        QFETCH(QString, filter);
        QFETCH(QString, written);
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        world.action(static_cast<ActionId>(action)).trigger();
        auto* dialog = world.window.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY(!dialog->isModal() || dialog->testAttribute(Qt::WA_DeleteOnClose));
        if (!filter.isEmpty()) {
            dialog->selectNameFilter(filter);
            emit dialog->filterSelected(filter);
        }
        dialog->setDirectory(folder.path());
        dialog->findChild<QLineEdit*>()->setText(typed);
        QMetaObject::invokeMethod(dialog, "accept");
        QVERIFY(world.settle());
        QVERIFY2(QFile::exists(folder.filePath(written)),
                 qPrintable(QDir(folder.path()).entryList(QDir::Files).join(QLatin1Char(' '))));
        QVERIFY2(world.allSaid().contains(written), qPrintable(world.allSaid()));
    }

    void aSavedRecipeOpensAsTheSameRecipe() {
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        world.document().setForOnnxRuntime(true);
        QVERIFY(world.settle());
        const Recipe recipe = world.document().session()->recipeToSave();
        QCOMPARE(recipe.pinnedTargets, std::vector<std::string>{"logits"});
        const QString path = folder.filePath(QStringLiteral("a.recipe.json"));
        saveRecipeTo(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(!world.window.isWindowModified());
        world.document().setForOnnxRuntime(false);
        QVERIFY(world.settle());
        openRecipeFrom(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(world.document().session()->recipe() == recipe);
    }

    void aRecipeIsNeverWrittenOverTheModel() {
        QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("a.onnx"));
        QVERIFY(QFile::copy(secateur::testing::dataPath("two_heads.training.onnx"), model));
        const qint64 size = QFileInfo(model).size();
        World world;
        QVERIFY(world.open(model));
        saveRecipeTo(world.document(), model);
        QVERIFY(world.settle());
        QCOMPARE(QFileInfo(model).size(), size);
        QVERIFY2(world.says("a.onnx"), qPrintable(world.allSaid()));
    }

    void aRecipeWhoseWeightsChangedSaysSo() {
        QTemporaryDir folder;
        const QString weights = folder.filePath(QStringLiteral("weights.onnx")),
                      path = folder.filePath(QStringLiteral("a.recipe.json"));
        const QString data = QStringLiteral(SECATEUR_TEST_DATA "/cli/");
        QVERIFY(QFile::copy(data + QStringLiteral("artifact.weights.onnx"), weights));
        World world;
        QVERIFY(world.open(data + QStringLiteral("artifact.training.onnx")));
        world.document().setWeights(weights.toStdString());
        QVERIFY(world.settle());
        // The weights are read in a worker: an edit meanwhile is not what was saved.
        saveRecipeTo(world.document(), path);
        QVERIFY(world.document().work().isBusy(Work::Kind::exporting));
        world.document().setForOnnxRuntime(true);
        QVERIFY(world.settle());
        QVERIFY(world.window.isWindowModified());
        world.document().undo();
        QVERIFY(world.settle());
        saveRecipeTo(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(!world.window.isWindowModified());
        const auto isTold = [&world] {
            for (const BarMessage& message : world.document().messages())
                if (message.key == QLatin1String("recipe-weights")) return true;
            return false;
        };
        openRecipeFrom(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(!isTold());
        QFile file(weights);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        const qsizetype at = bytes.indexOf("fc1.weight") + 100;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        file.seek(0);
        file.write(bytes);
        file.close();
        openRecipeFrom(world.document(), path);
        QVERIFY(world.settle());
        QVERIFY(isTold());
    }

    void aReportIsWrittenInEachForm_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("mark");
        QTest::newRow("html") << "r.html" << QByteArray("<html");
        QTest::newRow("markdown") << "r.md" << QByteArray("#");
        QTest::newRow("json") << "r.json" << QByteArray("\"schema\"");
    }

    void aReportIsWrittenInEachForm() {
        QFETCH(QString, name);
        QFETCH(QByteArray, mark);
        QTemporaryDir folder;
        World world;
        QVERIFY(world.openSample());
        exportReport(world.document(), folder.filePath(name));
        QVERIFY(world.settle());
        QVERIFY(contents(folder.filePath(name)).contains(mark));
    }
};

QTEST_MAIN(TestExports)
#include "tst_exports.moc"
