// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace secateur {

/// The first word by which the command line asks the window program to paint.
constexpr std::string_view kExportPicture = "--export-picture";

/// The window program as the painter of the command line: reads a display list from standard input and writes
/// it as PNG or PDF, without a display. Says on standard output what was written. Returns the exit code, and
/// ends with the program that started it. Words:
/// --export-picture OUT [--picture-scale N] [--theme light|dark] [--picture-title T] [--page a4..a0]
int exportPictureFile(int argc, char** argv);

} // namespace secateur
