// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace secateur {

/// A dock that has nothing to show yet, and one sentence saying what will stand there.
class PlaceholderPanel : public QWidget {
    Q_OBJECT
  public:
    explicit PlaceholderPanel(const char* sentenceId, QWidget* parent = nullptr);
};

} // namespace secateur
