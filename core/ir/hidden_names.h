// SPDX-License-Identifier: Apache-2.0
//
// Names of bodies that hide what the body reads from outside. In the model values are told apart by id; in a
// file a name means the innermost value that has it (ONNX IR, "Names Within a Graph").
#pragma once

#include "core/ir/editor.h"

#include <vector>

namespace secateur {

/// Values of bodies whose name is that of a value which their body, or one in it, reads from farther out:
/// written to a file, the reader would read these instead. Each once, by graph and id.
[[nodiscard]] std::vector<ValueId> valuesThatHideReads(const Model& model);

/// Gives a value of a body a name of its own, and the same to the outputs of its body that are called after
/// it: inputs and outputs of bodies go by place.
void renameInBody(Editor& editor, ValueId value);

} // namespace secateur
