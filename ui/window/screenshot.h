// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/window/pose.h"

#include <QSize>
#include <QString>

namespace secateur {

struct ScreenshotRequest {
    QString path;
    QSize size{1440, 900};
    WindowPose pose;
};

/// Waits until the window has what it needs, saves a picture of it and quits the program: 0, or 3 when the
/// model could not be opened (the picture shows why), or 2 when the pose is not possible or the picture
/// cannot be written. Standard error says what was wrong.
void takeScreenshot(MainWindow& window, const ScreenshotRequest& request);

} // namespace secateur
