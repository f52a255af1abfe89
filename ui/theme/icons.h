// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QString>

namespace secateur {

/// An icon of ours (resources/icons/NAME.svg), drawn in the palette's text colour when it is painted, so that
/// it follows a change of theme and is sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name);

} // namespace secateur
