// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/walk_bar.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/theme/icons.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <numeric>

namespace secateur {

namespace {

/// The whole walk takes about this long, if waves are not faster than can be seen or slower than is patient.
constexpr int kWholeMs = 6000, kFastestMs = 40, kSlowestMs = 400;

} // namespace

WalkBar::WalkBar(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("walkBar"));
    setAccessibleName(tx("ui.walk.name"));
    m_play = new QToolButton;
    m_play->setObjectName(QStringLiteral("walkPlay"));
    m_close = new QToolButton;
    m_close->setObjectName(QStringLiteral("walkClose"));
    for (QToolButton* button : {m_play, m_close}) {
        button->setAutoRaise(true);
        button->setMinimumSize(28, 24);
        button->setFocusPolicy(Qt::TabFocus);
    }
    m_close->setToolTip(tx("ui.walk.close") + QStringLiteral("  Esc"));
    m_close->setAccessibleName(tx("ui.walk.close"));
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setObjectName(QStringLiteral("walkSlider"));
    m_slider->setAccessibleName(tx("ui.walk.slider"));
    m_slider->setMinimumWidth(120);
    m_slider->setMaximumWidth(520);
    m_slider->installEventFilter(this);
    m_words = new QLabel;
    m_words->setObjectName(QStringLiteral("walkWords"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 12, 2);
    row->setSpacing(8);
    row->addWidget(new QLabel(tx("ui.walk.name")));
    row->addWidget(m_play);
    row->addWidget(m_slider, 3);
    row->addWidget(m_words);
    row->addStretch(1);
    row->addWidget(m_close);
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(m_close, &QToolButton::clicked, this, [this] { setFollowing(false); });
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int wave) { m_document.showWave(static_cast<std::uint32_t>(wave)); });
    // A hand on the slider takes over.
    connect(m_slider, &QSlider::actionTriggered, this, [this] { setPlaying(false); });
    connect(m_slider, &QSlider::sliderPressed, this, [this] { setPlaying(false); });
    connect(&m_timer, &QTimer::timeout, this, &WalkBar::advance);
    connect(&document, &Document::waveChanged, this, &WalkBar::onWave);
    connect(&document, &Document::historyChanged, this, &WalkBar::onWave);
    updateIcons();
    onWave();
}

bool WalkBar::isFollowing() const {
    return m_document.wave().has_value();
}

void WalkBar::setFollowing(bool on) {
    if (on == isFollowing()) return;
    if (!on) {
        m_document.showWave(std::nullopt);
        return;
    }
    if (!m_document.waves()) return;
    m_document.showWave(0);
    m_slider->setFocus(Qt::OtherFocusReason);
    setPlaying(true);
}

void WalkBar::setPlaying(bool on) {
    const WalkWaves* waves = m_document.waves();
    if (on && waves && isFollowing()) {
        // From the end it begins again.
        if (*m_document.wave() + 1 >= waves->count()) m_document.showWave(0);
        m_timer.start(std::clamp(kWholeMs / static_cast<int>(waves->count()), kFastestMs, kSlowestMs));
    } else {
        m_timer.stop();
    }
    updateIcons();
}

void WalkBar::advance() {
    const WalkWaves* waves = m_document.waves();
    if (!waves || !isFollowing() || *m_document.wave() + 1 >= waves->count()) return setPlaying(false);
    m_document.showWave(*m_document.wave() + 1);
    if (*m_document.wave() + 1 >= waves->count()) setPlaying(false);
}

void WalkBar::onWave() {
    const WalkWaves* waves = m_document.waves();
    const bool isOn = isFollowing() && waves;
    if (isOn) {
        const std::uint32_t wave = *m_document.wave(), last = waves->count() - 1;
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, static_cast<int>(last));
        m_slider->setPageStep(std::max(1, static_cast<int>(last) / 10));
        m_slider->setValue(static_cast<int>(wave));
        const std::uint32_t size = waves->sizes[wave];
        const auto sum = [&](std::uint32_t upTo) {
            return std::accumulate(waves->sizes.begin(), waves->sizes.begin() + upTo + 1, std::uint64_t{0});
        };
        QString words = wave == 0   ? tx("ui.walk.targets", {countText(last)})
                        : size == 1 ? tx("ui.walk.wave-one", {countText(wave), countText(last)})
                                    : tx("ui.walk.wave", {countText(wave), countText(last), countText(size)});
        words +=
            QStringLiteral(" \u00B7 ") + tx("ui.walk.sofar", {countText(sum(wave)), countText(sum(last))});
        m_words->setText(words);
        m_slider->setAccessibleDescription(words);
    } else {
        setPlaying(false);
        // What is hidden hands the focus to its neighbour, whatever that is.
        if (isAncestorOf(QApplication::focusWidget())) emit left();
    }
    setVisible(isOn);
    if (isOn == m_wasFollowing) return;
    m_wasFollowing = isOn;
    emit followingChanged(isOn);
}

bool WalkBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_slider && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Space: setPlaying(!isPlaying()); return true;
        case Qt::Key_Escape: setFollowing(false); return true;
        default: break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void WalkBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) updateIcons();
}

void WalkBar::updateIcons() {
    m_play->setIcon(icon(isPlaying() ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setToolTip(tx(isPlaying() ? "ui.walk.pause" : "ui.walk.play"));
    m_play->setAccessibleName(m_play->toolTip());
    m_close->setIcon(icon(QStringLiteral("close")));
}

} // namespace secateur
