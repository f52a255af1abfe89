// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/font_metrics.h"

#include <QFont>

namespace secateur {

/// Registers the fonts that are built into this program; how many of the four faces are there (0 when it was
/// built without). Needs a QGuiApplication; calling it again costs nothing.
int loadBundledFonts();

/// The font that core's textWidth measures: unhinted widths and no kerning, so that a label laid out by core
/// fills exactly the room it was given. Falls back to the system's fonts when none are built in.
QFont fontOf(FontFace face, double pixelSize);

} // namespace secateur
