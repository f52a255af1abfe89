// SPDX-License-Identifier: Apache-2.0
#include "ui/fonts/bundled_fonts.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QTest>

#include <cmath>

namespace secateur {

class TestBundledFonts : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        if (loadBundledFonts() == 0) QSKIP("built without fonts (packages fonts-noto-core, fonts-noto-mono)");
    }

    void allFourFacesAreThere() { QCOMPARE(loadBundledFonts(), 4); }

    void theFontAskedForIsTheFontUsed() {
        QCOMPARE(QFontInfo(fontOf(FontFace::SansRegular, 13)).family(), QStringLiteral("Noto Sans"));
        QCOMPARE(QFontInfo(fontOf(FontFace::MonoRegular, 12)).family(), QStringLiteral("Noto Sans Mono"));
        QVERIFY(QFontInfo(fontOf(FontFace::SansBold, 12)).bold());
        QCOMPARE(QFontInfo(fontOf(FontFace::SansRegular, 13)).pixelSize(), 13);
    }

    void coreMeasuresWhatQtDraws_data() {
        QTest::addColumn<int>("face");
        QTest::addColumn<double>("size");
        QTest::newRow("sans 13") << static_cast<int>(FontFace::SansRegular) << 13.0;
        QTest::newRow("sans bold 12") << static_cast<int>(FontFace::SansBold) << 12.0;
        QTest::newRow("mono 12") << static_cast<int>(FontFace::MonoRegular) << 12.0;
        QTest::newRow("mono bold 11") << static_cast<int>(FontFace::MonoBold) << 11.0;
    }

    void coreMeasuresWhatQtDraws() {
        QFETCH(int, face);
        QFETCH(double, size);
        const FontFace fontFace = static_cast<FontFace>(face);
        const QFontMetricsF metrics(fontOf(fontFace, size));
        for (const char* text : {"MatMul", "float[16,1024,768]", "/encoder/layers.0/self_attn/Softmax",
                                 "Übergröße naïve", "1,523 nodes", "слой", "a…b"}) {
            const double drawn = metrics.horizontalAdvance(QString::fromUtf8(text));
            const double measured = textWidth(text, fontFace, size);
            QVERIFY2(std::abs(drawn - measured) < 0.5, qPrintable(QStringLiteral("%1: Qt %2, core %3")
                                                                      .arg(QString::fromUtf8(text))
                                                                      .arg(drawn)
                                                                      .arg(measured)));
        }
    }
};

} // namespace secateur

QTEST_MAIN(secateur::TestBundledFonts)
#include "tst_bundled_fonts.moc"
