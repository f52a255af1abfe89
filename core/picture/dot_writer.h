// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"
#include "core/picture/picture_state.h"
#include "core/picture/theme.h"

#include <string>

namespace secateur {

struct DotOptions {
    std::string name = "model";
    Pane pane = Pane::overlay; ///< after: without what is removed; before: without what is added
    ThemeKind theme = ThemeKind::light;
};

/// The union graph as DOT text for Graphviz: a box a node in the colour of its role, removed ones dashed,
/// stashes dashed with their bytes and without influence on the ranks, backward edges drawn upward (a graph
/// that `dot` can finish). `class` holds the role and the diff state, for scripts. Same input, same bytes.
std::string writeDot(const LayoutGraph& graph, const PictureState& state, const DotOptions& options = {});

} // namespace secateur
