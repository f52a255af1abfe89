// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/colour_legend.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/canvas/view_link.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <array>

namespace secateur {

namespace {

constexpr int kSwatch = 11, kRail = 4, kChip = 13, kGap = 5, kSpace = 14, kHeight = 24, kSecondLine = 18,
              kMargin = 12;

QFont legendFont() {
    return fontOf(FontFace::SansRegular, 12);
}

} // namespace

ColourLegend::ColourLegend(Document& document, ViewLink& link, QWidget* parent)
    : QWidget(parent), m_document(document), m_link(link) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&document, &Document::historyChanged, this, &ColourLegend::refresh);
    connect(&document, &Document::graphChanged, this, &ColourLegend::refresh);
    connect(&document, &Document::layoutChanged, this, &ColourLegend::refresh);
    connect(&link, &ViewLink::lookChanged, this, &ColourLegend::refresh);
    refresh();
}

void ColourLegend::refresh() {
    m_fills.clear();
    m_rails.clear();
    m_isHeat = m_link.colorMode() == ColorMode::heat && m_document.shownHeat();
    if (m_isHeat) {
        m_heat = heatLegend(*m_document.shownHeat());
    } else if (m_document.picture()) {
        const bool isKind = m_link.colorMode() == ColorMode::kind;
        if (isKind) addKinds();
        addRoles(isKind);
        if (isKind && m_rails.empty() && hasGroups())
            m_fills.push_back({themeRoleOf(NodeRole::forward), tx("ui.legend.group")});
    }
    setAccessibleName(words().join(QStringLiteral(", ")));
    setToolTip(words().join(QLatin1Char('\n')));
    setVisible(m_isHeat || !m_fills.empty());
    setLines();
    update();
}

int ColourLegend::widthOf(const std::vector<Entry>& entries) {
    int width = 0;
    for (const Entry& entry : entries)
        width += widthOf(entry);
    return width;
}

bool ColourLegend::needsTwoLines() const {
    if (m_isHeat || m_fills.empty() || m_rails.empty()) return false;
    return widthOf(m_fills) + widthOf(m_rails) > width() - 2 * kMargin;
}

void ColourLegend::setLines() {
    const int wanted = needsTwoLines() ? kHeight + kSecondLine : kHeight;
    if (height() != wanted || minimumHeight() != wanted) setFixedHeight(wanted);
}

void ColourLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setLines();
}

void ColourLegend::addKinds() {
    std::array<bool, kOperatorKindCount> isUsed{};
    for (const LayoutNode& node : m_document.picture()->unionGraph.graph.nodes)
        isUsed[static_cast<std::size_t>(node.kind)] = true;
    for (int i = 0; i < kOperatorKindCount; ++i) {
        if (!isUsed[static_cast<std::size_t>(i)]) continue;
        const auto kind = static_cast<OperatorKind>(i);
        const ThemeRole color = themeRoleOf(kind);
        // Kinds that share a colour share an entry.
        const Rgb shade = themeColor(ThemeKind::light, {color, Shade::solid});
        const auto same = std::find_if(m_fills.begin(), m_fills.end(), [&](const Entry& entry) {
            return themeColor(ThemeKind::light, {entry.color, Shade::solid}) == shade;
        });
        if (same == m_fills.end())
            m_fills.push_back({color, kindWords(kind)});
        else
            same->word += QStringLiteral(", ") + kindWords(kind).toLower();
    }
}

bool ColourLegend::hasGroups() const {
    const auto& layout = m_document.layout();
    return layout && std::any_of(layout->items.begin(), layout->items.end(),
                                 [](const PlacedItem& item) { return item.node == kNoIndex; });
}

void ColourLegend::addRoles(bool isRail) {
    std::array<bool, kNodeRoleCount> isUsed{};
    for (const LayoutNode& node : m_document.picture()->unionGraph.graph.nodes)
        isUsed[static_cast<std::size_t>(node.role)] = true;
    const bool isForwardOnly = std::count(isUsed.begin(), isUsed.end(), true) == 1 && isUsed[0];
    if (isRail && isForwardOnly) return; // cards have no rail then
    for (int i = 0; i < kNodeRoleCount; ++i) {
        if (!isUsed[static_cast<std::size_t>(i)]) continue;
        const auto role = static_cast<NodeRole>(i);
        (isRail ? m_rails : m_fills)
            .push_back({themeRoleOf(role), roleWords(role), isRail ? roleLetter(role) : char{0}});
    }
}

QStringList ColourLegend::words() const {
    QStringList words;
    if (m_isHeat) {
        for (const std::string* text :
             {&m_heat.title, &m_heat.low, &m_heat.high, &m_heat.blank, &m_heat.note})
            if (!text->empty()) words.append(QString::fromStdString(*text));
        return words;
    }
    for (const Entry& entry : m_fills)
        words.append(entry.word);
    for (const Entry& entry : m_rails)
        words.append(QString(QLatin1Char(entry.letter)) + QStringLiteral(" ") + entry.word);
    return words;
}

