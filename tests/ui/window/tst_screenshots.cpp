// SPDX-License-Identifier: Apache-2.0
//
// Pictures of the window: written into the build folder, and looked at here for what must not be wrong. Those
// of the README are written anew with SECATEUR_UPDATE_PICTURES=1: look at them before they are committed.
#include "tests/ui/support/world.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/window/palette.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QSet>

using namespace secateur;
using secateur::testing::collectionModel;
using secateur::testing::World;

namespace {

void keep(const QImage& image, const QString& name) {
    QDir().mkpath(QStringLiteral(SECATEUR_PICTURES));
    image.save(QStringLiteral(SECATEUR_PICTURES "/") + name);
    const QString shown = QStringLiteral(SECATEUR_SOURCE_DIR "/resources/pictures/") + name;
    if (qEnvironmentVariableIsSet("SECATEUR_UPDATE_PICTURES") && QFile::exists(shown)) image.save(shown);
}

QImage shoot(World& world, const QSize& size, ThemeChoice theme, const QString& name) {
    applyTheme(*qApp, theme);
    world.window.resize(size);
    world.window.fitToSize();
    QTest::qWait(30);
    world.before().showFirstView();
    QTest::qWait(30);
    const QImage image = world.window.grab().toImage();
    keep(image, name);
    return image;
}

/// A picture in which something was drawn: many colours, and the canvas colour of the theme.
bool isDrawn(const QImage& image, ThemeKind theme) {
    QSet<QRgb> colours;
    bool hasCanvas = false;
    const QRgb canvas = themeColorOf(theme, {ThemeRole::canvas, Shade::solid}).rgb();
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3) {
            colours.insert(image.pixel(x, y));
            hasCanvas = hasCanvas || image.pixel(x, y) == canvas;
        }
    return colours.size() > 60 && hasCanvas;
}

} // namespace

class TestScreenshots : public QObject {
    Q_OBJECT
  private slots:
    void theSampleInBothThemesAndSizes_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isDark");
        QTest::addColumn<QString>("name");
        QTest::newRow("light") << QSize(1440, 900) << false << "window-light.png";
        QTest::newRow("dark") << QSize(1440, 900) << true << "window-dark.png";
        QTest::newRow("small") << QSize(1024, 640) << false << "window-small.png";
    }

    void theSampleInBothThemesAndSizes() {
        QFETCH(QSize, size);
        QFETCH(bool, isDark);
        QFETCH(QString, name);
        World world;
        QVERIFY(world.openSample());
        world.document().select({world.keyOf("GeluGrad")});
        const QImage image = shoot(world, size, isDark ? ThemeChoice::dark : ThemeChoice::light, name);
        QCOMPARE(image.size(), size);
        QVERIFY(isDrawn(image, isDark ? ThemeKind::dark : ThemeKind::light));
    }

    void namesOfAllKinds_data() {
        QTest::addColumn<bool>("isDark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void namesOfAllKinds() {
        QFETCH(bool, isDark);
        World world;
        QVERIFY(world.openText(secateur::testing::namesText(
            {"plain", "", "a_name_of_two_hundred_characters_" + std::string(160, 'x') + "_and_its_end",
             "\u5c42.0/\u6ce8\u610f\u529b/\u77e9\u9635\u4e58\u6cd5",
             "\U0001F680 launch \U0001F469\u200d\U0001F680",
             "\u0637\u0628\u0642\u0629/\u0627\u0646\u062a\u0628\u0627\u0647", "plain",
             "with <b>markup</b> & more", "tab\there"})));
        world.window.findChild<QDockWidget*>(QStringLiteral("outlineDock"))->raise();
        world.document().select({world.document().picture()->unionGraph.graph.nodes[3].key});
        const QImage image =
            shoot(world, {1440, 900}, isDark ? ThemeChoice::dark : ThemeChoice::light,
                  isDark ? QStringLiteral("names-dark.png") : QStringLiteral("names-light.png"));
        QVERIFY(isDrawn(image, isDark ? ThemeKind::dark : ThemeKind::light));
        // Markup in a name is text and no markup.
        for (const LayoutNode& node : world.document().picture()->unionGraph.graph.nodes)
            if (node.name.find("<b>") != std::string::npos) {
                world.document().select({node.key});
                const auto* inspector = world.window.findChild<InspectorPanel*>();
                const QString shown = inspector->toPlainText().remove(QChar(0x200B));
                QVERIFY2(shown.contains(QStringLiteral("with <b>markup</b> & more")), qPrintable(shown));
            }
    }

    void otherFacesOfTheWindow() {
        World world;
        shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("start-light.png"));
        shoot(world, {1440, 900}, ThemeChoice::dark, QStringLiteral("start-dark.png"));
        QVERIFY(world.open(secateur::testing::dataPath("two_heads.training.onnx")));
        QVERIFY(isDrawn(shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("chooser-light.png")),
                        ThemeKind::light));
        QVERIFY(isDrawn(shoot(world, {1440, 900}, ThemeChoice::dark, QStringLiteral("chooser-dark.png")),
                        ThemeKind::dark));
    }

    void thePaletteOverTheWindow() {
        World world;
        QVERIFY(world.openSample());
        for (const bool isDark : {false, true}) {
            world.action(ActionId::commands).trigger();
            QTest::keyClicks(&world.window.commandPalette().field(), QStringLiteral("st"));
            QVERIFY(isDrawn(
                shoot(world, {1440, 900}, isDark ? ThemeChoice::dark : ThemeChoice::light,
                      isDark ? QStringLiteral("palette-dark.png") : QStringLiteral("palette-light.png")),
                isDark ? ThemeKind::dark : ThemeKind::light));
        }
    }

    void aTransformerOfTheCollection() {
        const QString path = collectionModel("transformer");
        if (path.isEmpty()) QSKIP("the collection of models is not at hand: set SECATEUR_MODELS");
        World world;
        QVERIFY(world.open(path));
        shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("transformer-top.png"));
        // Attention, with what decides about it.
        world.action(ActionId::viewOverlay).setChecked(true);
        world.document().select({world.keyOf("Softmax")});
        world.before().showSelected();
        world.before().zoomBy(0.75 / world.before().view().zoom);
        world.before().revealSelection();
        QTest::qWait(30);
        const QImage image = world.window.grab().toImage();
        keep(image, QStringLiteral("transformer.png"));
        QVERIFY(isDrawn(image, ThemeKind::light));
        world.action(ActionId::viewSideBySide).setChecked(true);
        world.document().select({});
        world.window.findChild<QDockWidget*>(QStringLiteral("outlineDock"))->raise();
        shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("outline-light.png"));
        shoot(world, {1440, 900}, ThemeChoice::dark, QStringLiteral("outline-dark.png"));
    }

    void aLargeTransformerOfTheCollectionFromFarAway() {
        const QString path = collectionModel("transformer48");
        if (path.isEmpty()) QSKIP("the collection of models is not at hand: set SECATEUR_MODELS");
        World world;
        QVERIFY(world.open(path));
        shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("transformer48.png"));
        world.before().fitAll();
        QTest::qWait(30);
        const QImage image = world.window.grab().toImage();
        QVERIFY(isDrawn(image, ThemeKind::light));
    }
};

QTEST_MAIN(TestScreenshots)
#include "tst_screenshots.moc"
