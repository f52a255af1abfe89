// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/role_legend.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/canvas/view_link.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <array>

namespace secateur {

namespace {

constexpr int kSwatch = 12, kGap = 5, kSpace = 14, kHeight = 20;

QFont legendFont() {
    return fontOf(FontFace::SansRegular, 12);
}

} // namespace

RoleLegend::RoleLegend(Document& document, ViewLink& link, QWidget* parent)
    : QWidget(parent), m_document(document), m_link(link) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&document, &Document::historyChanged, this, &RoleLegend::refresh);
    connect(&link, &ViewLink::lookChanged, this, &RoleLegend::refresh);
    refresh();
}

void RoleLegend::refresh() {
    m_roles.clear();
    QStringList words;
    if (m_document.picture()) {
        std::array<bool, kNodeRoleCount> isUsed{};
        for (const LayoutNode& node : m_document.picture()->unionGraph.graph.nodes)
            isUsed[static_cast<std::size_t>(node.role)] = true;
        for (int i = 0; i < kNodeRoleCount; ++i)
            if (isUsed[static_cast<std::size_t>(i)]) {
                m_roles.append(i);
                words.append(roleWords(static_cast<NodeRole>(i)));
            }
    }
    setAccessibleName(words.join(QStringLiteral(", ")));
    setVisible(m_link.colorMode() == ColorMode::role && !m_roles.isEmpty());
    updateGeometry();
    update();
}

QSize RoleLegend::sizeHint() const {
    const QFontMetrics metrics(legendFont());
    int width = 0;
    for (const int role : m_roles)
        width += kSwatch + kGap + metrics.horizontalAdvance(roleWords(static_cast<NodeRole>(role))) + kSpace;
    return {width, kHeight};
}

void RoleLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(legendFont());
    const QFontMetrics metrics(legendFont());
    int x = 0;
    for (const int number : m_roles) {
        const auto role = static_cast<NodeRole>(number);
        const QString word = roleWords(role);
        const int width = metrics.horizontalAdvance(word);
        painter.setPen(Qt::NoPen);
        painter.setBrush(themeColorOf(themeRoleOf(role)));
        painter.drawRoundedRect(QRectF(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch), 2, 2);
        painter.setPen(themeColorOf(ThemeRole::text));
        painter.drawText(QRect(x + kSwatch + kGap, 0, width + 2, height()), Qt::AlignVCenter, word);
        x += kSwatch + kGap + width + kSpace;
    }
}

} // namespace secateur
