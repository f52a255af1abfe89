// SPDX-License-Identifier: Apache-2.0
#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/picture/compose.h"
#include "tests/core/layout/graph_builder.h"
#endif
#include "ui/canvas/list_painter.h"
#include "ui/report/picture_file.h"
#include "ui/report/png_stream.h"
#include "ui/theme/theme.h"

#include <QImage>
#include <QImageReader>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <limits>

using namespace secateur;

namespace {

DisplayList listOf(const LayoutGraph& graph) {
    const Layout layout = layoutGraph(graph);
    const Hierarchy hierarchy;
    PictureState state;
    state.nodes.resize(graph.nodes.size());
    state.tally(graph, layout);
    const Scene scene{&graph, &layout, &hierarchy, &state};
    DisplayList list;
    compose(scene, wholePicture(scene, Pane::before), list);
    return list;
}

QImage read(const QString& path) {
    QImageReader reader(path);
    reader.setAllocationLimit(0);
    return reader.read().convertToFormat(QImage::Format_RGB32);
}

} // namespace

class TestPictureFile : public QObject {
    Q_OBJECT
  private slots:
    void stripsShowNoSeams() {
        QTemporaryDir folder;
        const DisplayList list = listOf(trainingGraph(60));
        PictureFileOptions options;
        options.scale = 2;
        const QString path = folder.filePath(QStringLiteral("strips.png"));
        const auto facts = writePng(list, path.toStdString(), options);
        QVERIFY(facts.ok());
        QVERIFY2(facts->strips > 1, "the picture is large enough to be cut");
        const QImage fromStrips = read(path);
        QCOMPARE(static_cast<std::uint64_t>(fromStrips.width()), facts->width);
        QCOMPARE(static_cast<std::uint64_t>(fromStrips.height()), facts->height);
        QImage whole(fromStrips.size(), QImage::Format_RGB32);
        whole.fill(themeColorOf(ThemeKind::light, {ThemeRole::canvas, Shade::solid}));
        QPainter painter(&whole);
        painter.scale(options.scale, options.scale);
        ListPainter().paint(painter, list, ThemeKind::light);
        painter.end();
        std::int64_t different = 0;
        for (int y = 0; y < whole.height(); ++y)
            for (int x = 0; x < whole.width(); ++x)
                different += whole.pixel(x, y) != fromStrips.pixel(x, y) ? 1 : 0;
        // Antialiasing may round differently where a strip begins; a missing sign would be thousands of
        // pixels.
        QVERIFY2(different < 200, qPrintable(QString::number(different)));
    }

    void noMoreThanAStripIsHeld() {
        QTemporaryDir folder;
        const DisplayList list = listOf(trainingGraph(60));
        PictureFileOptions options;
        options.scale = 2;
        const auto facts = writePng(list, folder.filePath(QStringLiteral("a.png")).toStdString(), options);
        QVERIFY(facts.ok());
        QVERIFY(facts->stripBytes <= (64U << 20));
        QVERIFY(facts->width * facts->height * 4 > facts->stripBytes);
    }

    void aSizeThatPngCannotHoldIsRefused() {
        QTemporaryDir folder;
        DisplayList list;
        list.width = 3e8;
        list.height = 10;
        PictureFileOptions options;
        options.scale = 16;
        const QString path = folder.filePath(QStringLiteral("huge.png"));
        const auto facts = writePng(list, path.toStdString(), options);
        QVERIFY(!facts.ok());
        QVERIFY(facts.error().code == ErrorCode::usage);
        QVERIFY(!QFile::exists(path));
    }

    void aScaleThatIsNoneIsRefused() {
        QTemporaryDir folder;
        const DisplayList list = listOf(trainingGraph(3));
        PictureFileOptions options;
        const QString path = folder.filePath(QStringLiteral("p.png"));
        for (const double scale : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
            options.scale = scale;
            const auto facts = writePng(list, path.toStdString(), options);
            QVERIFY(!facts.ok());
            QVERIFY(facts.error().code == ErrorCode::usage);
        }
        QVERIFY(!QFile::exists(path));
    }

