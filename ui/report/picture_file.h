// SPDX-License-Identifier: Apache-2.0
//
// A display list as pixels or pages. Needs fonts and a painter, but no display: runs offscreen, in a child
// process of the command line or in a worker of the window.
#pragma once

#include "core/picture/display_list.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>

namespace secateur {

struct PictureFileOptions {
    ThemeKind theme = ThemeKind::light;
    double scale = 1; ///< PNG: pixels for one unit of the list
    std::string
        page; ///< PDF: "a4" ... "a0" cuts the picture into such pages; "": one page if that is possible
    std::string title; ///< of the document
};

/// What was written, for the line that says so.
struct PictureFileFacts {
    std::uint64_t width = 0,
                  height = 0;     ///< PNG: pixels; PDF: points of the one page, or of the whole picture
    std::uint32_t pages = 1;      ///< PDF
    std::uint32_t columns = 1;    ///< PDF: pages side by side
    std::uint32_t strips = 1;     ///< PNG: painted one after the other
    std::uint64_t stripBytes = 0; ///< PNG: memory of a strip, the most that is held
};

/// Paints strip by strip into at most 64 MiB and packs each row as it is done: the size of a picture is
/// bounded by PNG's 2^31 pixels a side alone.
Result<PictureFileFacts> writePng(const DisplayList& list, const std::filesystem::path& path,
                                  const PictureFileOptions& options, const WorkContext& work = {});

/// One page as large as the picture where both sides are within the 200 inches that readers of PDF accept,
/// else (or when options.page asks for it) pages of one size, each with its row and column in the margin.
Result<PictureFileFacts> writePdf(const DisplayList& list, const std::filesystem::path& path,
                                  const PictureFileOptions& options, const WorkContext& work = {});

} // namespace secateur
