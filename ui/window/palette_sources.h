// SPDX-License-Identifier: Apache-2.0
//
// What palettes offer: the commands of a window, the nodes of a model.
#pragma once

#include "ui/window/palette.h"

class QMenuBar;

namespace secateur {

class Document;

/// Every command in the menus, with its menu, shortcut and, where it cannot be used, the reason.
[[nodiscard]] std::vector<PaletteEntry> commandsFor(const QMenuBar& menus, const QString& query);

/// Nodes, values and weights by name; a number is the place of a node in the file, counted from 1. Choosing
/// selects, then calls `shown`.
[[nodiscard]] std::vector<PaletteEntry> placesFor(Document& document, const QString& query,
                                                  const std::function<void()>& shown);

} // namespace secateur
