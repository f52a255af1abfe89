// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"
#include "ui/window/pose.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace secateur {

/// What the command line of the window asks for.
struct WindowArguments {
    QString model; ///< empty: none
    bool isSample = false;
    QString screenshot; ///< file to write a picture to; empty: a window opens
    QSize size{1440, 900};
    std::optional<ThemeChoice> theme;
    WindowPose pose;
};

/// Or what is wrong with it.
struct ReadArguments {
    WindowArguments arguments;
    QString error; ///< a sentence; empty: all is well
    int exit = 0;  ///< the exit code for it
    QString text;  ///< help or version, to be printed; then nothing else is done
};

/// `words` begin with the name of the program.
[[nodiscard]] ReadArguments readWindowArguments(const QStringList& words);

} // namespace secateur
