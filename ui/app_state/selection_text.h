// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <string>

namespace secateur {

class Document;

/// What is selected in ONNX's text form, in program order: nodes at the cursor as they are there, then those
/// that a step took away as the file had them. Of a group its nodes; of inputs and outputs their names.
[[nodiscard]] Result<std::string> selectionText(const Document& document);

} // namespace secateur
