// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProxyStyle>

namespace secateur {

/// Fusion with the marks that it loses in a dark palette: boxes of ticks, and the borders and focus of
/// fields, in the colours of the theme.
class ThemeStyle : public QProxyStyle {
    Q_OBJECT
  public:
    ThemeStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;

  private:
    static void drawTick(const QStyleOption& option, QPainter& painter);
    static void drawField(const QStyleOption& option, QPainter& painter);
};

} // namespace secateur
