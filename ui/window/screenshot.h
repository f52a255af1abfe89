// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QString>

namespace secateur {

class MainWindow;

struct ScreenshotRequest {
    QString path;
    QSize size{1440, 900};
    QString select; ///< node to select, by name
    int step = -1;  ///< cursor to look at; -1: as opened
    bool isOverlay = false;
    bool isRoleColour = false;
    bool fitsAll = false;
};

/// Waits until the window has what it needs, saves a picture of it and quits the program: 0, or 3 when the
/// model could not be opened (the picture shows why), or 2 when the node does not exist or the picture cannot
/// be written.
void takeScreenshot(MainWindow& window, const ScreenshotRequest& request);

} // namespace secateur
