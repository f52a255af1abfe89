// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"

namespace secateur {

/// Puts the branch that an If always takes in the If's place: its nodes keep their ids and stand before where
/// the If stood, its initializers become initializers of the graph around it. False, and nothing is changed,
/// where the condition is no constant, where the chosen branch does not give each result, or where a result
/// is an output and is drawn at random (the seed hangs on the name, which an output gives to what fills it).
bool inlineTakenBranch(Editor& editor, NodeId node);

} // namespace secateur
