// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"
#include "core/picture/display_list.h"
#include "core/picture/theme.h"

#include <string>

namespace secateur {

struct SvgOptions {
    ThemeKind theme = ThemeKind::light;
    std::string title; ///< the document's <title>
};

/// A display list as an SVG document. Styles are classes, coordinates have one decimal: about 200 bytes a
/// node. Same list, same bytes.
std::string writeSvg(const DisplayList& list, const SvgOptions& options = {});

/// The whole scene at 100 % with a margin, as the window would show it. `request.viewport` and zoom are set
/// here.
std::string writeSvg(const Scene& scene, ViewRequest request, const SvgOptions& options = {});

} // namespace secateur
