// SPDX-License-Identifier: Apache-2.0
//
// A picture of the graph as a file. The window and the command line write it through these functions: the
// same bytes.
#pragma once

#include "core/picture/compose.h"
#include "core/picture/theme.h"

#include <string>

namespace secateur {

struct ExportOptions {
    Pane pane = Pane::before;
    /// Of the After pane: the gaps of what was removed are closed. Else every node stands where it stands
    /// Before.
    bool isCompact = true;
    ThemeKind theme = ThemeKind::light;
    ColorMode colorMode = ColorMode::kind;
    /// The name of the model. With one the picture has a head: it, the numbers of nodes, and what the signs
    /// in it mean.
    std::string title;
    double zoom = 1; ///< view pixels for one world unit
};

/// What is exported: the union, its layout and a moment of it. Selections and hovering are left out.
struct ExportSource {
    const LayoutGraph& graph;
    const Hierarchy& hierarchy;
    const ExpandState& expanded;
    const Layout& layout;
    const PictureState& state;
    const Heat* heat = nullptr; ///< for ColorMode::heat: a legend is drawn above the picture
};

/// The picture as a display list on a page of its own size, without holes at its borders.
[[nodiscard]] DisplayList exportList(const ExportSource& source, const ExportOptions& options);
/// The same as an SVG document.
[[nodiscard]] std::string exportSvg(const ExportSource& source, const ExportOptions& options);
/// The graph for Graphviz, every node.
[[nodiscard]] std::string exportDot(const ExportSource& source, const ExportOptions& options);

} // namespace secateur
