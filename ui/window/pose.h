// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <functional>
#include <optional>

namespace secateur {

class MainWindow;

/// How a window is to stand once its model is open, as the command line asks for it.
struct WindowPose {
    QString select;          ///< node to select, by its name or a result that it makes
    std::optional<int> step; ///< steps to look behind; none: as opened
    bool isOverlay = false;
    bool isRoleColour = false;
    bool fitsAll = false;
    bool isChecked = false; ///< the result was checked

    [[nodiscard]] bool isAsked() const {
        return !select.isEmpty() || step || isOverlay || isRoleColour || fitsAll || isChecked;
    }
};

/// Brings a settled window into its pose. What cannot be done comes back as a sentence; the rest is done.
[[nodiscard]] QString poseWindow(MainWindow& window, const WindowPose& pose);

/// Calls `then` once, when the window has what it needs.
void whenSettled(MainWindow& window, const std::function<void()>& then);

} // namespace secateur
