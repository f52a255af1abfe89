// SPDX-License-Identifier: Apache-2.0
#include "ui/window/placeholder_panel.h"

#include "ui/app_state/strings.h"

#include <QLabel>
#include <QVBoxLayout>

namespace secateur {

PlaceholderPanel::PlaceholderPanel(const char* sentenceId, QWidget* parent) : QWidget(parent) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* sentence = new QLabel(tx(sentenceId));
    sentence->setWordWrap(true);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setMaximumWidth(560);
    sentence->setForegroundRole(QPalette::PlaceholderText);
    auto* box = new QVBoxLayout(this);
    box->addWidget(sentence, 1);
    box->setAlignment(Qt::AlignCenter);
}

} // namespace secateur
