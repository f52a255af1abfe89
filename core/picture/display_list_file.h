// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/display_list.h"
#include "core/support/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace secateur {

/// A display list as bytes, for another process of the same program version on the same machine: the command
/// line composes a picture, a child that has fonts and a painter turns it into pixels or pages.
[[nodiscard]] std::string writeDisplayList(const DisplayList& list);

/// Reads it back. Every index and number is checked: bytes that are damaged or of another version are an
/// Error. `where` names them in it.
[[nodiscard]] Result<DisplayList> readDisplayList(std::string_view bytes, const std::string& where);

} // namespace secateur
