// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <cstdint>

namespace secateur {

class Document;

/// What the inspector says of what is selected, as rich text. Links: "node:KEY" selects, "path:" toggles the
/// path.
[[nodiscard]] QString inspectorHtml(const Document& document);

} // namespace secateur