QSize ColourLegend::sizeHint() const {
    return {200, kHeight};
}

QSize ColourLegend::minimumSizeHint() const {
    return {0, kHeight};
}

int ColourLegend::widthOf(const Entry& entry) {
    const int sign = entry.letter ? kRail + 2 + kChip : kSwatch;
    return sign + kGap + QFontMetrics(legendFont()).horizontalAdvance(entry.word) + kSpace;
}

void ColourLegend::paintEntry(QPainter& painter, const Entry& entry, int x, double middle) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(themeColorOf(entry.color));
    if (entry.letter) {
        painter.drawRoundedRect(QRectF(x, middle - 7, kRail, 14), 2, 2);
        const QRectF chip(x + kRail + 2, middle - kChip / 2.0, kChip, kChip);
        painter.setBrush(themeColorOf(ThemeRole::card));
        painter.setPen(QPen(themeColorOf(ThemeRole::outline), 1));
        painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setFont(fontOf(FontFace::SansBold, 10));
        painter.setPen(themeColorOf(entry.color));
        painter.drawText(chip, Qt::AlignCenter, QString(QLatin1Char(entry.letter)));
        x += kRail + 2 + kChip + kGap;
    } else {
        painter.drawRoundedRect(QRectF(x, middle - kSwatch / 2.0, kSwatch, kSwatch), 2, 2);
        x += kSwatch + kGap;
    }
    painter.setFont(legendFont());
    painter.setPen(themeColorOf(ThemeRole::muted));
    painter.drawText(QPointF(x, middle + QFontMetrics(legendFont()).capHeight() / 2.0), entry.word);
}

void ColourLegend::paintHeat(QPainter& painter) const {
    constexpr int kStep = 18, kSpaceAfter = 18;
    painter.setFont(legendFont());
    const QFontMetrics metrics(legendFont());
    const double base = height() / 2.0 + metrics.capHeight() / 2.0;
    int x = kMargin;
    const auto write = [&](const std::string& text, ThemeRole color, int after) {
        if (text.empty() || x >= width() - kMargin) return;
        const QString shown =
            metrics.elidedText(QString::fromStdString(text), Qt::ElideRight, width() - kMargin - x);
        painter.setPen(themeColorOf(color));
        painter.drawText(QPointF(x, base), shown);
        x += metrics.horizontalAdvance(shown) + after;
    };
    write(m_heat.title, ThemeRole::text, kSpaceAfter);
    write(m_heat.low, ThemeRole::muted, kGap);
    painter.setPen(Qt::NoPen);
    for (const ColorRef& step : m_heat.steps) {
        painter.setBrush(themeColorOf(step.role, step.shade));
        painter.drawRect(QRectF(x, height() / 2.0 - kSwatch / 2.0, kStep, kSwatch));
        x += kStep;
    }
    x += kGap;
    write(m_heat.high, ThemeRole::muted, kSpaceAfter);
    write(m_heat.blank, ThemeRole::muted, kSpaceAfter);
    write(m_heat.note, ThemeRole::muted, 0);
}

void ColourLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_isHeat) return paintHeat(painter);
    const bool hasTwoLines = needsTwoLines();
    const int rails = m_rails.empty() ? 0 : widthOf(m_rails);
    paintFills(painter, width() - kMargin - (hasTwoLines ? 0 : rails), kHeight / 2.0);
    int x = hasTwoLines ? kMargin : width() - kMargin - rails + kSpace;
    for (const Entry& entry : m_rails) {
        paintEntry(painter, entry, x, hasTwoLines ? kHeight / 2.0 + kSecondLine : kHeight / 2.0);
        x += widthOf(entry);
    }
}

void ColourLegend::paintFills(QPainter& painter, int end, double middle) const {
    int x = kMargin;
    for (std::size_t i = 0; i < m_fills.size(); ++i) {
        const int wide = widthOf(m_fills[i]);
        constexpr int kMoreRoom = 36;
        const bool isLast = i + 1 == m_fills.size();
        if (x + wide - kSpace > end - (isLast ? 0 : kMoreRoom)) {
            painter.setPen(themeColorOf(ThemeRole::muted));
            painter.setFont(legendFont());
            painter.drawText(QRectF(x, middle - kHeight / 2.0, kMoreRoom, kHeight), Qt::AlignVCenter,
                             QStringLiteral("+%1").arg(m_fills.size() - i));
            break;
        }
        paintEntry(painter, m_fills[i], x, middle);
        x += wide;
    }
}

} // namespace secateur
