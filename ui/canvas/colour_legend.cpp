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
#include <utility>

namespace secateur {

namespace {

constexpr int kSwatch = 11, kRail = 4, kChip = 13, kGap = 5, kSpace = 14, kHeight = 24, kLine = 20,
              kMargin = 12, kStep = 18, kLeastStep = 4, kMostLines = 4, kLowWindow = 480;

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
    const std::vector<Entry> before = std::exchange(m_signs, {});
    m_isHeat = m_link.colorMode() == ColorMode::heat && m_document.shownHeat();
    if (m_isHeat) {
        m_heat =
            heatLegend(*m_document.shownHeat(), scaleOf(*m_document.shownHeat(), m_document.state().heat));
    } else if (m_document.picture()) {
        const bool isKind = m_link.colorMode() == ColorMode::kind;
        if (isKind) addKinds();
        addRoles(isKind);
        addSigns();
        keepLooks(before);
    }
    setAccessibleName(allWords().join(QStringLiteral(", ")));
    setToolTip(allWords().join(QLatin1Char('\n')));
    setVisible(m_isHeat || !m_fills.empty());
    setLines();
    update();
}

/// Of the colours of a heat map: narrower where the scale would not fit into one line.
int ColourLegend::stepWidth() const {
    const QFontMetrics metrics(legendFont());
    const int ends = metrics.horizontalAdvance(QString::fromStdString(m_heat.low)) +
                     metrics.horizontalAdvance(QString::fromStdString(m_heat.high)) + 2 * kGap;
    const int count = std::max(1, static_cast<int>(m_heat.steps.size()));
    return std::clamp((width() - 2 * kMargin - ends) / count, kLeastStep, kStep);
}

std::vector<ColourLegend::Part> ColourLegend::heatParts() const {
    const QFontMetrics metrics(legendFont());
    std::vector<Part> parts;
    const auto add = [&](const std::string& text, ThemeRole color) {
        if (text.empty()) return;
        // A note longer than the line is cut at its end; the tooltip has all of it.
        const QString shown =
            metrics.elidedText(QString::fromStdString(text), Qt::ElideRight, width() - 2 * kMargin);
        parts.push_back({metrics.horizontalAdvance(shown) + kSpace, nullptr, shown, color, false, {}});
    };
    add(m_heat.title, ThemeRole::text);
    if (!m_heat.steps.empty()) {
        const QString low = QString::fromStdString(m_heat.low);
        const int ends = metrics.horizontalAdvance(low) +
                         metrics.horizontalAdvance(QString::fromStdString(m_heat.high)) + 2 * kGap;
        parts.push_back({ends + stepWidth() * static_cast<int>(m_heat.steps.size()) + kSpace,
                         nullptr,
                         low,
                         ThemeRole::muted,
                         true,
                         {}});
    }
    add(m_heat.blank, ThemeRole::muted);
    add(m_heat.note, ThemeRole::muted);
    return parts;
}

std::vector<ColourLegend::Part> ColourLegend::parts() const {
    std::vector<Part> parts;
    if (m_isHeat) {
        parts = heatParts();
    } else {
        for (const std::vector<Entry>* entries : {&m_fills, &m_rails, &m_signs})
            for (const Entry& entry : *entries)
                if (!entry.sign || m_hasRoomForSigns)
                    parts.push_back({widthOf(entry), &entry, {}, ThemeRole::muted, false, {}});
    }
    place(parts);
    return parts;
}

void ColourLegend::place(std::vector<Part>& parts) const {
    const int end = width() - kMargin;
    const std::size_t firstRail = m_isHeat ? parts.size() : m_fills.size();
    const std::size_t firstSign = m_isHeat ? parts.size() : firstRail + m_rails.size();
    int rails = -kSpace; // what stands behind the last entry is no room that it needs
    for (std::size_t i = firstRail; i < firstSign; ++i)
        rails += parts[i].width;
    int x = kMargin, y = kHeight / 2;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool areRails = i == firstRail && i > 0 && i < firstSign;
        if (areRails && x + rails <= end)
            x = end - rails;
        else if (x > kMargin && (areRails || x + parts[i].width - kSpace > end)) {
            x = kMargin;
            y += kLine;
        }
        parts[i].at = {x, y};
        x += parts[i].width;
    }
}

std::vector<QRect> ColourLegend::places() const {
    std::vector<QRect> places;
    for (const Part& part : parts())
        places.emplace_back(part.at.x(), part.at.y() - kLine / 2, part.width - kSpace, kLine);
    return places;
}

