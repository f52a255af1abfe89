// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/display_list.h"
#include "core/picture/theme.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <filesystem>
#include <string>

namespace secateur::cli {

/// What the window program is asked to paint.
struct PictureJob {
    std::filesystem::path out; ///< ends in .png or .pdf
    ThemeKind theme = ThemeKind::light;
    double scale = 1;
    std::string page; ///< of a PDF: "a4" ... "a0", or "" for one page
    std::string title;
};

/// Has the window program beside this one paint a picture, without a display. What it says of the file comes
/// back as one line. Error `missing` where there is no window program; what goes wrong in it comes back as if
/// it had gone wrong here. Cancelling ends it, and leaves no file.
Result<std::string> paintInChild(const DisplayList& list, const PictureJob& job, const WorkContext& work);

} // namespace secateur::cli
