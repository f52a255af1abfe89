// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>

namespace secateur {

/// All shortcuts, read from the table of actions, and the keys of the graph.
class KeysPanel : public QTextBrowser {
    Q_OBJECT
  public:
    explicit KeysPanel(QWidget* parent = nullptr);
};

} // namespace secateur
