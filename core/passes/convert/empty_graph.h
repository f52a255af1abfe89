// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"

namespace secateur {

/// Takes apart all nodes, inputs, outputs and initializers of a graph that nothing outside it reads.
void emptyGraph(Editor& editor, GraphId graph);

} // namespace secateur
