// SPDX-License-Identifier: Apache-2.0
//
// The pictures of the README: written into the build folder, and looked at here for what must not be wrong.
#include "tests/ui/support/world.h"

#include <QDir>
#include <QImage>
#include <QSet>

using namespace secateur;
using secateur::testing::collectionModel;
using secateur::testing::World;

namespace {

QImage shoot(World& world, const QSize& size, ThemeChoice theme, const QString& name) {
    applyTheme(*qApp, theme);
    world.window.resize(size);
    world.window.fitToSize();
    QTest::qWait(30);
    world.before().showFirstView();
    QTest::qWait(30);
    const QImage image = world.window.grab().toImage();
    QDir().mkpath(QStringLiteral(SECATEUR_PICTURES));
    image.save(QStringLiteral(SECATEUR_PICTURES "/") + name);
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
        QTest::newRow("light") << QSize(1440, 900) << false << "sample-light.png";
        QTest::newRow("dark") << QSize(1440, 900) << true << "sample-dark.png";
        QTest::newRow("small") << QSize(1024, 640) << false << "sample-small.png";
    }

    void theSampleInBothThemesAndSizes() {
        QFETCH(QSize, size);
        QFETCH(bool, isDark);
        QFETCH(QString, name);
        World world;
        QVERIFY(world.openSample());
        const Model& model = world.document().original()->file.model;
        for (const NodeId id : model.nodes(model.mainGraph()))
            if (model.op(id) == "GeluGrad") world.document().select({id.index});
        const QImage image = shoot(world, size, isDark ? ThemeChoice::dark : ThemeChoice::light, name);
        QCOMPARE(image.size(), size);
        QVERIFY(isDrawn(image, isDark ? ThemeKind::dark : ThemeKind::light));
    }

    void aTransformerOfTheCollection() {
        const QString path = collectionModel("transformer");
        if (path.isEmpty()) QSKIP("the collection of models is not at hand: set SECATEUR_MODELS");
        World world;
        QVERIFY(world.open(path));
        QVERIFY(
            isDrawn(shoot(world, {1440, 900}, ThemeChoice::light, QStringLiteral("transformer-light.png")),
                    ThemeKind::light));
    }
};

QTEST_MAIN(TestScreenshots)
#include "tst_screenshots.moc"