void ColourLegend::setLines() {
    const auto heightOf = [](const std::vector<Part>& all) {
        return (all.empty() ? kHeight / 2 : all.back().at.y()) + kHeight / 2;
    };
    m_hasRoomForSigns = true;
    int wanted = heightOf(parts());
    // Where the window is low the graph comes first.
    const QWidget* around = parentWidget();
    const int most = around && around->height() < kLowWindow ? kMostLines / 2 : kMostLines;
    if (wanted > kHeight + (most - 1) * kLine) {
        m_hasRoomForSigns = false;
        wanted = heightOf(parts());
    }
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

/// Of both panes, as they are drawn at this moment.
void ColourLegend::addSigns() {
    addSignsOf(Pane::before);
    if (!m_document.history()) return;
    addSignsOf(Pane::after);
    // What is selected changes with every click: these two are always there.
    PictureHead::Sign ring;
    ring.kind = PictureHead::Sign::Kind::ring;
    m_signs.push_back({ThemeRole::accent, tx("picture.sign-selected"), 0, ring});
    ring.dash = DashStyle::dashed;
    m_signs.push_back({ThemeRole::accent, tx("picture.sign-step"), 0, ring});
}

/// What cards looked like at other moments of the same history stays: lines that come and go with every step
/// would move the panes above.
void ColourLegend::keepLooks(const std::vector<Entry>& before) {
    const History* history = m_document.history();
    if (std::exchange(m_history, history) != history) return;
    for (const Entry& entry : before) {
        const bool isKnown = std::any_of(m_signs.begin(), m_signs.end(),
                                         [&](const Entry& other) { return other.word == entry.word; });
        if (!isKnown && entry.sign->kind == PictureHead::Sign::Kind::card) m_signs.push_back(entry);
    }
}

void ColourLegend::addSignsOf(Pane pane) {
    const auto& layout = m_document.layoutOf(pane);
    if (!layout) return;
    const Scene scene{&m_document.picture()->unionGraph.graph, layout.get(), &m_document.picture()->hierarchy,
                      m_document.stateOf(pane).get()};
    ViewRequest request;
    request.pane = pane;
    request.colorMode = m_link.colorMode();
    using Kind = PictureHead::Sign::Kind;
    for (const PictureHead::Sign& sign : signsOf(scene, request)) {
        if (sign.kind == Kind::fill || sign.kind == Kind::rail || sign.kind == Kind::ring) continue;
        const QString word = QString::fromStdString(sign.words);
        const bool isKnown = std::any_of(m_signs.begin(), m_signs.end(),
                                         [&](const Entry& entry) { return entry.word == word; });
        if (!isKnown) m_signs.push_back({ThemeRole::text, word, 0, sign});
    }
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
    QStringList words = allWords();
    if (!m_isHeat && !m_hasRoomForSigns) words.resize(words.size() - static_cast<qsizetype>(m_signs.size()));
    return words;
}

QStringList ColourLegend::allWords() const {
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
    for (const Entry& entry : m_signs)
        words.append(entry.word);
    return words;
}

QSize ColourLegend::sizeHint() const {
    return {200, kHeight};
}

QSize ColourLegend::minimumSizeHint() const {
    return {0, kHeight};
}

int ColourLegend::widthOf(const Entry& entry) {
    const int sign = entry.sign     ? static_cast<int>(signWidth(*entry.sign))
                     : entry.letter ? kRail + 2 + kChip
                                    : kSwatch;
    return sign + kGap + QFontMetrics(legendFont()).horizontalAdvance(entry.word) + kSpace;
}

void ColourLegend::paintEntry(QPainter& painter, const Entry& entry, int x, double middle) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(themeColorOf(entry.color));
    if (entry.sign) {
        m_list.clear();
        drawSignMark(*entry.sign, {static_cast<double>(x), middle}, m_list);
        m_painter.paint(painter, m_list, currentTheme());
        x += static_cast<int>(signWidth(*entry.sign)) + kGap;
    } else if (entry.letter) {
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

void ColourLegend::paintScale(QPainter& painter, const Part& part) const {
    const QFontMetrics metrics(legendFont());
    const double base = part.at.y() + metrics.capHeight() / 2.0;
    const int step = stepWidth();
    int x = part.at.x();
    painter.setPen(themeColorOf(part.color));
    painter.drawText(QPointF(x, base), part.text);
    x += metrics.horizontalAdvance(part.text) + kGap;
    painter.setPen(Qt::NoPen);
    for (const ColorRef& color : m_heat.steps) {
        painter.setBrush(themeColorOf(color.role, color.shade));
        painter.drawRect(QRectF(x, part.at.y() - kSwatch / 2.0, step, kSwatch));
        x += step;
    }
    painter.setPen(themeColorOf(part.color));
    painter.drawText(QPointF(x + kGap, base), QString::fromStdString(m_heat.high));
}

void ColourLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(legendFont());
    for (const Part& part : parts()) {
        if (part.entry != nullptr) {
            paintEntry(painter, *part.entry, part.at.x(), part.at.y());
        } else if (part.isScale) {
            paintScale(painter, part);
        } else {
            painter.setPen(themeColorOf(part.color));
            painter.drawText(QPointF(part.at.x(), part.at.y() + QFontMetrics(legendFont()).capHeight() / 2.0),
                             part.text);
        }
    }
}

} // namespace secateur
