// SPDX-License-Identifier: Apache-2.0
#include "ui/window/work_status.h"

#include "core/support/text.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace secateur {

namespace {

constexpr double kShownAfterSeconds = 0.1;
constexpr int kTickMs = 100;

} // namespace

WorkStatus::WorkStatus(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_text = new QLabel;
    m_share = new QProgressBar;
    m_share->setFixedWidth(110);
    m_share->setMaximumHeight(12);
    m_share->setTextVisible(false);
    m_cancel = new QToolButton;
    m_cancel->setText(tx("ui.status.cancel"));
    m_cancel->setAutoRaise(true);
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(0, 0, 4, 0);
    box->setSpacing(8);
    box->addWidget(m_text);
    box->addWidget(m_share);
    box->addWidget(m_cancel);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &WorkStatus::refresh);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_document.work().cancelAll(); });
    connect(&document.work(), &Work::changed, this, [this] {
        if (m_document.work().isBusy()) {
            if (!m_timer.isActive()) m_timer.start();
        } else {
            m_timer.stop();
            hide();
        }
    });
    hide();
}

void WorkStatus::refresh() {
    const Work::Status status = m_document.work().status();
    if (status.what.isEmpty() || status.seconds < kShownAfterSeconds) return;
    QString text = status.what;
    if (!status.phase.isEmpty()) text += QStringLiteral(": ") + status.phase;
    m_text->setText(text + QStringLiteral("  ") + QString::fromStdString(formatSeconds(status.seconds)));
    m_share->setRange(0, status.share > 0 ? 1000 : 0);
    m_share->setValue(static_cast<int>(status.share * 1000));
    show();
}

} // namespace secateur
