// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/display_list.h"

#include <QCache>
#include <QPainter>
#include <QStaticText>
#include <QString>

namespace secateur {

/// Paints display lists with QPainter. Keeps laid out texts between frames; one painter object for each
/// canvas.
class ListPainter {
  public:
    ListPainter();
    void paint(QPainter& painter, const DisplayList& list, ThemeKind theme);
    /// One item of a list: for pictures that are painted part by part.
    void paintItem(QPainter& painter, const DisplayList& list, const DrawItem& item, ThemeKind theme);

  private:
    void paintText(QPainter& painter, const DisplayList& list, const DrawItem& item, ThemeKind theme);
    static void paintHatch(QPainter& painter, const DrawItem& item, ThemeKind theme);
    void paintRectBatch(QPainter& painter, const DisplayList& list, const DrawItem& item, ThemeKind theme);
    void paintLineBatch(QPainter& painter, const DisplayList& list, const DrawItem& item, ThemeKind theme);

    struct Laid {
        QStaticText text;
        QFont font;
        double ascent = 0;
    };
    QCache<QString, Laid> m_texts;
    std::vector<QRect> m_rects;
    std::vector<QLine> m_lines;
};

} // namespace secateur
