// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/body_writer.h"
#include "core/onnx/type_inference.h"
#include "core/support/result.h"

#include <string_view>

namespace secateur {

/// Is it one of the com.microsoft operators whose bodies are written here?
[[nodiscard]] bool hasMicrosoftBody(std::string_view op);

/// Writes such a body; fails before the first edit when it needs a type that is not known.
Result<void> writeMicrosoftBody(BodyWriter& writer, const TypeTable& types);

} // namespace secateur