    void whatLiesFarToTheRightIsPaintedThere() {
        QTemporaryDir folder;
        DisplayList list;
        list.width = 150'000; // beyond 2^15 and 2^17 pixels, where painters have had their limits
        list.height = 40;
        for (const double x : {100.0, 40'000.0, 140'000.0}) {
            DrawItem item;
            item.op = DrawOp::rect;
            item.rect = {x, 10, 20, 20};
            item.hasFill = true;
            item.fill = {ThemeRole::text, Shade::solid};
            list.items.push_back(item);
        }
        const QString path = folder.filePath(QStringLiteral("wide.png"));
        QVERIFY(writePng(list, path.toStdString(), {}).ok());
        const QImage image = read(path);
        const QRgb canvas = themeColorOf(ThemeKind::light, {ThemeRole::canvas, Shade::solid}).rgb();
        for (const int x : {110, 40'010, 140'010}) {
            QVERIFY2(image.pixel(x, 20) != canvas, qPrintable(QString::number(x)));
            QCOMPARE(image.pixel(x - 20, 20), canvas);
            QCOMPARE(image.pixel(x + 20, 20), canvas);
        }
    }

    void moreThanTenThousandPagesAreRefused() {
        QTemporaryDir folder;
        DisplayList list;
        list.width = list.height = 200'000;
        PictureFileOptions options;
        options.page = "a4";
        const QString path = folder.filePath(QStringLiteral("p.pdf"));
        const auto facts = writePdf(list, path.toStdString(), options);
        QVERIFY(!facts.ok());
        QVERIFY(facts.error().message.find("larger page") != std::string::npos);
        QVERIFY(!QFile::exists(path));
    }

    void aCancelledPictureLeavesNoFile() {
        QTemporaryDir folder;
        WorkContext work;
        work.cancel.cancel();
        const DisplayList list = listOf(trainingGraph(3));
        for (const char* name : {"p.png", "p.pdf"}) {
            const std::string path = folder.filePath(QLatin1String(name)).toStdString();
            const auto facts = QLatin1String(name).endsWith(QLatin1String("png"))
                                   ? writePng(list, path, {}, work)
                                   : writePdf(list, path, {}, work);
            QVERIFY(!facts.ok());
            QVERIFY(facts.error().code == ErrorCode::cancelled);
        }
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void aRowComesBackAsItWasWritten() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("rows.png"));
        constexpr int kWidth = 700, kHeight = 300;
        auto png = PngStream::create(path.toStdString(), kWidth, kHeight, 96);
        QVERIFY(png.ok());
        std::vector<std::uint8_t> row(kWidth * 3);
        std::uint32_t noise = 1;
        std::vector<std::vector<std::uint8_t>> rows;
        for (int y = 0; y < kHeight; ++y) {
            for (std::uint8_t& byte : row) {
                noise = noise * 1664525 + 1013904223;
                byte = static_cast<std::uint8_t>(noise >> 24); // does not pack: many chunks
            }
            rows.push_back(row);
            QVERIFY(png->addRow(row).ok());
        }
        QVERIFY(png->finish().ok());
        const QImage image = read(path);
        QCOMPARE(image.size(), QSize(kWidth, kHeight));
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const auto* p = rows[static_cast<std::size_t>(y)].data() + x * 3;
                QCOMPARE(image.pixel(x, y), qRgb(p[0], p[1], p[2]));
            }
    }

    void aPdfIsCutWhereReadersWouldRefuseIt() {
        QTemporaryDir folder;
        PictureFileOptions options;
        const QString path = folder.filePath(QStringLiteral("a.pdf"));
        const DisplayList small = listOf(trainingGraph(3));
        const auto one = writePdf(small, path.toStdString(), options);
        QVERIFY(one.ok());
        QCOMPARE(one->pages, 1U);
        DisplayList tall = small;
        tall.height = 14400 / 0.75 + 10; // ten units over 200 inches
        const auto many = writePdf(tall, path.toStdString(), options);
        QVERIFY(many.ok());
        QVERIFY(many->pages > 1);
        options.page = "a4";
        const auto asked = writePdf(small, path.toStdString(), options);
        QVERIFY(asked.ok());
        QVERIFY(asked->pages >= 1);
        options.page = "a0";
        const auto poster = writePdf(small, path.toStdString(), options);
        QVERIFY(poster.ok());
        QCOMPARE(poster->pages, 1U);
        QCOMPARE(std::max(poster->width, poster->height),
                 std::uint64_t{3370}); // of the page, not the picture
        options.page = "a4";
        QVERIFY(writePdf(small, path.toStdString(), options).ok());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.startsWith("%PDF-"));
        QVERIFY(bytes.contains(QByteArray("/Count ") + QByteArray::number(asked->pages)));
    }
};

QTEST_MAIN(TestPictureFile)
#include "tst_picture_file.moc"
