// SPDX-License-Identifier: Apache-2.0
#include "ui/fonts/bundled_fonts.h"

#include <QFontDatabase>
#include <QLatin1String>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace secateur {

int loadBundledFonts() {
    static const int kLoaded = [] {
        int loaded = 0;
        for (const char* name :
             {"NotoSans-Regular", "NotoSans-Bold", "NotoSansMono-Regular", "NotoSansMono-Bold"})
            if (QFontDatabase::addApplicationFont(
                    QStringLiteral(":/fonts/%1.ttf").arg(QLatin1String(name))) >= 0)
                ++loaded;
        return loaded;
    }();
    return kLoaded;
}

QFont fontOf(FontFace face, double pixelSize) {
    loadBundledFonts();
    const bool isMono = face == FontFace::MonoRegular || face == FontFace::MonoBold;
    const bool isBold = face == FontFace::SansBold || face == FontFace::MonoBold;
    QFont font;
    // What the first family lacks comes from the next: East Asian names and emoji in a model.
    font.setFamilies({isMono ? QStringLiteral("Noto Sans Mono") : QStringLiteral("Noto Sans"),
                      isMono ? QStringLiteral("Noto Sans Mono CJK SC") : QStringLiteral("Noto Sans CJK SC"),
                      QStringLiteral("Noto Color Emoji")});
    font.setStyleHint(isMono ? QFont::Monospace : QFont::SansSerif);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixelSize))));
    font.setWeight(isBold ? QFont::Bold : QFont::Normal);
    font.setKerning(false);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

} // namespace secateur
